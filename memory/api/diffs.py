"""/v1/memory-stores/{id}/diff: what differs between any two versions (contract R3, M8)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypedDict

from rest_framework.request import Request

from memory.access import StoreAccess, open_store
from memory.api.fields import DocumentPath, VersionId
from memory.api.publishing import Published, publish
from memory.api.trees import ErasureOut, render_erasure
from memory.diffs.lines import compare, count_lines, unified_text
from memory.documents.texts import MAX_TEXT_BYTES
from memory.publication import Acquired
from memory.queries.diffs import Sides, diff_digest, sides_of, tree_diff
from memory.queries.documents import Erasure
from memory.queries.versions import require_versions
from memory.trees.diffs import PathChange
from memory.trees.editing import TreeEntry
from memory.trees.hashing import spell_hash
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied
from wire.ids import id_from_uuid
from wire.operations import operation
from wire.paging import PagedQuery, decode_page, page_of
from wire.parsing import parse_path_id, parse_query
from wire.times import earliest

PAGE_LINES: Final = 2 * MAX_TEXT_BYTES
PAGE_BYTES: Final = 2 * 1024 * 1024
"""What the hunks of one answer may hold together; the two sides of one document always fit."""


class DiffParts(PagedQuery):
    """Which part of a difference to tell, and how much of it."""

    path: DocumentPath | None = None
    """Only what happened to this path."""
    hunks: Literal["true", "false"] = "false"
    """Whether to answer the changed lines too, as unified hunks."""


class DiffQuery(DiffParts):
    """Which versions to compare, and how much to say."""

    base: VersionId
    head: VersionId


class DiffSideOut(TypedDict):
    """A document on one side of a difference."""

    content_sha256: str
    media_type: str
    bytes: int
    erased: ErasureOut | None


class LineCountsOut(TypedDict):
    """Lines that a change adds and removes."""

    added: int
    removed: int


class UnifiedOut(TypedDict):
    """Changed lines in the unified format, and what did not fit into this answer."""

    text: str
    omitted_lines: int
    omitted_bytes: int


class ChangedPathOut(TypedDict):
    """What happened to one path. `lines` and `hunks` are null where a text was erased."""

    path: str
    old_path: str | None
    status: Literal["added", "modified", "deleted", "renamed"]
    before: DiffSideOut | None
    after: DiffSideOut | None
    lines: LineCountsOut | None
    hunks: UnifiedOut | None


class DiffTotalsOut(TypedDict):
    """How many paths met which fate."""

    added: int
    modified: int
    deleted: int
    renamed: int


class DiffPartOut(TypedDict):
    """One page of a difference; hash and totals are of the whole."""

    diff_hash: str
    totals: DiffTotalsOut
    data: list[ChangedPathOut]
    next_page: str | None


class DiffOut(DiffPartOut):
    """One page of what differs between two versions."""

    store: str
    base: str
    head: str


class DiffView(ApiView):
    versioned = True

    @operation(
        "memoryStores.diffMemoryVersions",
        summary="Compare two versions",
        query=DiffQuery,
        answers={200: DiffOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Any two versions of the store, on whatever refs, by the bytes of their paths.

        A document that was deleted here and added there with the same content was renamed.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, DiffQuery)
        access.require_content()
        require_versions(access.store_id, [query.base, query.head])
        return publish_diff(access, query.base, query.head, query)


def publish_diff(access: StoreAccess, base: str, head: str, parts: DiffParts) -> Published:
    """Answer the difference of two versions of a store that were checked to be its own."""
    position = decode_page(parts.page, str)
    part = diff_part(tree_diff(base, head), parts, after=position[0] if position else None)
    answer: DiffOut = {"store": access.store_id, "base": base, "head": head, **part.rendered}
    return publish(part.acquired(access), answer)


@dataclass(frozen=True, slots=True)
class DiffPart:
    """One page of a difference, and what it was made from."""

    changes: Sequence[PathChange]
    sides: Sequence[Sides]
    rendered: DiffPartOut

    def acquired(self, access: StoreAccess) -> Acquired:
        """The texts that it shows, for the publication recheck."""
        return acquire_diff(access, self.changes, self.sides)


def diff_part(
    changes: Sequence[PathChange], parts: DiffParts, *, after: str | None, pins: Sequence[str] = ()
) -> DiffPart:
    """Render the page of a difference that was asked for.

    Args:
        after: the last path of the page before.
        pins: what `next_page` carries along beside the last path shown.
    """
    left = [
        change for change in changes if change.path > (after or "") and _is_at(change, parts.path)
    ]
    shown, next_page = page_of(left, parts.limit, lambda change: (*pins, change.path))
    sides = sides_of(shown)
    rendered: DiffPartOut = {
        "diff_hash": spell_hash(diff_digest(changes)),
        "totals": _totals(changes),
        "data": list(render_changes(shown, sides, hunks=parts.hunks == "true")),
        "next_page": next_page,
    }
    return DiffPart(shown, sides, rendered)


def render_changes(
    changes: Sequence[PathChange], sides: Sequence[Sides], *, hunks: bool
) -> Iterator[ChangedPathOut]:
    """Changed paths, with as many of their lines as one answer may hold."""
    budget = _Budget(PAGE_LINES, PAGE_BYTES)
    for change, texts in zip(changes, sides, strict=True):
        erased = texts.before_erased or texts.after_erased
        old, new = texts.before or "", texts.after or ""
        yield {
            "path": change.path,
            "old_path": change.old_path,
            "status": change.status.value,
            "before": render_side(change.before, texts.before_erased),
            "after": render_side(change.after, texts.after_erased),
            "lines": None if erased else _count(old, new),
            "hunks": budget.unified(change, old, new) if hunks and not erased else None,
        }


def acquire_diff(
    access: StoreAccess, changes: Iterable[PathChange], sides: Iterable[Sides]
) -> Acquired:
    """The texts that a difference was made from, for the publication recheck."""
    pairs = list(zip(changes, sides, strict=True))
    read = [
        entry
        for change, texts in pairs
        for entry, text in ((change.before, texts.before), (change.after, texts.after))
        if entry is not None and text is not None
    ]
    return Acquired(
        access,
        bodies=[id_from_uuid("document", entry.document_version) for entry in read],
        expires_at=earliest(texts.expires_at for _, texts in pairs),
    )


class _Budget:
    """What the hunks of one answer may still hold."""

    def __init__(self, lines: int, size: int) -> None:
        self._lines = lines
        self._bytes = size

    def unified(self, change: PathChange, old: str, new: str) -> UnifiedOut:
        """Spell the changed lines of one path, as far as the budget goes."""
        diff = compare(old, new, max_lines=self._lines, max_bytes=self._bytes)
        text = unified_text(diff, _label("a", change.before), _label("b", change.after))
        self._lines -= sum(len(hunk.lines) for hunk in diff.hunks)
        self._bytes = max(0, self._bytes - len(text.encode()))
        return {
            "text": text,
            "omitted_lines": diff.omitted.lines,
            "omitted_bytes": diff.omitted.bytes,
        }


def _is_at(change: PathChange, path: str | None) -> bool:
    return path is None or path in {change.path, change.old_path}


def _label(side: str, entry: TreeEntry | None) -> str:
    return side + entry.path if entry else "/dev/null"


def _totals(changes: Iterable[PathChange]) -> DiffTotalsOut:
    counted = Counter(change.status.value for change in changes)
    return {
        "added": counted["added"],
        "modified": counted["modified"],
        "deleted": counted["deleted"],
        "renamed": counted["renamed"],
    }


def _count(old: str, new: str) -> LineCountsOut:
    counts = count_lines(old, new)
    return {"added": counts.added, "removed": counts.removed}


def render_side(entry: TreeEntry | None, erased: Erasure | None) -> DiffSideOut | None:
    """What a side holds; None where it holds nothing."""
    if entry is None:
        return None
    return {
        "content_sha256": spell_hash(entry.content_sha256),
        "media_type": entry.media_type,
        "bytes": entry.size,
        "erased": render_erasure(erased),
    }
