"""Differences between any two versions (contract R3).

Pages that both trees share are never loaded, so the cost is that of the difference.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from database.arrays import array_literal
from database.compiled import compiled
from memory.models import VersionTree
from memory.queries.documents import Erasure, erasure_of
from memory.trees import diffs as treediffs
from memory.trees.diffs import PathChange
from memory.trees.editing import TreeEntry
from memory.trees.hashing import diff_hash
from memory.trees.storage import load_pages
from wire.ids import id_from_uuid
from wire.times import earliest

_BODIES = """
SELECT d.id, b.text, d.expires_at, e.reason, e.erased_at
FROM memory_documentversion d
LEFT JOIN memory_documentbody b ON b.document_version_id = d.id
LEFT JOIN memory_bodyerasure e ON e.document_version_id = d.id
WHERE d.id = ANY(%s::uuid[])
"""


def tree_diff(base_id: str, head_id: str) -> tuple[PathChange, ...]:
    """What changed from one version's tree to another's, sorted by path bytes. Two queries."""
    trees = dict(_trees(base_id=base_id, head_id=head_id))
    base, head = set(trees[base_id]), set(trees[head_id])
    pages = load_pages(sorted(base ^ head))
    return treediffs.classify(
        treediffs.by_path(_entries(pages, base)), treediffs.by_path(_entries(pages, head))
    )


@compiled
def _trees(*, base_id: str, head_id: str) -> QuerySet[VersionTree, Any]:
    return VersionTree.objects.filter(version__in=[base_id, head_id]).values_list(
        "version", "pages"
    )


def _entries(pages: Mapping[int, Iterable[TreeEntry]], wanted: set[int]) -> Iterable[TreeEntry]:
    return (entry for page_id, page in pages.items() if page_id in wanted for entry in page)


def diff_digest(changes: Iterable[PathChange]) -> bytes:
    """The diff hash of some changes (contract M8)."""
    return diff_hash(treediffs.hashed_changes(changes))


@dataclass(frozen=True, slots=True)
class Sides:
    """The texts of one changed path. A side is None where there is no document.

    An erased side has no text and says why; it is not an empty document. `expires_at` is the
    earlier ceiling of the texts that are there.
    """

    before: str | None
    after: str | None
    before_erased: Erasure | None
    after_erased: Erasure | None
    expires_at: datetime | None = None


def sides_of(changes: Iterable[PathChange]) -> list[Sides]:
    """Load both texts of each change. One query for all of them."""
    wanted = list(changes)
    bodies = bodies_of(
        entry for change in wanted for entry in (change.before, change.after) if entry is not None
    )
    return [_sides(change, bodies) for change in wanted]


def body_ids(changes: Iterable[PathChange]) -> list[str]:
    """The document versions whose texts a diff shows, for the publication recheck."""
    return [
        id_from_uuid("document", entry.document_version)
        for change in changes
        for entry in (change.before, change.after)
        if entry is not None
    ]


class BodyState(NamedTuple):
    """What is left of a document version's text: the text, or why and since when it is gone.

    `expires_at` is the ceiling of a text that is there.
    """

    text: str | None = None
    erasure: Erasure | None = None
    expires_at: datetime | None = None


def bodies_of(entries: Iterable[TreeEntry]) -> dict[UUID, BodyState]:
    """The bodies of some entries by their document version. One query."""
    ids = array_literal([entry.document_version for entry in entries])
    with connection.cursor() as cursor:
        cursor.execute(_BODIES, [ids])
        return {row[0]: _body_of(*row[1:]) for row in cursor.fetchall()}


def _body_of(
    text: str | None, expires_at: datetime | None, reason: str | None, erased_at: datetime | None
) -> BodyState:
    gone = erasure_of(text, expires_at, reason, erased_at)
    return BodyState(erasure=gone) if gone else BodyState(text, None, expires_at)


def _sides(change: PathChange, bodies: Mapping[UUID, BodyState]) -> Sides:
    before, after = _body(change.before, bodies), _body(change.after, bodies)
    ceiling = earliest([before.expires_at, after.expires_at])
    return Sides(before.text, after.text, before.erasure, after.erasure, ceiling)


def _body(entry: TreeEntry | None, bodies: Mapping[UUID, BodyState]) -> BodyState:
    return bodies[entry.document_version] if entry else BodyState()
