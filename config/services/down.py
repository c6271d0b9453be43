"""End what this checkout runs: all of `make down`, and the first thing that `make up` does.

Each program leaves a record, `var/run/NAME.pid`: its process ID and when that process began. The
ID alone proves nothing after a kill -9 or a reboot, for another program may have it by then.

`make down` runs this file by its path, with whatever Python there is and without the environment;
therefore it holds nothing but the standard library of Python 3.9.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
STATE = Path(os.environ.get("STATE_DIR") or ROOT / "var").absolute()
"""Where data, logs and records live; STATE_DIR moves it."""

SUPERVISOR = "supervisor"
PATIENCE = 30.0
"""Seconds that a program has to end by itself before it is killed."""

PROC = Path("/proc")


class Process(NamedTuple):
    """A living process: its ID, the group it belongs to, a mark of when it began, its name."""

    pid: int
    group: int
    began: str
    name: str


class Record(NamedTuple):
    """What `NAME.pid` says of a program that was started as the leader of its own group."""

    path: Path
    pid: int
    began: str

    @property
    def name(self) -> str:
        """The program's name."""
        return self.path.stem


def write_record(run: Path, name: str, pid: int) -> Record:
    """Note in the folder ``run`` that the program ``name`` is the process ``pid``."""
    process = processes().get(pid)
    record = Record(run / f"{name}.pid", pid, process.began if process else "ended")
    record.path.write_text(f"{record.pid} {record.began}\n")
    return record


def read_records(run: Path) -> list[Record]:
    """What was started: the supervisor, which ends the others itself, then the newest first."""
    found = []
    for path in run.glob("*.pid"):
        with contextlib.suppress(FileNotFoundError):  # a program that ends just now
            record = Record(path, *_parse(path.read_text()))
            found.append((record.name != SUPERVISOR, -path.stat().st_mtime_ns, record))
    return [record for *_, record in sorted(found)]


def _parse(text: str) -> tuple[int, str]:
    pid, _, began = text.strip().partition(" ")
    return (int(pid) if pid.isdigit() else 0), began


def members(record: Record) -> list[int]:
    """Process IDs that live of a record: the program and the group that it leads or led."""
    table = processes()
    leader = table.get(record.pid)
    if leader and leader.began != record.began:
        return []  # the ID belongs to somebody else by now
    group = [process.pid for process in table.values() if process.group == record.pid]
    if leader:
        return group or [record.pid]
    return [pid for pid in group if _works_here(pid)]


def stop(record: Record, patience: float = PATIENCE) -> bool:
    """End a program and its group, kindly first; remove its record.

    Every program here ends in order on SIGINT (PostgreSQL's "fast" shutdown, granian's graceful
    one). Returns whether there was anything to end.
    """
    found = members(record)
    if found:
        _signal([record.pid] if record.pid in found else found, signal.SIGINT)
        if not _gone(record, patience):
            _signal(members(record), signal.SIGKILL)
            if not _gone(record, PATIENCE):
                raise SystemExit(f"{record.name} (process {record.pid}) cannot be ended.")
    with contextlib.suppress(FileNotFoundError):
        record.path.unlink()
    return bool(found)


def stop_all(run: Path) -> bool:
    """End all that the records in ``run`` name. Returns whether there was anything to end."""
    stopped = [stop(record, 2 * PATIENCE) for record in read_records(run)]
    return any(stopped)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
        except PermissionError as error:
            sentence = f"Process {pid} was started by another user; end it as that user."
            raise SystemExit(sentence) from error


def _gone(record: Record, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while members(record):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def end(pids: list[int], number: int, patience: float = PATIENCE) -> None:
    """Send a signal to processes and wait until they are gone."""
    for pid in pids:
        os.kill(pid, number)
    deadline = time.monotonic() + patience
    while set(pids) & processes().keys() and time.monotonic() < deadline:
        time.sleep(0.05)


def processes() -> dict[int, Process]:
    """All living processes by ID; one that has ended but was not collected does not count."""
    found = _from_proc() if (PROC / "self").exists() else _from_ps()
    return {process.pid: process for process in found}


def _from_proc() -> list[Process]:
    boot_id = PROC / "sys/kernel/random/boot_id"
    boot = boot_id.read_text().strip() if boot_id.exists() else ""
    found = []
    for folder in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # pid (name) state parent group … started; the name may hold spaces and brackets
            head, _, tail = (folder / "stat").read_text(errors="replace").rpartition(")")
            fields = tail.split()
            if fields[0] not in "ZX":
                began, name = f"{boot}:{fields[19]}", head.partition("(")[2]
                found.append(Process(int(folder.name), int(fields[2]), began, name))
    return found


def _from_ps() -> list[Process]:
    command = ["ps", "-A", "-o", "pid=,pgid=,stat=,lstart=,comm="]
    listing = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"}
    )
    found = []
    for line in listing.stdout.split("\n"):
        pid, group, state, *rest = line.split(None, 8) or ("", "", "Z")
        if not state.startswith("Z"):
            began, name = " ".join(rest[:5]), Path(rest[5]).name
            found.append(Process(int(pid), int(group), began, name))
    return found


def working_folder(pid: int) -> Path | None:
    """The folder that a process works in; None when it is gone or may not be looked at."""
    try:
        if (PROC / "self").exists():
            return (PROC / str(pid) / "cwd").readlink()
        lsof = ["lsof", "-a", "-p", str(pid), "-d", "cwd", "-Fn"]
        listing = subprocess.run(lsof, capture_output=True, text=True, check=True).stdout
        return Path(listing.rpartition("\nn")[2].strip())
    except (OSError, subprocess.CalledProcessError):
        return None


def _works_here(pid: int) -> bool:
    folder = working_folder(pid)
    return folder is not None and any(
        place in (folder, *folder.parents) for place in (ROOT, STATE.resolve())
    )


def main() -> None:
    """Stop this checkout's server, however it was started, or what a killed one left behind."""
    say("Stopped." if stop_all(STATE / "run") else "Nothing was running.")


def say(text: str) -> None:
    """Tell the person at the terminal, at once, unless the terminal has closed."""
    with contextlib.suppress(OSError):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except PermissionError as error:
        sys.exit(f"{error.filename} belongs to another user; run this as that user.")
