"""One bounded page of a paged export (contract E2, E3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypedDict

from database.transactions import one_snapshot
from memory.access import StoreAccess
from memory.exporting.cursors import Cursor, read_cursor, write_cursor
from memory.exporting.items import Item
from memory.exporting.manifests import Manifest, ManifestOut, generation_of, take_manifest
from memory.exporting.walk import walk
from memory.publication import Acquired
from wire.times import earliest, now

MAX_PAGE_ITEMS: Final = 200
MAX_PAGE_BYTES: Final = 1024 * 1024
"""Of the items of a page as canonical JSON (contract E2)."""


class PageOut[T](TypedDict):
    """Some items of a store's graph, and how to ask for the next."""

    manifest: ManifestOut
    page_ordinal: int
    items: list[T]
    item_bytes: int
    next_page: str | None


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A page as the wire has it; `acquired` is for the publication recheck.

    Attributes:
        sent: how many items all pages up to this one hold.
    """

    answer: PageOut[dict[str, Any]]
    acquired: Acquired
    sent: int
    manifest: Manifest


def export_page(
    access: StoreAccess, *, limit: int = MAX_PAGE_ITEMS, page: str | None
) -> ExportPage:
    """Read one page of a store's export, all of it in one snapshot.

    Args:
        limit: how many items at most; never more than `MAX_PAGE_ITEMS`.
        page: the `next_page` of the page before; None begins a new export.

    Raises:
        Malformed: `page` is none that an export of this store gave.
        Conflict: the store has changed since, or a text of the export has expired.
    """
    cursor = _cursor(access, page) if page is not None else None
    as_of, behind = (cursor.manifest.as_of, cursor.behind) if cursor else (now(), None)
    limit = min(limit, MAX_PAGE_ITEMS)
    with one_snapshot():
        items = walk(access.store_id, as_of, behind=behind, ahead=limit)
        taken, size = _take(items, limit)
        manifest = _manifest(access, as_of, cursor)
    return _page(access, manifest, cursor, taken, size)


def _cursor(access: StoreAccess, page: str) -> Cursor:
    cursor = read_cursor(access, page)
    cursor.require_current(access.store.generation)
    return cursor


def _manifest(access: StoreAccess, as_of: datetime, cursor: Cursor | None) -> Manifest:
    """What the first page counted, as long as the snapshot at hand still is of its generation."""
    if cursor is None:
        return take_manifest(access.store_id, as_of)
    cursor.require_current(generation_of(access.store_id))
    return cursor.manifest


def _take(items: Iterable[Item], limit: int) -> tuple[list[Item], int]:
    """The items that fit on a page, and their bytes. Any one does: provenance is bounded for it."""
    taken: list[Item] = []
    total = 0
    for item in items:
        size = item.size()
        if total + size > MAX_PAGE_BYTES:
            break
        taken.append(item)
        total += size
        if len(taken) == limit:
            break
    return taken, total


def _page(
    access: StoreAccess,
    manifest: Manifest,
    cursor: Cursor | None,
    taken: Sequence[Item],
    size: int,
) -> ExportPage:
    ordinal = cursor.page_ordinal if cursor else 0
    sent = (cursor.sent if cursor else 0) + len(taken)
    more = sent < manifest.counts.total
    following = Cursor(manifest, ordinal + 1, sent, taken[-1].place) if more else None
    answer: PageOut[dict[str, Any]] = {
        "manifest": manifest.rendered(),
        "page_ordinal": ordinal,
        "items": [item.rendered() for item in taken],
        "item_bytes": size,
        "next_page": write_cursor(access, following) if following else None,
    }
    return ExportPage(answer, acquired(access, taken), sent, manifest)


def acquired(access: StoreAccess, items: Iterable[Item]) -> Acquired:
    """The texts that some items hold, for the publication recheck."""
    living = [item for item in items if item.document_id]
    return Acquired(
        access,
        bodies=[item.document_id for item in living if item.document_id],
        expires_at=earliest(item.expires_at for item in living),
    )
