"""What the demo tells, put shortly, so that two loads can be compared."""

from typing import NamedTuple

from memory.models import MemoryStore
from memory.queries.versions import canonical_id, versions_of
from memory.refs import CANONICAL, current
from proposals.models import Proposal


class Story(NamedTuple):
    """A store: how many documents canonical holds, what led there, what was proposed."""

    name: str
    documents: int
    messages: list[str | None]
    proposals: list[tuple[str, str]]


def told() -> list[Story]:
    """All stores, in the order in which they were made."""
    return [_story(store) for store in MemoryStore.objects.order_by("id")]


def state_of(proposal: Proposal) -> str:
    """A Proposal's status, or `stale` for an open one that canonical has left."""
    is_stale = proposal.is_open and proposal.base_id != canonical_id(proposal.store_id)
    return "stale" if is_stale else proposal.status


def _story(store: MemoryStore) -> Story:
    proposals = Proposal.objects.filter(store=store).order_by("id")
    return Story(
        store.name,
        current(store.id, CANONICAL).document_count,
        [note_of(version) for version in versions_of(store.id)],
        [(proposal.title, state_of(proposal)) for proposal in proposals],
    )


def note_of(version: object) -> str | None:
    """A version's message, if it has one."""
    note = getattr(version, "note", None)
    return note.message if note else None
