"""The environment: what `make up` takes from it, and what the application is given.

config/settings.py alone reads the application's variables; this module reads the few that say how
to run it, and completes the rest for a server on this machine.
"""

import os
import secrets
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path

from config.services import down
from config.services.errors import ServiceError
from config.services.postgres import Cluster
from config.services.programs import Place
from config.services.valkey import Valkey

OFF = ("off", "0", "no", "false")
MAX_WORKERS = 4
THREADS = 8
"""Requests that one web process serves at a time: as many as it may hold connections."""

JOBS_AT_A_TIME = 2


@dataclass(frozen=True)
class Options:
    """How to run: address, processes, whether there is demo data, whose database and queue."""

    bind: str
    port: int
    workers: int
    threads: int
    worker_concurrency: int
    """Jobs that are worked on at a time."""
    demo: bool
    database_url: str | None
    """Somebody else's PostgreSQL; None runs the embedded one."""
    redis_url: str | None
    """Somebody else's Valkey or Redis; None runs the embedded one."""

    @property
    def address(self) -> str:
        """Where a person on this machine finds the Console."""
        host = "127.0.0.1" if self.bind in ("0.0.0.0", "::") else self.bind  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def read_options(environ: Mapping[str, str]) -> Options:
    """Read the variables that docs/operations.md lists under "Running".

    Raises:
        ServiceError: one of them cannot be understood.
    """
    return Options(
        bind=environ.get("BIND") or "127.0.0.1",
        port=_number(environ, "PORT", 8000, 65_535),
        workers=_number(environ, "WEB_CONCURRENCY", min(os.cpu_count() or 1, MAX_WORKERS), 256),
        threads=_number(environ, "DATABASE_POOL_SIZE", THREADS, 256, minimum=0) or THREADS,
        worker_concurrency=_number(environ, "WORKER_CONCURRENCY", JOBS_AT_A_TIME, 256),
        demo=environ.get("DEMO", "on").lower() not in OFF,
        database_url=environ.get("DATABASE_URL") or None,
        redis_url=environ.get("REDIS_URL") or None,
    )


def _number(
    environ: Mapping[str, str], name: str, default: int, maximum: int, *, minimum: int = 1
) -> int:
    text = environ.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and minimum <= int(text) <= maximum):
        raise ServiceError(
            f"{name} must be a whole number from {minimum} to {maximum}, not “{text}”."
        )
    return int(text)


def local_place() -> Place:
    """The folder of this checkout's own services: `var/`, or STATE_DIR."""
    return Place(down.STATE)


def local_cluster(place: Place) -> Cluster:
    """The embedded PostgreSQL of this checkout."""
    return Cluster(place.folder / "postgres")


def local_valkey(place: Place) -> Valkey:
    """The embedded Valkey of this checkout."""
    return Valkey(place.folder / "valkey")


def complete(environ: Mapping[str, str], place: Place) -> dict[str, str]:
    """Add what nobody has set: the embedded database and queue, and a kept secret."""
    completed = dict(environ)
    if not completed.get("DATABASE_URL"):
        completed["DATABASE_URL"] = local_cluster(place).url()
    if not completed.get("REDIS_URL"):
        completed["REDIS_URL"] = local_valkey(place).url()
    if not completed.get("SECRET_KEY"):
        completed["SECRET_KEY"] = secret_key(_secret_path(place))
    return completed


def for_serving(environ: Mapping[str, str], place: Place, address: str) -> dict[str, str]:
    """The environment of the server: completed, and for a server without TLS before it."""
    defaults = {
        "SECURE_COOKIES": "off",  # browsers keep no secure cookie from plain HTTP
        "ERROR_REFERENCE_URL": f"{address}/errors",
        "CONSOLE_URL": address,
        "STATIC_ROOT": str(place.folder / "static"),
    }
    return defaults | complete(environ, place)


def adopt_local_services(environ: MutableMapping[str, str]) -> None:
    """Let a management command find what `make up` has made here; changes nothing before that."""
    place = local_place()
    if os.access(_secret_path(place), os.R_OK):
        environ.update(complete(environ, place))


def _secret_path(place: Place) -> Path:
    return place.folder / "secret-key"


def secret_key(path: Path) -> str:
    """The secret of this checkout, made at its first use and readable by its owner only."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(64) + "\n")
    return path.read_text().strip()


def accepted_host(environ: Mapping[str, str]) -> str:
    """A host name that the application answers to."""
    first = environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    return first if first not in ("", "*") else "localhost"
