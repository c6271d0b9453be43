"""Erasing messages: the words beside versions go, that there were some stays (contract X1)."""

from collections.abc import Collection

from database.transactions import step
from memory.models import VersionNote
from wire.times import now


@step
def erase_messages(versions: Collection[str]) -> int:
    """Blank the messages of some versions. Returns how many had one."""
    notes = VersionNote.objects.filter(version__in=list(versions), message__isnull=False)
    return notes.update(message=None, erased_at=now())
