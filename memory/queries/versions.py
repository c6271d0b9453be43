"""Versions, their changes, and the history of a path (contract R3)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Count, QuerySet

from database.compiled import compiled
from memory.actors import RecordedActor
from memory.models import MemoryVersion, Ref, RefKind, VersionChange
from memory.queries.documents import Erasure, erasure_of
from memory.versions.ancestry import DESCENDS
from wire.errors import NotFound
from wire.ids import id_from_uuid, uuid_from_id

NO_SUCH_VERSION = "The store has no such version."


def versions_of(store_id: str) -> QuerySet[MemoryVersion]:
    """A store's versions, newest first, each with its note (None when it has none)."""
    return MemoryVersion.objects.filter(store=store_id).select_related("note").order_by("-id")


def get_version(store_id: str, version_id: str) -> MemoryVersion:
    """One version with its note. Raises NotFound when it is not this store's."""
    version = versions_of(store_id).filter(id=version_id).first()
    if version is None:
        raise NotFound(NO_SUCH_VERSION)
    return version


def base_for_sealing(store_id: str, version_id: str) -> MemoryVersion:
    """One version with the ancestors that sealing a child reads. Raises NotFound."""
    versions = MemoryVersion.objects.filter(store=store_id, id=version_id)
    version = versions.select_related("jump", "jump__jump").first()
    if version is None:
        raise NotFound(NO_SUCH_VERSION)
    return version


def canonical_id(store_id: str) -> str:
    """Where canonical is now. Raises NotFound when the store has none yet."""
    found: list[str] = _canonical(store_id=store_id)
    if not found:
        raise NotFound(NO_SUCH_VERSION)
    return found[0]


@compiled
def _canonical(*, store_id: str) -> QuerySet[Ref, Any]:
    refs = Ref.objects.filter(store=store_id, kind=RefKind.CANONICAL, owner_uuid=None)
    return refs.values_list("version", flat=True)


def resolve(store_id: str, version_id: str | None) -> str:
    """An exact version of the store: the given one, or canonical once. Raises NotFound."""
    if version_id is None:
        return canonical_id(store_id)
    if not _exact(store_id=store_id, version_id=version_id):
        raise NotFound(NO_SUCH_VERSION)
    return version_id


@compiled
def _exact(*, store_id: str, version_id: str) -> QuerySet[MemoryVersion, Any]:
    return MemoryVersion.objects.filter(store=store_id, id=version_id).values_list("id")


def require_versions(store_id: str, version_ids: Collection[str]) -> None:
    """Raise NotFound unless all are versions of the store. One query."""
    wanted = set(version_ids)
    if MemoryVersion.objects.filter(store=store_id, id__in=wanted).count() != len(wanted):
        raise NotFound(NO_SUCH_VERSION)


def changed_paths(version_id: str) -> list[str]:
    """The paths that a version changed against its parent, by path bytes."""
    changes = VersionChange.objects.filter(version=version_id)
    return list(changes.order_by("path").values_list("path", flat=True))


def change_counts(version_ids: Iterable[str]) -> dict[str, int]:
    """How many paths each version changed against its parent. One query."""
    changes = VersionChange.objects.filter(version__in=list(version_ids))
    counts = changes.values("version").annotate(paths=Count("id")).values_list("version", "paths")
    return dict(counts)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One version in which a path changed. `content_sha256` is None where it was deleted."""

    version_id: str
    parent_id: str | None
    kind: str
    actor: RecordedActor
    created_at: datetime
    message: str | None
    message_erased_at: datetime | None
    change: str
    document_id: str | None
    content_sha256: bytes | None
    size: int | None
    expires_at: datetime | None
    erasure: Erasure | None


_HISTORY = f"""
SELECT goal.id, goal.kind, goal.actor_kind, goal.actor_uuid, goal.actor_agent_uuid,
       goal.actor_operation, goal.created_at, n.message, n.erased_at, c.before_id IS NULL,
       d.id, d.content_sha256, d.bytes, d.expires_at,
       b.document_version_id IS NOT NULL, e.reason, e.erased_at, goal.parent_id
FROM memory_versionchange c
JOIN memory_memoryversion goal ON goal.id = c.version_id
LEFT JOIN memory_versionnote n ON n.version_id = goal.id
LEFT JOIN memory_documentversion d ON d.id = c.after_id
LEFT JOIN memory_documentbody b ON b.document_version_id = d.id
LEFT JOIN memory_bodyerasure e ON e.document_version_id = d.id
JOIN memory_memoryversion tip ON tip.id = %(version)s
WHERE c.store_id = %(store)s
  AND c.path = %(path)s
  AND (%(before)s::uuid IS NULL OR c.version_id < %(before)s)
  AND goal.depth <= tip.depth
  AND {DESCENDS}
ORDER BY c.version_id DESC
LIMIT %(limit)s
"""  # noqa: S608


def path_history(
    store_id: str, path: str, version_id: str, *, before: str | None = None, limit: int
) -> list[HistoryEntry]:
    """The versions up to `version_id`, on its own line of parents, that changed `path`.

    An index scan over the path's changes; each candidate is checked to be an ancestor in
    logarithmically many hops, so neither other branches nor a long history cost anything.

    Args:
        before: continue behind this version.
    """
    arguments: dict[str, Any] = {
        "store": uuid_from_id(store_id),
        "path": path,
        "version": uuid_from_id(version_id),
        "before": uuid_from_id(before) if before else None,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(_HISTORY, arguments)
        return [_history_entry(row) for row in cursor.fetchall()]


def _history_entry(row: tuple[Any, ...]) -> HistoryEntry:
    document = row[10]
    gone = erasure_of("" if row[14] else None, row[13], row[15], row[16]) if document else None
    return HistoryEntry(
        version_id=id_from_uuid("version", row[0]),
        parent_id=row[17] and id_from_uuid("version", row[17]),
        kind=row[1],
        actor=RecordedActor(*row[2:6]),
        created_at=row[6],
        message=row[7],
        message_erased_at=row[8],
        change="deleted" if document is None else "added" if row[9] else "modified",
        document_id=id_from_uuid("document", document) if document else None,
        content_sha256=bytes(row[11]) if document else None,
        size=row[12],
        expires_at=row[13],
        erasure=gone,
    )
