"""Erasing bodies: the row goes, why and when stays (contract M7)."""

from collections.abc import Collection

from django.db import connection
from django.db.models import F

from database.arrays import array_literal
from database.transactions import step
from memory.models import BodyErasure, MemoryStore
from wire.ids import uuid_from_id
from wire.times import now

_ERASE = """
WITH gone AS (
    DELETE FROM memory_documentbody WHERE document_version_id = ANY(%s::uuid[])
    RETURNING document_version_id
)
INSERT INTO memory_bodyerasure (document_version_id, reason, erased_at, job_uuid)
SELECT document_version_id, %s, %s, %s FROM gone
"""


@step
def erase_bodies(
    *, documents: Collection[str], reason: BodyErasure.Reason, job_id: str | None = None
) -> int:
    """Erase the bodies of some document versions; those that are gone already stay as they are.

    Whoever calls it also calls `count_erasure` of their store, before the transaction ends.

    Args:
        documents: `mdoc_…`.
        job_id: the job whose report tells of it.

    Returns:
        how many bodies went.
    """
    ids = array_literal([uuid_from_id(document) for document in documents])
    job = uuid_from_id(job_id) if job_id else None
    with connection.cursor() as cursor:
        cursor.execute(_ERASE, [ids, reason, now(), job])
        return int(cursor.rowcount)


@step
def count_erasure(store_id: str) -> None:
    """Tell readers and writers under way that something of the store was erased (contract R5)."""
    MemoryStore.objects.filter(id=store_id).update(
        erasure_epoch=F("erasure_epoch") + 1, generation=F("generation") + 1
    )
