"""How much of whole versions can still be read, and until when (contract S3, X3)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from database.arrays import array_literal
from wire.ids import id_from_uuid, uuid_from_id
from wire.times import now

_AVAILABLE = """
SELECT t.version_id,
       count(*) FILTER (WHERE b.document_version_id IS NULL OR d.expires_at <= %(now)s),
       min(d.expires_at) FILTER (WHERE b.document_version_id IS NOT NULL AND d.expires_at > %(now)s)
FROM memory_versiontree t
CROSS JOIN unnest(t.pages) page(id)
JOIN memory_treepage p ON p.id = page.id
CROSS JOIN unnest(p.document_versions) entry(id)
LEFT JOIN memory_documentversion d ON d.id = entry.id
LEFT JOIN memory_documentbody b ON b.document_version_id = entry.id
WHERE t.version_id = ANY(%(versions)s::uuid[])
GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class Availability:
    """What a version's tree still has of its bodies.

    Attributes:
        gone: how many were erased, retired or have expired.
        expires_at: when the next one goes by itself; None when none will.
    """

    gone: int = 0
    expires_at: datetime | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the version is retained: it can be mounted by its ID."""
        return not self.gone


def availability_of(version_ids: Collection[str]) -> Mapping[str, Availability]:
    """The availability of some versions. One statement, which looks at every document of each."""
    found = dict.fromkeys(version_ids, Availability())
    if not found:
        return found
    values: dict[str, Any] = {
        "versions": array_literal([uuid_from_id(version) for version in found]),
        "now": now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(_AVAILABLE, values)
        rows = cursor.fetchall()
    return found | {id_from_uuid("version", row[0]): Availability(row[1], row[2]) for row in rows}
