"""What a store's first page tells beside its documents: who works on it, and where."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from console.history.activity import activity_of
from console.naming import Named, Names
from console.versions import known_versions
from memory.access import StoreAccess, open_store
from memory.publication import Acquired
from memory.queries.documents import ListedDocument
from memory.queries.refs import refs_of
from proposals.publication import words_held
from proposals.queries.heads import open_proposals
from tenancy.models import AuditEntry
from tenancy.queries import last_entry
from wire.errors import NotFound, PolicyDenied

SHOWN: Final = 6
"""Refs and open Proposals that the page names."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a fork came from; neither is told to who may not read the source."""

    store_id: str | None
    version_id: str | None
    name: str | None


def overview_of(access: StoreAccess) -> tuple[dict[str, Any], Acquired]:
    """Activity, refs and open Proposals of a store, and what a page holds of them."""
    proposals = list(open_proposals(access.store_id)[: SHOWN + 1])
    refs = list(refs_of(access.store_id)[: SHOWN + 1])
    told = {
        "activity": activity_of(access.store_id),
        "open_proposals": proposals[:SHOWN],
        "more_proposals": len(proposals) > SHOWN,
        "refs": refs[:SHOWN],
        "more_refs": len(refs) > SHOWN,
        "origin": origin_of(access),
    }
    return told, Acquired(access, held=[words_held(proposals[:SHOWN])])


def origin_of(access: StoreAccess) -> Origin | None:
    """The store and version that a store was forked from; None for one that was not."""
    entry = last_entry("store.forked", access.store_id)
    if entry is None:
        return None
    try:
        source = open_store(access.caller, entry.detail["source_store"])
        source.require_content()
    except (NotFound, PolicyDenied):
        return Origin(None, None, None)
    return _told(source, entry)


def _told(source: StoreAccess, entry: AuditEntry) -> Origin:
    return Origin(source.store_id, entry.detail["source_version"], source.store.name)


def writers_of(access: StoreAccess, documents: Iterable[ListedDocument]) -> dict[str, Named]:
    """Version → who sealed it, of the versions that wrote some documents."""
    found = known_versions(document.introduced_by for document in documents).values()
    names = Names(access.caller.workspace_id, [(one.actor_kind, one.actor_uuid) for one in found])
    return {version.id: names.actor(version) for version in found}
