"""A chore: notices that were read and letters that ended long ago are cleared away."""

from datetime import timedelta
from typing import Final

from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from notices.models import Letter, Notice
from wire.times import now

KIND: Final = "notices.clear"
BATCH: Final = 1_000
READ_NOTICES: Final = timedelta(days=90)
ENDED_LETTERS: Final = timedelta(days=30)


def register() -> None:
    """Let it be done once a day."""
    register_kind(JobKind(KIND, clear, every=timedelta(days=1)))


def clear(work: Work) -> Progress:
    """Delete at most a thousand letters, then at most a thousand notices that have none."""
    moment = now()
    letters = Letter.objects.filter(ended_at__lt=moment - ENDED_LETTERS)
    notices = Notice.objects.filter(read_at__lt=moment - READ_NOTICES, letter=None)
    gone = 0
    for rows in (letters, notices):
        ids = list(rows.order_by("id").values_list("id", flat=True)[:BATCH])
        rows.model.objects.filter(id__in=ids).delete()
        gone += len(ids)
    done = work.done + gone
    return Progress(finished=gone == 0, done=done, result={"cleared": done})
