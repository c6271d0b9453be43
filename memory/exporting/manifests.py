"""The manifest: what an export holds, the same on each of its pages (contract E2)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypedDict

from django.db import connection

from wire.ids import uuid_from_id
from wire.times import render_time

_COUNTS = """
SELECT (SELECT count(*) FROM memory_memoryversion WHERE store_id = %(store)s),
       (SELECT count(*) FROM memory_documentversion WHERE store_id = %(store)s),
       (SELECT coalesce(sum(document_count), 0)::bigint
        FROM memory_memoryversion WHERE store_id = %(store)s),
       (SELECT count(*) FROM memory_ref WHERE store_id = %(store)s),
       (SELECT count(*) FROM memory_pathfence WHERE store_id = %(store)s)
"""
_ENDS_AT = """
SELECT min(d.expires_at)
FROM memory_documentversion d
JOIN memory_documentbody b ON b.document_version_id = d.id
WHERE d.store_id = %(store)s AND d.expires_at > %(as_of)s
"""
_GENERATION = "SELECT generation FROM memory_memorystore WHERE id = %s"


class WholeStore(TypedDict):
    """How much of a store an export holds: all of it."""

    kind: Literal["container"]


class ManifestOut(TypedDict):
    """What an export holds; equal on each page."""

    format: Literal["checkfu.memory-store-export"]
    version: Literal[2]
    source_store: str
    scope: WholeStore
    generation: int
    as_of: str
    revision_count: int
    document_version_count: int
    revision_entry_count: int
    ref_count: int
    path_fence_count: int


class Counts(NamedTuple):
    """How many items of each kind there are."""

    revisions: int
    document_versions: int
    revision_entries: int
    refs: int
    path_fences: int

    @property
    def total(self) -> int:
        """How many items there are of all kinds."""
        return sum(self)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a store's graph holds at one generation.

    Attributes:
        as_of: the retention instant: texts that had expired by then are exported as erased.
        ends_at: when the first of the texts that are included expires.
    """

    store_id: str
    generation: int
    as_of: datetime
    ends_at: datetime | None
    counts: Counts

    def rendered(self) -> ManifestOut:
        """The manifest as each page has it."""
        return {
            "format": "checkfu.memory-store-export",
            "version": 2,
            "source_store": self.store_id,
            "scope": {"kind": "container"},
            "generation": self.generation,
            "as_of": render_time(self.as_of),
            "revision_count": self.counts.revisions,
            "document_version_count": self.counts.document_versions,
            "revision_entry_count": self.counts.revision_entries,
            "ref_count": self.counts.refs,
            "path_fence_count": self.counts.path_fences,
        }


def take_manifest(store_id: str, as_of: datetime) -> Manifest:
    """Say what a store holds. Call it in the snapshot that is exported."""
    with connection.cursor() as cursor:
        cursor.execute(_ENDS_AT, {"store": uuid_from_id(store_id), "as_of": as_of})
        (ends_at,) = cursor.fetchone()
    return Manifest(store_id, generation_of(store_id), as_of, ends_at, count_items(store_id))


def count_items(store_id: str) -> Counts:
    """Count what a store holds. One statement, over indexes."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, {"store": uuid_from_id(store_id)})
        return Counts(*cursor.fetchone())


def generation_of(store_id: str) -> int:
    """A store's generation in the snapshot that is read."""
    with connection.cursor() as cursor:
        cursor.execute(_GENERATION, [uuid_from_id(store_id)])
        return int(cursor.fetchone()[0])
