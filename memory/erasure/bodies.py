"""Erasing bodies: the row goes, why and when stays (contract M7)."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection
from django.db.models import F

from database.arrays import array_literal
from database.transactions import step
from memory.models import BodyErasure, MemoryStore
from wire.ids import uuid_from_id
from wire.times import now

_ERASE = """
WITH gone AS (
    DELETE FROM memory_documentbody WHERE document_version_id = ANY(%(ids)s::uuid[])
    RETURNING document_version_id
)
INSERT INTO memory_bodyerasure (document_version_id, reason, erased_at, job_uuid)
SELECT d.id,
       CASE WHEN d.expires_at <= %(now)s THEN 'expired' ELSE %(reason)s END,
       least(d.expires_at, %(now)s),
       %(job)s
FROM gone JOIN memory_documentversion d ON d.id = gone.document_version_id
"""

_ERASE_AT = """
WITH gone AS (
    DELETE FROM memory_documentbody b USING memory_documentversion d
    WHERE d.id = b.document_version_id AND d.store_id = %(store)s AND d.path = ANY(%(paths)s)
    RETURNING d.id, d.content_sha256, d.expires_at
), told AS (
    INSERT INTO memory_bodyerasure (document_version_id, reason, erased_at, job_uuid)
    SELECT id,
           CASE WHEN expires_at <= %(now)s THEN 'expired' ELSE 'redacted' END,
           least(expires_at, %(now)s),
           %(job)s
    FROM gone
)
SELECT count(DISTINCT content_sha256) FROM gone
"""


@step
def erase_bodies(
    *, documents: Collection[str], reason: BodyErasure.Reason, job_id: str | None = None
) -> int:
    """Erase the bodies of some document versions; those that are gone already stay as they are.

    Whoever calls it also calls `count_erasure` of their store, before the transaction ends. Of a
    body whose ceiling had passed it stays told that it expired then, as every read said since.

    Args:
        documents: `mdoc_…`.
        job_id: the job whose report tells of it.

    Returns:
        how many bodies went.
    """
    values: dict[str, Any] = {
        "ids": array_literal([uuid_from_id(document) for document in documents]),
        "reason": reason,
        "now": now(),
        "job": uuid_from_id(job_id) if job_id else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(_ERASE, values)
        return int(cursor.rowcount)


@step
def erase_bodies_at(*, store_id: str, paths: Sequence[str], job_id: str) -> int:
    """Redact the bodies at some paths of a store, in every version. One statement.

    Whoever calls it also calls `count_erasure`, before the transaction ends. What had expired
    stays told so, as `erase_bodies` says.

    Returns:
        how many distinct contents went.
    """
    values: dict[str, Any] = {
        "store": uuid_from_id(store_id),
        "paths": array_literal(paths),
        "now": now(),
        "job": uuid_from_id(job_id),
    }
    with connection.cursor() as cursor:
        cursor.execute(_ERASE_AT, values)
        return int(cursor.fetchone()[0])


@step
def count_erasure(store_id: str) -> None:
    """Tell readers and writers under way that something of the store was erased (contract R5)."""
    MemoryStore.objects.filter(id=store_id).update(
        erasure_epoch=F("erasure_epoch") + 1, generation=F("generation") + 1
    )
