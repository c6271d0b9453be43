"""Keep services running: start them one by one, restart what ends, stop all in reverse."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from config.services.errors import ServiceError
from config.services.programs import Place, Program, Running, start

MAX_RESTARTS = 5
RESTART_WINDOW = 60.0
"""Seconds in which more than MAX_RESTARTS restarts mean that something is broken."""

PAUSE = 0.2
"""Seconds between two looks at the programs."""


@dataclass(frozen=True)
class Service:
    """One program to keep running."""

    program: Program
    is_ready: Callable[[], bool]
    prepare: Callable[[], None] = lambda: None
    """Runs before each start, the one after a crash included."""
    patience: float = 120.0
    """Seconds that it may take to become ready."""


class Supervisor:
    """Runs services in the order in which they are started, and stops them in reverse."""

    def __init__(self, place: Place, report: Callable[[str], None]) -> None:
        """Keep logs and records in ``place``; tell ``report`` what happens, a sentence each."""
        self.place = place
        self.report = report
        self._running: dict[str, tuple[Service, Running]] = {}
        self._restarts: deque[float] = deque(maxlen=MAX_RESTARTS)

    def start(self, service: Service) -> None:
        """Start a service and wait until it is ready.

        Raises:
            ServiceError: it ended at once, or was not ready in time.
        """
        _wait_until_ready(service, self._launch(service))

    def run(self, program: Program) -> str:
        """Run a program to its end and return what it printed; its errors go to its log.

        Raises:
            ServiceError: it failed.
        """
        running = start(program, self.place, capture=True)
        try:
            output, _ = running.process.communicate()
        finally:
            running.stop()
        if running.process.returncode:
            raise ServiceError(f"“{program.name}” failed: {running.why()}")
        return output

    def watch(self) -> None:
        """Restart whatever ends, for ever.

        Raises:
            ServiceError: services end again and again.
        """
        while True:
            for service, running in list(self._running.values()):
                if running.process.poll() is not None:
                    self._restart(service, running)
            time.sleep(PAUSE)

    def stop(self) -> None:
        """Stop all services, the last started first."""
        while self._running:
            _, (_, running) = self._running.popitem()
            running.stop()

    def _launch(self, service: Service) -> Running:
        service.prepare()
        running = start(service.program, self.place)
        self._running[service.program.name] = service, running
        return running

    def _restart(self, service: Service, running: Running) -> None:
        name = service.program.name
        now = time.monotonic()
        if len(self._restarts) == MAX_RESTARTS and now - self._restarts[0] < RESTART_WINDOW:
            how = running.exit_reason()
            raise ServiceError(f"{name} ends again and again ({how}): {running.why()}")
        self._restarts.append(now)
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
        self.report(
            f"{when}: {name} ended unexpectedly ({running.exit_reason()}); starting it again."
        )
        running.stop()  # what is left of its group
        self._launch(service)  # without waiting: it may need another one that has ended as well


def _wait_until_ready(service: Service, running: Running) -> None:
    deadline = time.monotonic() + service.patience
    while not service.is_ready():
        if running.process.poll() is not None:
            how = f"{service.program.name} ended while it started ({running.exit_reason()})"
            raise ServiceError(f"{how}: {running.why()}")
        if time.monotonic() > deadline:
            raise ServiceError(
                f"{service.program.name} was not ready within {service.patience:.0f} seconds;"
                f" {running.log} may say why."
            )
        time.sleep(PAUSE / 4)
