"""What must be true before the application serves: a database, its schema, static files, demo."""

import hashlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
from environ import Env
from redis import Redis, RedisError

from config.redis import broker_url
from config.services import down
from config.services.errors import ServiceError
from config.services.programs import Program
from config.services.supervisor import Supervisor

MIN_SERVER_VERSION = 150_000
SECONDS_TO_CONNECT = 10
PARAMETERS = {
    "HOST": "host",
    "PORT": "port",
    "USER": "user",
    "PASSWORD": "password",
    "NAME": "dbname",
}


def check_database(url: str) -> None:
    """Refuse a database that cannot be used, in a sentence without its password.

    Raises:
        ServiceError: the address is none of PostgreSQL's, nobody answers, or the server is too old.
    """
    if not url.startswith(("postgres://", "postgresql://")):
        raise ServiceError("DATABASE_URL must be postgres://USER:PASSWORD@HOST:PORT/NAME.")
    try:
        parts = Env.db_url_config(url)  # as the settings read it
        named = {PARAMETERS[name]: parts[name] for name in PARAMETERS if parts[name]}
        options = {"connect_timeout": SECONDS_TO_CONNECT, **named, **parts.get("OPTIONS", {})}
        with psycopg.connect(**options) as connection:
            version = connection.info.server_version
    except (psycopg.Error, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ServiceError(f"The database of DATABASE_URL cannot be reached: {reason}") from error
    if version < MIN_SERVER_VERSION:
        raise ServiceError(
            f"DATABASE_URL leads to PostgreSQL {version // 10_000}; 15 or newer is needed."
        )


def check_valkey(url: str) -> None:
    """Refuse a REDIS_URL that cannot be used, in a sentence without its password.

    Raises:
        ServiceError: the address is of another kind, or nobody answers.
    """
    try:
        broker_url(url)
        with Redis.from_url(url, socket_connect_timeout=SECONDS_TO_CONNECT) as connection:
            connection.ping()
    except ValueError as error:
        raise ServiceError(str(error)) from error
    except RedisError as error:
        raise ServiceError(
            f"The server of REDIS_URL cannot be reached: {type(error).__name__}."
        ) from error


def migrate(supervisor: Supervisor, environment: Mapping[str, str]) -> None:
    """Bring the schema up to date."""
    supervisor.run(_manage("migrate", environment, "migrate", "--no-input"))


def scrub_storage(supervisor: Supervisor, environment: Mapping[str, str]) -> str:
    """Rewrite the database's files; returns what there is to say of each."""
    return supervisor.run(_manage("scrub", environment, "scrub_storage")).strip()


def collect_static(supervisor: Supervisor, environment: Mapping[str, str]) -> None:
    """Collect, hash and compress static files when one of them has changed."""
    root = Path(environment["STATIC_ROOT"])
    mark = root.with_name(f"{root.name}.digest")
    digest = _static_digest()
    if (root / "staticfiles.json").exists() and mark.exists() and mark.read_text() == digest:
        return
    supervisor.report("Collecting static files …")
    arguments = ("collectstatic", "--no-input", "--clear", "--verbosity=0")
    supervisor.run(_manage("static", environment, *arguments))
    mark.write_text(digest)


def load_demo(supervisor: Supervisor, environment: Mapping[str, str]) -> str:
    """Load the demo data once; returns its accounts and API key as text."""
    return supervisor.run(_manage("demo", environment, "load_demo")).strip()


def _manage(step: str, environment: Mapping[str, str], *arguments: str) -> Program:
    command = (sys.executable, "manage.py", *arguments)
    return Program(step, command, environment)


def _static_digest() -> str:
    """A digest of names, sizes and times of our static files, and of what packages may bring."""
    digest = hashlib.sha256(sys.version.encode())
    for path in (down.ROOT / "uv.lock", down.ROOT / "config" / "settings.py", *_static_files()):
        found = path.stat()
        digest.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _static_files() -> Iterator[Path]:
    rooms = sorted(path.parent for path in down.ROOT.glob("*/apps.py"))
    for folder in (down.ROOT / "static", *(room / "static" for room in rooms)):
        yield from sorted(path for path in folder.rglob("*") if path.is_file())
