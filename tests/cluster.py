"""The tests' own PostgreSQL and Valkey: one of each a test run, in temporary folders.

As a pytest plugin (`-p tests.cluster` in pyproject.toml) it starts both and sets DATABASE_URL and
REDIS_URL before pytest-django loads the settings; the workers of pytest-xdist share them, each
with a database of its own. `python -m tests.cluster COMMAND…` does the same for any command.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from config.services.errors import ServiceError
from config.services.postgres import Cluster
from config.services.programs import Place
from config.services.supervisor import Service, Supervisor
from config.services.valkey import Valkey

SECRET_KEY = "a-secret-for-tests-and-for-nothing-else-in-this-world"
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
DEBIAN = Path("/usr/lib/postgresql")
MIN_MAJOR = 15
DATABASES = 65
"""Of Valkey: the controller's, and as many workers as anybody has."""


@contextmanager
def temporary_cluster(
    *, durable: bool = False, binaries: Path | None = None, locale: str = "C"
) -> Iterator[Cluster]:
    """Run a cluster in a temporary folder; stop and remove it afterwards.

    Args:
        durable: keep fsync on, as crash and durability tests need it; it is off otherwise.
        binaries: PostgreSQL's programs; the embedded ones when left out.
        locale: collation and character type.

    Raises:
        ServiceError: the cluster cannot be made or started.
    """
    parameters = {"max_connections": "300"} | ({} if durable else FAST)
    with tempfile.TemporaryDirectory(prefix="checkfu-") as folder:
        place = Place(Path(folder))
        place.make()
        cluster = Cluster(
            place.folder / "postgres",
            binaries=binaries,
            locale=locale,
            parameters=parameters,
            dies_with_starter=True,
        )
        supervisor = Supervisor(place, report=print)
        try:
            supervisor.start(Service(cluster.program(), cluster.is_ready, cluster.prepare))
            cluster.create_database()
            yield cluster
        finally:
            supervisor.stop()


@contextmanager
def temporary_valkey() -> Iterator[Valkey]:
    """Run a Valkey in a temporary folder, with a database for each worker of pytest-xdist."""
    with tempfile.TemporaryDirectory(prefix="checkfu-") as folder:
        place = Place(Path(folder))
        place.make()
        valkey = Valkey(
            place.folder / "valkey", databases=DATABASES, durable=False, dies_with_starter=True
        )
        supervisor = Supervisor(place, report=print)
        try:
            supervisor.start(Service(valkey.program(), valkey.is_ready, valkey.prepare))
            yield valkey
        finally:
            supervisor.stop()


class DebianCluster(NamedTuple):
    """A cluster on Debian's PostgreSQL: its DATABASE_URL, or None and the reason."""

    url: str | None
    reason: str


@contextmanager
def debian_cluster(locale: str) -> Iterator[DebianCluster]:
    """Run a cluster with ``locale`` on Debian's PostgreSQL, which knows more locales than ours.

    >>> with debian_cluster("en_US.UTF-8") as debian:
    ...     if debian.url is None:
    ...         pytest.skip(debian.reason)
    """
    binaries = _debian_binaries()
    if binaries is None:
        yield DebianCluster(None, f"Debian's PostgreSQL >= {MIN_MAJOR} is not installed.")
    elif not _has_locale(locale):
        yield DebianCluster(None, f"The locale {locale} is not installed.")
    else:
        with temporary_cluster(binaries=binaries, locale=locale) as cluster:
            yield DebianCluster(cluster.url(), "")


def _debian_binaries() -> Path | None:
    found = [folder for folder in DEBIAN.glob("*/bin") if (folder / "initdb").exists()]
    newest = max(found, key=lambda folder: int(folder.parent.name), default=None)
    return newest if newest and int(newest.parent.name) >= MIN_MAJOR else None


def _has_locale(locale: str) -> bool:
    if not shutil.which("locale"):
        return False
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True).stdout
    return _plain(locale) in {_plain(name) for name in known.split()}


def _plain(locale: str) -> str:
    return re.sub("[^a-z0-9_]", "", locale.lower())


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """Start the run's servers, once: in pytest-xdist's controller, whose workers inherit them."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        stack = ExitStack()
        early_config.add_cleanup(stack.close)
        os.environ["DATABASE_URL"] = stack.enter_context(temporary_cluster()).url()
        os.environ["REDIS_URL"] = stack.enter_context(temporary_valkey()).url()
        os.environ["SECRET_KEY"] = SECRET_KEY
        os.environ["DATABASE_POOL_SIZE"] = "0"  # each thread of a test has its own connection
        os.environ["SIGN_IN_LIMIT"] = "off"  # the same few people sign in all the time
    else:
        number = int(worker.removeprefix("gw")) + 1
        os.environ["REDIS_URL"] = re.sub(r"db=\d+", f"db={number}", os.environ["REDIS_URL"])
    return (yield)


def main(command: list[str]) -> int:
    """Run a command with servers of its own; return its exit status."""
    with temporary_cluster() as cluster, temporary_valkey() as valkey:
        servers = {"DATABASE_URL": cluster.url(), "REDIS_URL": valkey.url()}
        return subprocess.run(command, env={**os.environ, **servers}, check=False).returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ServiceError as error:
        sys.exit(str(error))
