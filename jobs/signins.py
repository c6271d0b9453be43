"""A chore: sign-in sessions that have expired are cleared away."""

from datetime import timedelta
from typing import Final

from django.contrib.sessions.models import Session

from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from wire.times import now

KIND: Final = "sign_ins.clear_expired"
BATCH: Final = 1_000


def register() -> None:
    """Let it be done once a day."""
    register_kind(JobKind(KIND, clear_expired, every=timedelta(days=1)))


def clear_expired(work: Work) -> Progress:
    """Delete at most a thousand expired sign-in sessions."""
    expired = Session.objects.filter(expire_date__lt=now()).order_by("expire_date")
    keys = list(expired.values_list("session_key", flat=True)[:BATCH])
    Session.objects.filter(session_key__in=keys).delete()
    done = work.done + len(keys)
    return Progress(finished=len(keys) < BATCH, done=done, total=None, result={"cleared": done})
