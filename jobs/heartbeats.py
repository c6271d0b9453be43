"""Whether anybody works: the sign of life that beat asks a worker for every ten seconds."""

import socket
from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from jobs.models import Heartbeat

SILENT_AFTER: Final = timedelta(seconds=45)
"""Several times the interval, and longer than a worker's slice of a job."""


def record() -> None:
    """Note that workers on this machine carry out messages now."""
    Heartbeat.objects.update_or_create(machine=socket.gethostname(), defaults={"at": Now()})


def forget() -> None:
    """Note that a worker on this machine has ended; another one here soon says otherwise."""
    Heartbeat.objects.filter(machine=socket.gethostname()).delete()


def is_anybody_working() -> bool:
    """Whether some worker gave a sign of life lately."""
    return Heartbeat.objects.filter(at__gt=Now() - SILENT_AFTER).exists()
