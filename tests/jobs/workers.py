"""Real workers on the test's own database and broker, to be killed at will."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection

from config.services import down
from jobs.celery import app

PATIENCE = 45
"""Seconds; the machine that runs the tests is shared."""


class Worker:
    """A worker with its beat and its processes, as one group."""

    def __init__(self, log: Path, application: str = "tests.jobs.application") -> None:
        command = [
            *(sys.executable, "-m", "celery", "--app", application, "--quiet", "worker"),
            *("--beat", "--concurrency", "2", "--without-gossip", "--without-mingle"),
        ]
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command,
                cwd=down.ROOT,
                env=_environment(),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill the worker and all of its processes, as a crash of the machine does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End the worker as `make down` does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)


@contextmanager
def working(log: Path) -> Iterator[Worker]:
    """Run a worker; whatever is left of it is killed afterwards."""
    worker = Worker(log)
    try:
        yield worker
    finally:
        if worker.process.poll() is None:
            worker.kill()


def forget_messages() -> None:
    """Empty the test's own broker."""
    with app.connection_for_write() as broker:
        broker.default_channel.client.flushdb()


def wait_until(holds: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Wait for something that workers do; fail the test when it does not happen."""
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def _environment() -> dict[str, str]:
    """The tests' own servers, and this very test's database on them."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    url = urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))
    own = {"DATABASE_URL": url, "REDIS_URL": settings.REDIS_URL, "SECRET_KEY": settings.SECRET_KEY}
    return {**os.environ, **own, "PYTHONPATH": str(down.ROOT)}
