"""Versions that touched a path: whose change against their parent is at it (contract X1)."""

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet

from memory.models import PathFence, VersionChange


def versions_touching(store_id: str, paths: Collection[str]) -> QuerySet[VersionChange, Any]:
    """The IDs of a store's versions that touched one of some paths, on every ref and branch."""
    changes = VersionChange.objects.filter(store=store_id, path__in=list(paths))
    return changes.values_list("version", flat=True).distinct()


def fenced_paths(store_id: str) -> list[str]:
    """The paths of a store that were redacted, by their bytes."""
    fences = PathFence.objects.filter(store=store_id).order_by("path")
    return list(fences.values_list("path", flat=True))
