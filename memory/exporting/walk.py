"""All items of a store in the order of exports, from any place on (contract E2)."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.db.models import Case, Q, QuerySet, Value, When

from memory.exporting.documents import documents_behind
from memory.exporting.entries import entries_behind
from memory.exporting.items import (
    Item,
    ItemKind,
    Key,
    Place,
    fence_item,
    ref_item,
    revision_item,
)
from memory.models import MemoryVersion, PathFence, Ref, RefKind

REF_ORDER: Final = (RefKind.CANONICAL, RefKind.SESSION, RefKind.PROPOSAL, RefKind.CURATION)


def walk(
    store_id: str, as_of: datetime, *, behind: Place | None = None, ahead: int
) -> Iterator[Item]:
    """Yield a store's items in order; memory and time for some are the same wherever they stand.

    Nothing is asked of the database before it is needed, and never an OFFSET.

    Args:
        as_of: texts that had expired by then are exported as erased.
        behind: go on behind this place; None begins.
        ahead: about how many items are fetched together.
    """
    begun = behind is None
    for kind in ItemKind:
        here = behind is not None and behind.kind == kind
        begun = begun or here
        if begun:
            yield from _of_kind(
                kind, store_id, as_of, behind.key if behind and here else None, ahead
            )


def _of_kind(
    kind: ItemKind, store_id: str, as_of: datetime, key: Key | None, ahead: int
) -> Iterator[Item]:
    match kind:
        case ItemKind.REVISION:
            return _revisions(store_id, key, ahead)
        case ItemKind.PATH_FENCE:
            return _fences(store_id, key, ahead)
        case ItemKind.DOCUMENT_VERSION:
            return documents_behind(store_id, as_of, key, ahead)
        case ItemKind.REVISION_ENTRY:
            return entries_behind(store_id, key, ahead)
        case ItemKind.REF:
            return _refs(store_id, key, ahead)


def _revisions(store_id: str, key: Key | None, ahead: int) -> Iterator[Item]:
    """By depth, then ID: a version's parent is less deep than it is, so it comes first."""
    while found := list(_versions_behind(store_id, key)[:ahead]):
        for version in found:
            yield revision_item(version)
        key = (found[-1].depth, found[-1].id)


def _versions_behind(store_id: str, key: Key | None) -> QuerySet[MemoryVersion]:
    versions = MemoryVersion.objects.filter(store=store_id).order_by("depth", "id")
    if key is None:
        return versions
    depth, version_id = key
    # The first condition alone bounds the index scan.
    return versions.filter(Q(depth__gte=depth), Q(depth__gt=depth) | Q(id__gt=version_id))


def _fences(store_id: str, key: Key | None, ahead: int) -> Iterator[Item]:
    fences = PathFence.objects.filter(store=store_id).order_by("path")
    paths = fences.values_list("path", flat=True)
    after = key[0] if key else ""
    while found := list(paths.filter(path__gt=after)[:ahead]):
        for path in found:
            yield fence_item(path)
        after = found[-1]


def _refs(store_id: str, key: Key | None, ahead: int) -> Iterator[Item]:
    """Canonical, then Sessions', Proposals' and curation runs', each by its owner."""
    while found := list(_refs_behind(store_id, key)[:ahead]):
        for ref in found:
            yield ref_item(ref)
        key = (found[-1].kind, found[-1].owner_id)


def _refs_behind(store_id: str, key: Key | None) -> QuerySet[Ref]:
    place = Case(*(When(kind=kind, then=Value(at)) for at, kind in enumerate(REF_ORDER)))
    refs = Ref.objects.filter(store=store_id).annotate(place=place).order_by("place", "owner_uuid")
    if key is None:
        return refs
    kind, owner = key
    same: dict[str, Any] = {"kind": kind, "owner_uuid__gt": owner}
    later = Q(place__gt=REF_ORDER.index(RefKind(str(kind))))
    return refs.filter(later | Q(**same) if owner else later)
