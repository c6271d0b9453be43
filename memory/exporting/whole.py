"""A store's whole graph in one response, when it is small (contract E1).

Its `documents` hold a row for each path of each version, with the text in every one of them. What
that comes to is counted while the graph is read, each text once; nothing that is too large is
ever put together.
"""

from dataclasses import dataclass
from typing import Any, Final, TypedDict

from database.transactions import one_snapshot
from memory.access import StoreAccess
from memory.exporting.items import Item, ItemKind
from memory.exporting.manifests import Counts, count_items
from memory.exporting.pages import acquired
from memory.exporting.shapes import (
    AvailableBody,
    ErasedBody,
    ExportedDocument,
    ExportedRef,
    ExportedRevision,
)
from memory.exporting.walk import walk
from memory.publication import Acquired
from wire.errors import RangeTooLarge
from wire.rendering import dump_json
from wire.times import now

ITEMS_AHEAD: Final = 1_000


class ExportedRow(TypedDict):
    """What one revision holds at one path, with its text."""

    revision: str
    document: ExportedDocument
    provenance_sha256: str | None
    body: AvailableBody | ErasedBody


class WholeExportOut(TypedDict):
    """The whole portable state of a store."""

    store: str
    revisions: list[ExportedRevision]
    refs: list[ExportedRef]
    documents: list[ExportedRow]
    path_fences: list[str]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a whole export may come to.

    Attributes:
        items: of the graph: revisions, fences, document versions, revision entries and refs.
        normalized_bytes: of those items as canonical JSON, each text once.
        response_bytes: of the response, each text as often as versions hold it.
    """

    items: int = 10_000
    normalized_bytes: int = 8 * 1024 * 1024
    response_bytes: int = 8 * 1024 * 1024


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class WholeExport:
    """A whole export as the wire has it; `acquired` is for the publication recheck."""

    answer: WholeExportOut
    response_bytes: int
    acquired: Acquired


def whole_export(access: StoreAccess) -> WholeExport:
    """Read all of a store, in one snapshot.

    Raises:
        RangeTooLarge: it is past one of the `LIMITS`; the paged export takes it.
    """
    with one_snapshot():
        require_few(count_items(access.store_id))
        collected = _Collected(access.store_id)
        for item in walk(access.store_id, now(), ahead=ITEMS_AHEAD):
            collected.add(item)
    texts = acquired(access, collected.documents.values())
    return WholeExport(collected.answer, collected.response_bytes, texts)


def require_few(counts: Counts) -> None:
    """Raise RangeTooLarge when there are more items than a whole export may have."""
    if counts.total > LIMITS.items:
        raise _too_large("items", LIMITS.items)


class _Collected:
    """What has been read so far, measured in both of its forms."""

    def __init__(self, store_id: str) -> None:
        self.answer: WholeExportOut = {
            "store": store_id,
            "revisions": [],
            "refs": [],
            "documents": [],
            "path_fences": [],
        }
        self.documents: dict[str, Item] = {}
        self._row_bytes: dict[str, int] = {}
        self._normalized_bytes = 0
        self.response_bytes = len(dump_json(self.answer))

    def add(self, item: Item) -> None:
        """Take one more item in. Raises RangeTooLarge when it is one too many."""
        self._normalized_bytes += item.size()
        if self._normalized_bytes > LIMITS.normalized_bytes:
            raise _too_large("bytes of items", LIMITS.normalized_bytes)
        match item.kind:
            case ItemKind.REVISION:
                self._append(self.answer["revisions"], item.fields)
            case ItemKind.PATH_FENCE:
                self._append(self.answer["path_fences"], item.fields["path"])
            case ItemKind.DOCUMENT_VERSION:
                self.documents[item.fields["id"]] = item
            case ItemKind.REVISION_ENTRY:
                self._append_row(item)
            case ItemKind.REF:
                self._append(self.answer["refs"], item.fields)

    def _append_row(self, entry: Item) -> None:
        """What a revision holds at a path; rows of one document version are equally long."""
        document_id = entry.fields["document_version"]
        document = self.documents[document_id].fields
        row: ExportedRow = {
            "revision": entry.fields["revision"],
            "document": document["document"],
            "provenance_sha256": document["provenance_sha256"],
            "body": document["body"],
        }
        if document_id not in self._row_bytes:
            self._row_bytes[document_id] = len(dump_json(row))
        self._append(self.answer["documents"], row, self._row_bytes[document_id])

    def _append(self, rows: list[Any], row: Any, size: int | None = None) -> None:
        comma = 1 if rows else 0
        self.response_bytes += comma + (len(dump_json(row)) if size is None else size)
        if self.response_bytes > LIMITS.response_bytes:
            raise _too_large("bytes of the response", LIMITS.response_bytes)
        rows.append(row)


def _too_large(what: str, most: int) -> RangeTooLarge:
    return RangeTooLarge(
        f"A whole export holds at most {most:,} {what}; this store needs more."
        " Take it page by page from export-pages."
    )
