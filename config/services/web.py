"""The web server: granian with the WSGI application, and the question whether it is ready."""

import errno
import http.client
import json
import socket
import sys
from collections.abc import Mapping

from config.services.environment import Options
from config.services.errors import ServiceError
from config.services.programs import Program

SECONDS_TO_ANSWER = 5
KILL_AFTER_SECONDS = 10
"""Time that a worker has to finish its requests when the server stops."""


def web_program(options: Options, environment: Mapping[str, str]) -> Program:
    """The server as a program for the supervisor.

    No access log: it would print query strings, and a document's path is customer text.
    """
    command = [
        *(sys.executable, "-m", "granian", "config.wsgi:application"),
        *("--interface", "wsgi", "--no-ws", "--no-access-log"),
        *("--host", options.bind, "--port", str(options.port)),
        *("--workers", str(options.workers), "--blocking-threads", str(options.threads)),
        *("--respawn-failed-workers", "--workers-kill-timeout", str(KILL_AFTER_SECONDS)),
    ]
    return Program("web", command, environment)


def check_port(options: Options) -> None:
    """Refuse a port that cannot be had.

    The server itself would print a backtrace, or share the port with another one silently.

    Raises:
        ServiceError: the port is taken, not allowed, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in options.bind else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((options.bind, options.port))
            probe.listen()
        except OSError as error:
            raise ServiceError(_why_not(options, error)) from error


def _why_not(options: Options, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {options.port} is taken by another program; choose one with PORT=…."
    if error.errno == errno.EACCES:
        return f"Port {options.port} needs more rights than yours; choose one with PORT=…."
    return f"{options.bind}:{options.port} cannot be listened on: {error.strerror or error}."


def is_ready(options: Options, host: str) -> bool:
    """Whether /readyz answers 200, asked as ``host``, a name that the application accepts."""
    return read_probe(options, host) is not None


def read_probe(options: Options, host: str) -> dict[str, str] | None:
    """The checks that /readyz tells of, asked as ``host``; None when it does not answer 200."""
    address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(options.bind, options.bind)  # noqa: S104
    connection = http.client.HTTPConnection(address, options.port, timeout=SECONDS_TO_ANSWER)
    try:
        connection.request("GET", "/readyz", headers={"Host": host})
        response = connection.getresponse()
        if response.status != http.HTTPStatus.OK:
            return None
        checks: dict[str, str] = json.loads(response.read())["checks"]
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return checks
