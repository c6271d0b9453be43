"""Document versions of a store in the order of their IDs, with the texts that are still there."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from memory.exporting.items import Item, Key, StoredDocument, document_item
from wire.ids import uuid_from_id

BYTES_AHEAD: Final = 1024 * 1024
"""Texts are fetched until they are about as long as a page may be, and no further."""

_BEHIND = """
SELECT id, path, content_sha256, media_type, bytes, provenance_sha256, expires_at,
       text, provenance
FROM (
    SELECT d.id, d.path, d.content_sha256, d.media_type, d.bytes, d.provenance_sha256,
           d.expires_at, b.text, b.provenance, size.of_body,
           sum(size.of_body) OVER (ORDER BY d.id) AS running
    FROM memory_documentversion d
    LEFT JOIN memory_documentbody b
           ON b.document_version_id = d.id
          AND (d.expires_at IS NULL OR d.expires_at > %(as_of)s)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN b.document_version_id IS NULL THEN 0
               ELSE d.bytes + coalesce(octet_length(b.provenance::text), 0) END
    ) AS size (of_body)
    WHERE d.store_id = %(store)s AND d.id > %(after)s
    ORDER BY d.id LIMIT %(limit)s
) AS behind
WHERE running - of_body < %(bytes)s
ORDER BY id
"""


def documents_behind(store_id: str, as_of: datetime, key: Key | None, ahead: int) -> Iterator[Item]:
    """The document versions behind one, by ID.

    Args:
        as_of: texts that had expired by then are left out.
        ahead: how many are fetched together at most; fewer where texts are long.
    """
    after = uuid_from_id(str(key[0])) if key else UUID(int=0)
    while rows := _rows(store_id, as_of, after, ahead):
        for row in rows:
            yield document_item(StoredDocument(*row))
        after = rows[-1][0]


def _rows(store_id: str, as_of: datetime, after: UUID, limit: int) -> list[tuple[Any, ...]]:
    values: dict[str, Any] = {
        "store": uuid_from_id(store_id),
        "as_of": as_of,
        "after": after,
        "limit": limit,
        "bytes": BYTES_AHEAD,
    }
    with connection.cursor() as cursor:
        cursor.execute(_BEHIND, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
