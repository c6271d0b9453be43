"""Versions that touched a path, and versions whose tree holds it (contract X1)."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from database.arrays import array_literal
from memory.models import DocumentVersion, PathFence, VersionChange
from wire.ids import uuid_from_id

_HELD = """
WITH held AS (
    SELECT DISTINCT p.id, d.path
    FROM memory_treepage p
    CROSS JOIN unnest(p.document_versions) entry(id)
    JOIN memory_documentversion d ON d.id = entry.id
    WHERE p.store_id = %(store)s AND d.store_id = %(store)s AND d.path = ANY(%(paths)s)
)
SELECT {told}
FROM memory_versiontree t
CROSS JOIN unnest(t.pages) page(id)
JOIN held ON held.id = page.id
WHERE t.store_id = %(store)s
"""
_COUNT_HOLDING = _HELD.format(told="count(DISTINCT t.version_id)")
_COUNT_BY_PATH = _HELD.format(told="held.path, count(*)") + "GROUP BY held.path"


def versions_touching(store_id: str, paths: Collection[str]) -> QuerySet[VersionChange, Any]:
    """The IDs of a store's versions that touched one of some paths, on every ref and branch.

    They did when their change against their parent is at the path.
    """
    changes = VersionChange.objects.filter(store=store_id, path__in=list(paths))
    return changes.values_list("version", flat=True).distinct()


def versions_touching_fenced(store_id: str) -> QuerySet[VersionChange, Any]:
    """The IDs of a store's versions that touched a path before it was redacted.

    A ref that was opened at an old version may let go of such a path later.
    """
    fences = PathFence.objects.filter(
        store=store_id, path=OuterRef("path"), fenced_at__gte=OuterRef("version__created_at")
    )
    changes = VersionChange.objects.filter(Exists(fences), store=store_id)
    return changes.values_list("version", flat=True).distinct()


def fenced_paths(store_id: str) -> list[str]:
    """The paths of a store that were redacted, by their bytes."""
    fences = PathFence.objects.filter(store=store_id).order_by("path")
    return list(fences.values_list("path", flat=True))


def known_paths(store_id: str, paths: Collection[str]) -> set[str]:
    """Those of some paths at which the store ever held a document."""
    documents = DocumentVersion.objects.filter(store=store_id, path__in=list(paths))
    return set(documents.values_list("path", flat=True).distinct())


def count_versions_holding(store_id: str, paths: Sequence[str]) -> int:
    """How many versions of a store hold one of some paths in their tree.

    One statement over all tree pages and trees of the store: its cost is that of their number,
    whatever the paths are.
    """
    (found,) = _ask(_COUNT_HOLDING, store_id, paths)
    return int(found[0])


def count_versions_by_path(store_id: str, paths: Sequence[str]) -> dict[str, int]:
    """How many versions of a store hold each of some paths; those that none holds are left out."""
    return dict(_ask(_COUNT_BY_PATH, store_id, paths))


def _ask(statement: str, store_id: str, paths: Sequence[str]) -> list[tuple[Any, ...]]:
    values: dict[str, Any] = {"store": uuid_from_id(store_id), "paths": array_literal(paths)}
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
