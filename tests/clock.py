"""A clock that tests set: what the service takes for the current time."""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Self

import pytest

from wire import times


@dataclass
class Clock:
    """Stands still until it is moved on."""

    moment: datetime

    def move(self, **span: float) -> None:
        """Move on by days, hours, seconds …"""
        self.moment += timedelta(**span)


def stop_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Let the service's clock stand at the present."""
    stopped = Clock(times.now())

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            moment = stopped.moment.astimezone(tz)
            return cls.combine(moment.date(), moment.timetz())

    monkeypatch.setattr(times, "datetime", Stopped)
    return stopped
