"""`make up` and `make start`: everything that the server of this checkout needs, in order."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO

from config.services import down, environment, setup, web, worker
from config.services.environment import Options
from config.services.errors import ServiceError
from config.services.programs import Place
from config.services.supervisor import Service, Supervisor

READY = b"ready"
INTERRUPTED = 130
PATIENCE = 180.0
"""Seconds to wait for another start or stop of this checkout that is under way."""


class Stopped(BaseException):
    """Somebody asked for the end: Ctrl-C, `make down`, or a terminal that closed."""


def up(on_ready: Callable[[Place], None]) -> int:
    """Serve until somebody asks for the end; call ``on_ready`` once /readyz answers.

    Returns:
        The exit status: 0, also when this checkout's server runs already.

    Raises:
        ServiceError: with the reason for a person.
    """
    _on_signals(_raise_stopped)
    options = environment.read_options(os.environ)
    place = environment.local_place()
    place.make()
    with (place.run / "lock").open("w") as lock:
        if _take(lock, unless=partial(_confirm, place, options)):
            _serve(place, options, on_ready)
    return 0


def start_in_background() -> int:
    """Serve in a process of its own; return once /readyz answers, or with the reason why not."""
    receiver, sender = os.pipe()
    command = [sys.executable, "-m", "config.services", "up", str(sender)]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, pass_fds=[sender], start_new_session=True
    )
    os.close(sender)
    with os.fdopen(receiver, "rb") as pipe:
        try:
            ready = pipe.read() == READY
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            return INTERRUPTED
    return 0 if ready else process.wait()


def scrub() -> int:
    """Rewrite the database's files while nothing else of this checkout runs (contract X4).

    Raises:
        ServiceError: it runs, or the rewriting was refused; with the reason for a person.
    """
    _on_signals(_raise_stopped)
    options = environment.read_options(os.environ)
    place = environment.local_place()
    place.make()
    with (place.run / "lock").open("w") as lock:
        if not _try_to_take(lock):
            raise ServiceError("This checkout's server runs; make down stops it.")
        down.stop_all(place.run)
        supervisor = Supervisor(place, report=down.say)
        try:
            settings = environment.for_serving(os.environ, place, options.address)
            if not options.database_url:
                _start_postgres(supervisor)
            setup.check_database(settings["DATABASE_URL"])
            supervisor.report("Rewriting the database's files …")
            supervisor.report(setup.scrub_storage(supervisor, settings))
        finally:
            supervisor.stop()
    return 0


def stay(_place: Place) -> None:
    """Stay in the foreground."""
    down.say("Ctrl-C stops it, too.")


def leave_terminal(sender: int, place: Place) -> None:
    """Tell the starter that all is ready; from now on, what there is to say goes to a log."""
    with (place.log / "supervisor.log").open("ab") as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    os.write(sender, READY)
    os.close(sender)


def _serve(place: Place, options: Options, on_ready: Callable[[Place], None]) -> None:
    _announcement(place).unlink(missing_ok=True)
    down.stop_all(place.run)  # what a killed supervisor left behind
    supervisor = Supervisor(place, report=down.say)
    record = down.write_record(place.run, down.SUPERVISOR, os.getpid())
    try:
        settings = environment.for_serving(os.environ, place, options.address)
        demo = _start_all(supervisor, options, settings)
        _announce(place, options, demo)
        on_ready(place)
        supervisor.watch()
    except Stopped:
        supervisor.report("Stopping …")
    finally:
        _on_signals(signal.SIG_IGN)
        _announcement(place).unlink(missing_ok=True)
        supervisor.stop()
        record.path.unlink(missing_ok=True)


def _start_all(supervisor: Supervisor, options: Options, settings: Mapping[str, str]) -> str:
    """Start what the application stands on, prepare that, start the application.

    A service that the application needs belongs before the preparation, one that needs the
    application after it.

    Returns:
        What the demo has to say: its accounts and its API key.
    """
    web.check_port(options)
    if not options.database_url:
        _start_postgres(supervisor)
    if not options.redis_url:
        _start_valkey(supervisor)
    setup.check_database(settings["DATABASE_URL"])
    setup.check_valkey(settings["REDIS_URL"])
    setup.migrate(supervisor, settings)
    setup.collect_static(supervisor, settings)
    demo = setup.load_demo(supervisor, settings) if options.demo else ""
    _start_web(supervisor, options, settings)
    _start_worker(supervisor, options, settings)
    return demo


def _start_postgres(supervisor: Supervisor) -> None:
    cluster = environment.local_cluster(supervisor.place)
    supervisor.report(f"Starting PostgreSQL on {cluster.data} …")
    supervisor.start(Service(cluster.program(), cluster.is_ready, cluster.prepare))
    cluster.create_database()


def _start_valkey(supervisor: Supervisor) -> None:
    valkey = environment.local_valkey(supervisor.place)
    supervisor.report(f"Starting Valkey on {valkey.data} …")
    supervisor.start(Service(valkey.program(), valkey.is_ready, valkey.prepare))


def _start_web(supervisor: Supervisor, options: Options, settings: Mapping[str, str]) -> None:
    supervisor.report("Starting the web server …")
    is_ready = partial(web.is_ready, options, environment.accepted_host(settings))
    supervisor.start(Service(web.web_program(options, settings), is_ready))


def _start_worker(supervisor: Supervisor, options: Options, settings: Mapping[str, str]) -> None:
    supervisor.report("Starting the worker …")
    is_ready = partial(worker.is_ready, options, environment.accepted_host(settings))
    supervisor.start(Service(worker.worker_program(options, settings), is_ready))


def _take(lock: IO[str], unless: Callable[[], bool]) -> bool:
    """Take the checkout's lock, waiting for a start or a stop that is under way.

    Returns:
        False, without the lock, as soon as ``unless`` holds.
    """
    deadline = time.monotonic() + PATIENCE
    while not _try_to_take(lock):
        if unless():
            return False
        if time.monotonic() > deadline:
            raise ServiceError("This checkout's server neither answers nor ends; see make logs.")
        time.sleep(0.1)
    return True


def _try_to_take(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _announcement(place: Place) -> Path:
    return place.run / "announcement"


def _where(options: Options) -> str:
    return f"Checkfu Memory runs at {options.address}"


def _announce(place: Place, options: Options, demo: str) -> None:
    parts = [_where(options), demo, "make logs follows it, make down stops it."]
    text = "\n\n".join(part for part in parts if part)
    path = _announcement(place)
    unfinished = path.with_suffix(".unfinished")
    unfinished.touch(mode=0o600)  # it names the demo's API key
    unfinished.write_text(text)
    unfinished.rename(path)
    down.say(f"\n{text}\n")


def _confirm(place: Place, options: Options) -> bool:
    """Say where the server is that runs already; False while none is ready.

    Raises:
        ServiceError: it runs at another address.
    """
    try:
        text = _announcement(place).read_text()
    except FileNotFoundError:
        return False
    where = text.partition("\n")[0]
    if where != _where(options):
        raise ServiceError(f"{where} already; make down stops it.")
    ready = web.is_ready(options, environment.accepted_host(os.environ))
    if ready:
        down.say(f"\n{text}\n")
    return ready


def _on_signals(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    # Set them all: a process that is started in the background inherits an ignored SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def _raise_stopped(_number: int, _frame: FrameType | None) -> None:
    raise Stopped
