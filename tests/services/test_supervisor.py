"""The supervisor: starts in order, says why it cannot, restarts what ends, gives up in the end."""

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from config.services import supervisor as module
from config.services.errors import ServiceError
from config.services.programs import Place, last_words
from config.services.supervisor import Service, Supervisor

SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(place: Place, said: list[str]):
    supervisor = Supervisor(place, said.append)
    yield supervisor
    supervisor.stop()


def eventually(condition: Callable[[], object]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it never came true")


class Watch(threading.Thread):
    """`Supervisor.watch` beside the test, until it raises."""

    def __init__(self, supervisor: Supervisor) -> None:
        super().__init__(daemon=True)
        self.supervisor = supervisor
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.supervisor.watch()
        except BaseException as error:  # noqa: BLE001 - kept for the test
            self.error = error

    def end(self) -> None:
        self.supervisor._running.clear()


def test_start_prepares_then_waits_until_it_is_ready(supervisor: Supervisor, program):
    order: list[str] = []

    def is_ready() -> bool:
        order.append("asked")
        return len(order) > 3

    supervisor.start(Service(program("a", SLEEP), is_ready, lambda: order.append("prepared")))

    assert order == ["prepared", "asked", "asked", "asked"]


def test_a_service_that_ends_at_once_is_told_with_its_last_words(supervisor: Supervisor, program):
    service = Service(program("a", "raise SystemExit('no disk')"), lambda: False)

    with pytest.raises(ServiceError, match=r"a ended while it started \(status 1\): no disk"):
        supervisor.start(service)


def test_a_service_that_is_never_ready_is_told(supervisor: Supervisor, program):
    service = Service(program("a", SLEEP), lambda: False, patience=0.1)

    with pytest.raises(ServiceError, match="a was not ready within 0 seconds"):
        supervisor.start(service)


def test_a_killed_service_is_prepared_and_started_again(supervisor, said, program):
    prepared: list[int] = []
    service = Service(program("a", SLEEP), lambda: True, lambda: prepared.append(1))
    supervisor.start(service)
    first = supervisor._running["a"][1].process.pid
    watch = Watch(supervisor)

    os.kill(first, signal.SIGKILL)
    eventually(lambda: supervisor._running["a"][1].process.pid != first)
    supervisor.stop()
    watch.end()

    assert len(prepared) == 2
    assert len(said) == 1
    assert said[0].endswith("a ended unexpectedly (signal SIGKILL); starting it again.")


def test_a_service_that_ends_again_and_again_ends_the_watch(supervisor, program, monkeypatch):
    monkeypatch.setattr(module, "PAUSE", 0.01)
    supervisor.start(Service(program("a", "raise SystemExit('still no disk')"), lambda: True))

    with pytest.raises(ServiceError, match=r"a ends again and again .*: still no disk"):
        supervisor.watch()


def test_services_stop_in_reverse(supervisor: Supervisor, place: Place, program):
    note = place.folder / "order"
    code = """
import pathlib, time
try:
    pathlib.Path({up!r}).touch()
    time.sleep(60)
except KeyboardInterrupt:
    with open({note!r}, "a") as file: file.write({name!r})
"""
    for name in "abc":
        up = place.folder / name
        text = code.format(up=str(up), note=str(note), name=name)
        supervisor.start(Service(program(name, text), up.exists))

    supervisor.stop()

    assert note.read_text() == "cba"


def test_run_returns_what_was_printed(supervisor: Supervisor, place: Place, program):
    printed = supervisor.run(program("step", "import sys; print('key'); sys.stderr.write('log')"))

    assert printed == "key\n"
    assert (place.log / "step.log").read_text() == "log"
    assert not list(place.run.iterdir())


def test_run_tells_why_a_program_failed(supervisor: Supervisor, program):
    with pytest.raises(ServiceError, match="“step” failed: no such table"):
        supervisor.run(program("step", "raise SystemExit('no such table')"))


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("", "it left no word"),
        ("[INFO] started\nno disk\n\n", "no disk"),
        (
            "Traceback:\n  code\nOldError: no\nlib.errors.DataError: no column\nLINE 1: a\n  ^\n",
            "lib.errors.DataError: no column",
        ),
        ("SystemCheckError: some issues:\n\nERRORS:\n?: (a.E1) wrong\n", "?: (a.E1) wrong"),
    ],
)
def test_the_last_words_are_the_exception_or_the_last_line(log: str, words: str):
    assert last_words(log) == words


def test_what_an_earlier_run_said_explains_nothing(supervisor: Supervisor, program):
    for words in ("ValueError: then", "now"):
        with pytest.raises(ServiceError, match=f"“step” failed: {words} "):
            supervisor.run(program("step", f"raise SystemExit({words!r})"))


def test_a_log_is_turned_over_when_it_is_long(supervisor, place, program, monkeypatch):
    monkeypatch.setattr("config.services.programs.MAX_LOG_BYTES", 5)
    for word in ("short", "a longer one", "third"):
        supervisor.run(program("step", f"import sys; sys.stderr.write({word!r})"))

    assert (place.log / "step.log.1").read_text() == "shorta longer one"
    assert (place.log / "step.log").read_text() == "third"
