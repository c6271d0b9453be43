"""Ending what runs: the right processes, all of them, and nobody else's."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from config.services import down
from config.services.programs import Place, start

SLEEP = "import time; time.sleep(60)"
STUBBORN = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
"""
PARENT_OF_TWO = """
import subprocess, sys
children = [subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) for _ in "ab"]
print("born", flush=True)
[child.wait() for child in children]
"""


def wait_for(log: Path, word: str) -> None:
    for _ in range(200):
        if word in log.read_text():
            return
        time.sleep(0.02)
    pytest.fail(f"{word} was never said")


def test_stop_ends_the_program_and_removes_its_record(place: Place, program):
    running = start(program("sleeper", f"print('up', flush=True); {SLEEP}"), place)
    wait_for(running.log, "up")

    assert down.stop(running.record) is True
    assert running.process.wait(timeout=5) == -signal.SIGINT
    assert not list(place.run.iterdir())
    assert down.stop(running.record) is False


def test_a_program_that_ignores_the_request_is_killed(place: Place, program):
    running = start(program("deaf", STUBBORN), place)
    wait_for(running.log, "deaf")

    down.stop(running.record, patience=0.1)

    assert running.process.wait(timeout=5) == -signal.SIGKILL


def test_children_of_a_killed_program_are_found_and_ended(place: Place, program):
    running = start(program("parent", PARENT_OF_TWO), place)
    wait_for(running.log, "born")
    running.process.kill()
    running.process.wait()
    assert len(down.members(running.record)) == 2

    down.stop_all(place.run)

    assert down.members(running.record) == []


def test_a_recycled_process_id_is_left_alone(place: Place):
    with subprocess.Popen([sys.executable, "-c", SLEEP], start_new_session=True) as stranger:
        path = place.run / "web.pid"
        path.write_text(f"{stranger.pid} an-earlier-boot:1\n")

        assert down.stop_all(place.run) is False
        assert stranger.poll() is None
        assert not path.exists()
        stranger.kill()


def test_a_broken_record_names_nobody(place: Place):
    (place.run / "web.pid").write_text("no number\n")
    (place.run / "postgres.pid").write_text("")

    assert down.stop_all(place.run) is False


def test_the_supervisor_is_asked_before_its_services(place: Place):
    for name in ("postgres", down.SUPERVISOR, "web"):
        down.write_record(place.run, name, os.getpid())
        time.sleep(0.01)

    names = [record.name for record in down.read_records(place.run)]
    for record in down.read_records(place.run):
        record.path.unlink()

    assert names == [down.SUPERVISOR, "web", "postgres"]


def test_ps_tells_the_same_as_proc():
    """What macOS is asked, compared with what Linux says."""
    ours = os.getpid()
    listed = {process.pid: process for process in down._from_ps()}

    assert listed[ours].group == os.getpgrp()
    assert listed[ours].name == down.processes()[ours].name
    assert len(listed[ours].began.split()) == 5


def test_down_needs_nothing_but_a_python_without_packages(place: Place, program):
    running = start(program("sleeper", SLEEP), place)
    command = [sys.executable, "-I", "-S", down.__file__]
    environment = {**os.environ, "STATE_DIR": str(place.folder)}

    first = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    second = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    assert running.process.wait(timeout=5) is not None
    assert first.stdout == "Stopped.\n"
    assert second.stdout == "Nothing was running.\n"
