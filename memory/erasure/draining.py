"""Draining a store that is being deleted: every row about it, in bounded batches (contract X2).

Texts go first, then what refers to others before what is referred to. A batch deletes at most
BATCH rows and says where the next one begins, so whoever does the next one need not be who did
the last.

When PostgreSQL deletes a row it looks for others that refer to it, through an index or through
the whole table. Of the references between the largest tables, those that no query follows have
neither an index nor a constraint: `DocumentVersion.introduced_by`, and `before` and `after` of
changes and movements. They are written once, together with or after what they name, and nothing
but this module deletes that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import connection

from database.append_only import allow_deleting
from database.arrays import array_literal
from database.transactions import step
from memory.erasure.erasers import erasers
from wire.ids import id_from_uuid, uuid_from_id

BATCH: Final = 2_000
"""Rows that one batch deletes at most."""

FIRST: Final = UUID(int=0)

_KEYS = "SELECT id FROM {table} WHERE store_id = %s AND id > %s ORDER BY id LIMIT %s"
_BY_KEYS = """
DELETE FROM {table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM {table} WHERE {column} = ANY(%s::uuid[]) LIMIT %s
))
"""
_BY_STORE = """
DELETE FROM {table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM {table} WHERE store_id = %s {condition} LIMIT %s
))
"""
_DETACH = """
UPDATE memory_idempotencyreceipt SET store_id = NULL
WHERE store_id = %s AND outcome->>'store' = %s
"""
_FORGET_IMPORT = "UPDATE memory_storeimport SET error = NULL WHERE store_id = %s"
_COUNT = """
SELECT 3 * (SELECT count(*) FROM memory_documentversion WHERE store_id = %(store)s)
     + 3 * (SELECT count(*) FROM memory_memoryversion WHERE store_id = %(store)s)
     + (SELECT count(*) FROM memory_versionchange WHERE store_id = %(store)s)
"""


@dataclass(frozen=True, slots=True)
class Drained:
    """What one batch of a part did.

    Attributes:
        rows: how many it deleted.
        after: what the next batch of the same part continues behind; None when it is done.
    """

    rows: int
    after: UUID | None = None


type Drain = Callable[[UUID, UUID], Drained]
"""(store, continue behind) → what one batch did."""


def _keyed(table: str, column: str, *, keys: str, at_once: int) -> Drain:
    """Delete the rows that belong to the store's documents or versions, in the order of these.

    It never looks again at what it has deleted, as a scan by store would with each batch.

    Args:
        keys: the table of what `column` names.
        at_once: how many of them a batch takes on.
    """

    def drain(store: UUID, after: UUID) -> Drained:
        with connection.cursor() as cursor:
            cursor.execute(_KEYS.format(table=keys), [store, after, at_once])
            found = [row[0] for row in cursor.fetchall()]
            statement = _BY_KEYS.format(table=table, column=column)
            cursor.execute(statement, [array_literal(found), BATCH])
            rows = cursor.rowcount
        if rows == BATCH:
            return Drained(rows, after)
        return Drained(rows, found[-1] if len(found) == at_once else None)

    return drain


def _by_store(table: str, condition: str = "") -> Drain:
    """Delete the rows of a table that is small, or that has to go in some order."""

    def drain(store: UUID, after: UUID) -> Drained:
        with connection.cursor() as cursor:
            cursor.execute(_BY_STORE.format(table=table, condition=condition), [store, BATCH])
            rows = cursor.rowcount
        return Drained(rows, after if rows == BATCH else None)

    return drain


def _higher_rooms(store: UUID, after: UUID) -> Drained:
    """Let each room above delete what it keeps about the store."""
    for eraser in erasers():
        rows = eraser.delete_rows(id_from_uuid("store", store), BATCH)
        if rows:
            return Drained(rows, after)
    return Drained(0)


def _of_documents(table: str, column: str) -> Drain:
    # One less than a whole batch, or every one would look as if there were more.
    return _keyed(table, column, keys="memory_documentversion", at_once=BATCH - 1)


def _of_versions(table: str) -> Drain:
    return _keyed(table, "version_id", keys="memory_memoryversion", at_once=500)


def _detach_creation(store: UUID, _after: UUID) -> Drained:
    """Keep the receipt that made the store, without it: a late retry finds it and makes no other.

    It holds identifiers, as every receipt does.
    """
    with connection.cursor() as cursor:
        cursor.execute(_DETACH, [store, id_from_uuid("store", store)])
    return Drained(0)


def _forget_import(store: UUID, _after: UUID) -> Drained:
    """Let go of what the store's import quoted of the export that it refused."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET_IMPORT, [store])
    return Drained(0)


PARTS: Final[Mapping[str, Drain]] = {
    "import": _forget_import,
    "import_pages": _by_store("memory_importpage"),
    "import_documents": _by_store("memory_importdocument"),
    "import_revisions": _by_store("memory_importrevision"),
    "bodies": _of_documents("memory_documentbody", "document_version_id"),
    "notes": _of_versions("memory_versionnote"),
    "tags": _by_store("memory_tag"),
    "rooms": _higher_rooms,
    "creation": _detach_creation,
    "receipts": _by_store("memory_idempotencyreceipt"),
    "refs": _by_store("memory_ref"),
    "movements": _by_store("memory_refmove"),
    "changes": _of_versions("memory_versionchange"),
    "trees": _of_versions("memory_versiontree"),
    "pages": _by_store("memory_treepage"),
    "erasures": _of_documents("memory_bodyerasure", "document_version_id"),
    "documents": _of_documents("memory_documentversion", "id"),
    "versions": _by_store("memory_memoryversion", "ORDER BY depth DESC"),
    "fences": _by_store("memory_pathfence"),
}
"""The parts of a store in the order in which they go. The names are told in the job's result."""


def count_rows(store_id: str) -> int:
    """About how many rows a store consists of: not every version has a note."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"store": uuid_from_id(store_id)})
        return int(cursor.fetchone()[0])


@step
def drain_batch(store_id: str, part: str, after: str | None) -> Drained:
    """Delete the next rows of one part of a store that is being deleted.

    Args:
        part: one of PARTS.
        after: where the batch before ended, in hexadecimal; None at the part's beginning.
    """
    store = uuid_from_id(store_id)
    allow_deleting(str(store))
    return PARTS[part](store, UUID(after) if after else FIRST)


def part_after(part: str) -> str | None:
    """The part that comes next; None behind the last."""
    names = [*PARTS, None]
    return names[names.index(part) + 1]
