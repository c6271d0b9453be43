"""Where bodies are gone, told for whole versions and differences at once (contract M7, X1)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from database.arrays import array_literal
from memory.versions.ancestry import DESCENDS
from wire.ids import id_from_uuid, uuid_from_id
from wire.times import now

_GONE = """
SELECT {version}, count(*), array_agg(DISTINCT coalesce(e.reason, 'expired')),
       max(coalesce(e.erased_at, d.expires_at))
FROM {entries}
JOIN memory_documentversion d ON d.id = entry.id
LEFT JOIN memory_bodyerasure e ON e.document_version_id = d.id
WHERE (e.reason IS NOT NULL OR d.expires_at <= %(now)s) AND {wanted}
GROUP BY 1
"""
_GONE_OF_CHANGES = _GONE.format(
    version="c.version_id",
    entries="memory_versionchange c CROSS JOIN LATERAL (SELECT c.after_id) entry(id)",
    wanted="c.version_id = ANY(%(versions)s::uuid[])",
)
_GONE_OF_TREE = _GONE.format(
    version="t.version_id",
    entries="""memory_versiontree t
CROSS JOIN unnest(t.pages) page(id)
JOIN memory_treepage p ON p.id = page.id
CROSS JOIN unnest(p.document_versions) entry(id)""",
    wanted="t.version_id = ANY(%(versions)s::uuid[])",
)

_REDACTED = f"""
SELECT DISTINCT c.path
FROM memory_memoryversion tip
JOIN memory_versionchange c ON c.store_id = tip.store_id AND c.path = ANY(%(paths)s)
JOIN memory_memoryversion goal ON goal.id = c.version_id
WHERE tip.id = %(head)s
  AND goal.kind = 'redaction'
  AND goal.depth <= tip.depth
  AND {DESCENDS}
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class ErasedBodies:
    """How many bodies are gone, for which reasons, and when the last one went."""

    count: int
    reasons: tuple[str, ...]
    last_at: datetime


def erased_in_changes(version_ids: Collection[str]) -> dict[str, ErasedBodies]:
    """What is gone of the texts that each version wrote; versions without are left out."""
    return _ask(_GONE_OF_CHANGES, version_ids)


def erased_in_tree(version_id: str) -> ErasedBodies | None:
    """What is gone of the texts that a version's whole tree holds; None when nothing is."""
    return _ask(_GONE_OF_TREE, [version_id]).get(version_id)


def redacted_paths(head_id: str, paths: Collection[str]) -> set[str]:
    """Those of some paths that a redaction took out of the tree, on the way to a version.

    A difference shows them as deleted, which nobody did.
    """
    if not paths:
        return set()
    values: dict[str, Any] = {"head": uuid_from_id(head_id), "paths": array_literal(list(paths))}
    with connection.cursor() as cursor:
        cursor.execute(_REDACTED, values)
        return {row[0] for row in cursor.fetchall()}


def _ask(statement: str, version_ids: Collection[str]) -> dict[str, ErasedBodies]:
    values: dict[str, Any] = {
        "versions": array_literal([uuid_from_id(version_id) for version_id in version_ids]),
        "now": now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return {
            id_from_uuid("version", row[0]): ErasedBodies(row[1], tuple(row[2]), row[3])
            for row in cursor.fetchall()
        }
