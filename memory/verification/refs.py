"""Refs: each is where the reflog's last movement left it, and movements follow one another."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import connection

from memory.models import Lifecycle, MemoryStore, Ref, RefKind
from memory.verification.findings import Finding
from wire.ids import id_from_uuid, uuid_from_id

_ELSEWHERE = """
SELECT ref.kind, ref.owner_uuid
FROM memory_ref ref JOIN memory_memoryversion version ON version.id = ref.version_id
WHERE ref.store_id = %(store)s AND version.store_id <> ref.store_id
"""
_BROKEN_MOVES = """
SELECT id FROM (
    SELECT id, before_id,
           lag(after_id) OVER (PARTITION BY kind, owner_uuid ORDER BY id) AS before_it
    FROM memory_refmove WHERE store_id = %(store)s
) move
WHERE before_id IS DISTINCT FROM before_it
"""
# One statement, so that a ref and its last movement are of one snapshot. A FULL JOIN needs plain
# equality, which canonical has with a made-up owner only.
_NOT_WHERE_MOVED = """
WITH last AS (
    SELECT DISTINCT ON (kind, owner_uuid) kind, owner_uuid, after_id
    FROM memory_refmove WHERE store_id = %(store)s
    ORDER BY kind, owner_uuid, id DESC
), ref AS (
    SELECT kind, owner_uuid, version_id FROM memory_ref WHERE store_id = %(store)s
)
SELECT coalesce(last.kind, ref.kind), coalesce(last.owner_uuid, ref.owner_uuid)
FROM last FULL JOIN ref
  ON ref.kind = last.kind
 AND coalesce(ref.owner_uuid, %(nobody)s) = coalesce(last.owner_uuid, %(nobody)s)
WHERE ref.version_id IS DISTINCT FROM last.after_id
"""
_NOBODY = uuid_from_id("0" * 32)


def check_refs(store_id: str) -> Iterator[Finding]:
    """Look at all refs and all movements of a store. Five queries."""
    for kind, owner in _run(_ELSEWHERE, store_id):
        yield Finding("ref_version", _spell(kind, owner))
    for kind, owner in _run(_NOT_WHERE_MOVED, store_id):
        yield Finding("ref_moved", _spell(kind, owner))
    for (move,) in _run(_BROKEN_MOVES, store_id):
        yield Finding("reflog_order", f"move_{move}")
    store = MemoryStore.objects.get(id=store_id)
    canonical = Ref.objects.filter(store=store, kind=RefKind.CANONICAL)
    if store.lifecycle != Lifecycle.PENDING and not canonical.exists():
        yield Finding("canonical_missing", store_id)


def _run(statement: str, store_id: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"store": uuid_from_id(store_id), "nobody": _NOBODY})
        return list(cursor.fetchall())


def _spell(kind: str, owner: UUID | None) -> str:
    return id_from_uuid(kind, owner) if owner else kind
