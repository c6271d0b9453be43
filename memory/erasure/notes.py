"""Erasing the words beside versions (contract X1).

Of messages it stays told that there were some. Tags go whole: without its name one is nothing.
"""

from collections.abc import Iterable
from itertools import batched
from typing import Final

from database.transactions import step
from memory.models import Tag, VersionNote
from wire.times import now

AT_ONCE: Final = 10_000
"""Versions that one statement names: the protocol ends at 65,535, and histories do not."""


@step
def erase_messages(versions: Iterable[str]) -> int:
    """Blank the messages of some versions. Returns how many had one."""
    return sum(_erase(some) for some in batched(versions, AT_ONCE))


def _erase(versions: Iterable[str]) -> int:
    notes = VersionNote.objects.filter(version__in=versions, message__isnull=False)
    return notes.update(message=None, erased_at=now())


@step
def erase_tags(versions: Iterable[str]) -> int:
    """Delete the tags of some versions. Returns how many there were."""
    return sum(
        Tag.objects.filter(version__in=some).delete()[0] for some in batched(versions, AT_ONCE)
    )
