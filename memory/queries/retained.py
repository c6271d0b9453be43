"""Which versions can still be read whole (contract S3)."""

from collections.abc import Collection

from django.db import connection

from database.arrays import array_literal
from wire.ids import id_from_uuid, uuid_from_id
from wire.times import now

_RETAINED = """
SELECT v.store_id, v.id
FROM memory_memoryversion v
JOIN memory_versiontree t ON t.version_id = v.id
WHERE v.id = ANY(%s::uuid[])
  AND NOT EXISTS (
      SELECT FROM memory_treepage p
      CROSS JOIN LATERAL unnest(p.document_versions) AS held(id)
      LEFT JOIN memory_documentbody b ON b.document_version_id = held.id
      LEFT JOIN memory_documentversion d ON d.id = held.id
      WHERE p.id = ANY(t.pages)
        AND (b.document_version_id IS NULL OR d.expires_at <= %s)
  )
"""


def retained_versions(version_ids: Collection[str]) -> set[tuple[str, str]]:
    """The versions among some of which every body is there, each behind its store's ID.

    Whatever was erased, retired or has expired of a version's tree ends it. One statement, which
    looks at every document of each.
    """
    if not version_ids:
        return set()
    wanted = array_literal([uuid_from_id(version) for version in version_ids])
    with connection.cursor() as cursor:
        cursor.execute(_RETAINED, [wanted, now()])
        rows = cursor.fetchall()
    return {(id_from_uuid("store", store), id_from_uuid("version", it)) for store, it in rows}
