"""A Session's log: events in one order, without holes (contract S4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from database.rows import insert_rows
from database.transactions import step
from sessions.models import Event, EventKind, Session
from wire.ids import new_id
from wire.times import now


@dataclass(frozen=True, slots=True)
class Entry:
    """What an event tells.

    Attributes:
        told: identifiers, hashes, counts and closed words; never a path or a text (X5).
        run_id, turn: what it happened in, if it did.
    """

    kind: EventKind
    told: Mapping[str, Any]
    run_id: str | None = None
    turn: str | None = None


@step
def append(session_id: str, entries: Sequence[Entry]) -> list[Event]:
    """Write events behind the last one.

    Others who append to the same Session wait until this transaction ends: call it late, and
    before anything that locks a store's row.
    """
    if not entries:
        return []
    sessions = Session.objects.filter(id=session_id)
    sessions.update(event_count=F("event_count") + len(entries))
    last = sessions.values_list("event_count", flat=True).get()
    events = [
        _event(session_id, position, entry)
        for position, entry in enumerate(entries, last - len(entries) + 1)
    ]
    insert_rows(events)
    return events


def _event(session_id: str, position: int, entry: Entry) -> Event:
    return Event(
        id=new_id("event"),
        session_id=session_id,
        position=position,
        kind=entry.kind,
        run_uuid=entry.run_id,
        turn=entry.turn,
        told=dict(entry.told),
        at=now(),
    )
