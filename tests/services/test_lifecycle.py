"""The real thing: all services and migrations, started, killed and stopped as people do."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.services import down
from tests.cluster import temporary_cluster, temporary_valkey

PATIENCE = 300
"""Seconds; a start takes two, and many times that on a machine that is busy with other tests."""

SERVICES = [sys.executable, "-m", "config.services"]


class Checkout:
    """A server of this checkout whose data, logs and port are the test's own."""

    def __init__(self, state: Path, static: Path) -> None:
        self.state = state
        self.run = state / "run"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        given = {"DATABASE_URL", "REDIS_URL"}
        kept = {name: value for name, value in os.environ.items() if name not in given}
        self.environment = kept | {
            "STATE_DIR": str(state),
            "STATIC_ROOT": str(static),
            "PORT": str(self.port),
            "DEMO": "off",
            "WEB_CONCURRENCY": "1",
            "WORKER_CONCURRENCY": "1",
        }

    def start(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return self._run("start", **environment)

    def _run(self, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*SERVICES, command],
            cwd=down.ROOT,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def scrub(self) -> subprocess.CompletedProcess[str]:
        return self._run("scrub")

    def begin(self, command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*SERVICES, command],
            cwd=down.ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def down(self) -> str:
        command = [sys.executable, down.__file__]
        stopped = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        )
        return stopped.stdout

    def pid(self, name: str) -> int:
        return int((self.run / f"{name}.pid").read_text().split()[0])

    def kill(self, *names: str) -> None:
        for name in names:
            os.kill(self.pid(name), signal.SIGKILL)

    def is_ready(self) -> bool:
        return self.checks() is not None

    def checks(self) -> dict[str, str] | None:
        try:
            url = f"http://127.0.0.1:{self.port}/readyz"
            with urllib.request.urlopen(url, timeout=5) as response:
                checks: dict[str, str] = json.loads(response.read())["checks"]
                return checks
        except OSError:
            return None

    def remains(self) -> list[str]:
        """Command lines that still name this checkout's data or port."""
        command = ["ps", "-A", "-o", "args="]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        marks = (str(self.state), f"--port {self.port} ")
        return [line for line in listed.split("\n") if any(mark in line for mark in marks)]


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Static files, collected by the first server of this session and found by the others."""
    return tmp_path_factory.mktemp("static") / "root"


@pytest.fixture
def checkout(folder: Path, static: Path) -> Iterator[Checkout]:
    checkout = Checkout(folder / "state", static)
    yield checkout
    checkout.down()


def test_start_twice_at_once_then_kill_each_part_and_start_again(checkout: Checkout):
    with checkout.begin("start") as one, checkout.begin("start") as other:
        said = [process.communicate(timeout=PATIENCE)[0] for process in (one, other)]
    assert (one.returncode, other.returncode) == (0, 0), said
    assert sorted("Starting PostgreSQL" in text for text in said) == [False, True]
    assert all(f"runs at http://127.0.0.1:{checkout.port}" in text for text in said)
    assert checkout.checks() == {"database": "ok", "migrations": "ok", "worker": "ok"}

    supervisor = checkout.pid("supervisor")
    again = checkout.start()
    assert again.returncode == 0
    assert again.stdout in said
    assert checkout.pid("supervisor") == supervisor

    moved = checkout.start(PORT="1234")
    assert moved.returncode == 1
    assert re.fullmatch(r"Checkfu Memory runs at \S+ already; make down stops it.\n", moved.stderr)

    checkout.kill("postgres", "valkey", "web", "worker")  # the supervisor brings them back
    assert checkout.start().returncode == 0
    assert checkout.is_ready()
    assert checkout.pid("supervisor") == supervisor

    checkout.kill("supervisor")  # leaves a server on the port and one on the data
    assert checkout.is_ready()
    assert checkout.start().returncode == 0
    assert checkout.pid("supervisor") != supervisor

    checkout.kill("supervisor", "worker", "web", "valkey", "postgres")  # leaves their children
    last = checkout.start()
    assert last.returncode == 0, last.stderr
    assert "Collecting static files" not in last.stdout

    refused = checkout.scrub()
    assert (refused.returncode, "make down stops it" in refused.stderr) == (1, True)

    assert checkout.down() == "Stopped.\n"
    assert checkout.remains() == []
    assert checkout.down() == "Nothing was running.\n"

    scrubbed = checkout.scrub()
    assert scrubbed.returncode == 0, scrubbed.stderr
    assert "pg_statistic: rewritten" in scrubbed.stdout
    assert checkout.remains() == []


def test_ctrl_c_stops_all_of_a_server_in_the_foreground(checkout: Checkout):
    with checkout.begin("up") as server:
        assert server.stdout
        for line in server.stdout:
            if "Ctrl-C stops it" in line:
                break
        assert checkout.is_ready()

        server.send_signal(signal.SIGINT)
        assert server.stdout.read() == "Stopping …\n"

    assert server.returncode == 0
    assert checkout.remains() == []
    assert not list(checkout.run.glob("*.pid"))


def test_a_start_can_be_stopped_before_it_is_ready(checkout: Checkout):
    with checkout.begin("up") as server:
        for _ in range(500):
            if (checkout.run / "migrate.pid").exists():
                break
            time.sleep(0.01)
        assert checkout.down() == "Stopped.\n"

    assert server.returncode == 0
    assert checkout.remains() == []


def test_a_taken_port_leaves_nothing_behind(checkout: Checkout):
    with socket.create_server(("127.0.0.1", checkout.port)):
        refused = checkout.start()

    sentence = f"Port {checkout.port} is taken by another program; choose one with PORT=….\n"
    assert (refused.returncode, refused.stderr) == (1, sentence)
    assert not (checkout.state / "postgres").exists()
    assert not list(checkout.run.glob("*.pid"))


def test_a_database_that_nobody_serves_is_one_sentence(checkout: Checkout):
    refused = checkout.start(DATABASE_URL="postgres://a:b@127.0.0.1:1/c")

    assert refused.returncode == 1
    assert refused.stderr.startswith("The database of DATABASE_URL cannot be reached: ")
    assert refused.stderr.count("\n") == 1
    assert not (checkout.state / "postgres").exists()


def test_a_queue_that_nobody_serves_is_one_sentence(checkout: Checkout):
    refused = checkout.start(REDIS_URL="redis://:secret@127.0.0.1:1/0")

    assert refused.returncode == 1
    assert refused.stderr == "The server of REDIS_URL cannot be reached: ConnectionError.\n"
    assert not (checkout.state / "valkey").exists()


def test_other_servers_are_used_instead_of_the_embedded_ones(checkout: Checkout):
    with temporary_cluster() as cluster, temporary_valkey() as valkey:
        started = checkout.start(DATABASE_URL=cluster.url(), REDIS_URL=valkey.url())

        assert started.returncode == 0, started.stderr
        assert checkout.is_ready()
        assert not (checkout.state / "postgres").exists()
        assert not (checkout.state / "valkey").exists()
        checkout.down()
