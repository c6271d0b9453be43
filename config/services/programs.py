"""Start one program in a group of its own, with a log and a record."""

import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from config.services import down

MAX_LOG_BYTES = 10_000_000
EXCEPTION = re.compile(r"[\w.]+(Error|Exception): .*[^:]$")


@dataclass(frozen=True)
class Place:
    """The folder that holds what the services keep: data, logs, records."""

    folder: Path

    @property
    def run(self) -> Path:
        """Records of running programs and the supervisor's lock."""
        return self.folder / "run"

    @property
    def log(self) -> Path:
        """One log a program."""
        return self.folder / "log"

    def make(self) -> None:
        """Make the folders, for their owner only: logs and records are nobody else's."""
        for folder in (self.run, self.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@dataclass(frozen=True)
class Program:
    """What to run: a name for log and record, the command line, its environment."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path = down.ROOT


@dataclass(frozen=True)
class Running:
    """A program that was started; it has ended when ``process`` has."""

    program: Program
    process: subprocess.Popen[str]
    record: down.Record
    log: Path
    log_start: int
    """Where in the log its own lines begin."""

    def stop(self, patience: float = down.PATIENCE) -> None:
        """End the program and its whole group, kindly first, within ``patience`` seconds."""
        down.stop(self.record, patience)
        self.process.wait()

    def exit_reason(self) -> str:
        """How the program ended, in words: its exit status or the signal that killed it."""
        status = self.process.wait()
        return f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"

    def why(self) -> str:
        """What the program said last, and where the rest stands."""
        said = self.log.read_bytes()[self.log_start :].decode(errors="replace")
        return f"{last_words(said)} (all of it: {self.log})"


def start(program: Program, place: Place, *, capture: bool = False) -> Running:
    """Start a program as the leader of its own group, so that Ctrl-C reaches the supervisor only.

    Args:
        program: what to run.
        place: where its log and its record go.
        capture: keep standard output for the caller; otherwise it goes to the log as well.
    """
    log = place.log / f"{program.name}.log"
    _turn_over(log)
    with log.open("ab") as output:
        log_start = output.tell()
        process = subprocess.Popen(
            program.command,
            cwd=program.folder,
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if capture else output,
            stderr=output,
            start_new_session=True,
            text=True,
        )
    record = down.write_record(place.run, program.name, process.pid)
    return Running(program, process, record, log, log_start)


def _turn_over(log: Path) -> None:
    if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))


def last_words(log: str) -> str:
    """The line of a log that tells best why its program failed: the exception, or the last one."""
    lines = [line.strip() for line in log.split("\n") if line.strip()]
    raised = [line for line in lines if EXCEPTION.match(line)]
    return [*lines, *raised][-1] if lines else "it left no word"
