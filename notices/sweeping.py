"""What beat has done every few seconds: entries and letters that nobody was woken for."""

from datetime import timedelta
from typing import Final

from notices.models import Letter, OutboxEntry
from wire.times import now

PATIENCE: Final = timedelta(seconds=30)
"""How long after a message was sent it counts as lost."""

AT_ONCE: Final = 500


def left_entries() -> list[int]:
    """Entries of the outbox whose message or worker was lost, the oldest first."""
    lost = OutboxEntry.objects.filter(at__lt=now() - PATIENCE).order_by("id")
    return list(lost.values_list("id", flat=True)[:AT_ONCE])


def due_letters() -> list[int]:
    """Letters that are due, or whose message or worker was lost, the oldest first."""
    moment = now()
    due = Letter.objects.filter(ended=None, due_at__lte=moment).exclude(
        attempts=0, due_at__gt=moment - PATIENCE
    )
    return list(due.order_by("due_at", "id").values_list("id", flat=True)[:AT_ONCE])
