"""The native state of a Session: inputs, what they plan, rounds, calls. All of it goes (S7).

It holds no text, but tells who read and wrote what. Rounds that are entered are joined before:
whoever works in one finishes it, and finds that nothing is written in it any more.
"""

from typing import Any, Final

from django.db.models import QuerySet

from database.transactions import step
from sessions.models import InputMount, MemoryCall, Round, SessionInput

BATCH: Final = 500


@step
def drain_native(session_id: str) -> int:
    """Delete the next rows; returns how many, 0 when none is left."""
    for rows in _native(session_id):
        some = list(rows.values_list("id", flat=True)[:BATCH])
        if some:
            rows.model._default_manager.filter(id__in=some).delete()  # noqa: SLF001 (documented)
            return len(some)
    return 0


def is_native_left(session_id: str) -> bool:
    """Whether anything of it is found."""
    return any(rows.exists() for rows in _native(session_id))


def _native(session_id: str) -> tuple[QuerySet[Any], ...]:
    """What refers to others before what is referred to."""
    return (
        MemoryCall.objects.filter(round__input__session=session_id),
        Round.objects.filter(input__session=session_id),
        InputMount.objects.filter(input__session=session_id),
        SessionInput.objects.filter(session=session_id),
    )
