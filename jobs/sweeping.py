"""What beat has done every few seconds: chores that are due, and jobs that nobody was woken for."""

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from database.transactions import durable
from jobs.enqueueing import enqueue_chore
from jobs.leases import takeable
from jobs.models import LIVE, Job
from jobs.registry import JobKind, chores

PATIENCE: Final = timedelta(seconds=30)
"""How long after a message was sent it counts as lost, if nobody has taken the job."""

AT_ONCE: Final = 1_000


@durable
def overdue() -> list[str]:
    """Take note of jobs that should be offered again, oldest first; at most a thousand at once."""
    waiting = takeable().filter(offered_at__lt=Now() - PATIENCE)
    found = waiting.select_for_update(skip_locked=True).order_by("id")[:AT_ONCE]
    ids = list(found.values_list("id", flat=True))
    Job.objects.filter(id__in=ids).update(offered_at=Now())
    return ids


def enqueue_chores() -> None:
    """Enqueue each chore whose last one is done and long enough ago."""
    for kind in chores():
        if _is_due(kind):
            _enqueue(kind)


def _is_due(kind: JobKind) -> bool:
    assert kind.every
    mine = Job.objects.filter(kind=kind.name, workspace=None)
    recent = mine.filter(created_at__gt=Now() - kind.every)
    return not (recent.exists() or mine.filter(state__in=LIVE).exists())


@durable
def _enqueue(kind: JobKind) -> None:
    enqueue_chore(kind.name)
