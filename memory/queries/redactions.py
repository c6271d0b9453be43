"""What a redaction would take, before anybody decides on it (contract X1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, QuerySet

from memory.access import StoreAccess
from memory.erasure.touched import (
    count_versions_by_path,
    count_versions_holding,
    known_paths,
    versions_touching,
)
from memory.models import DocumentBody, DocumentVersion, PathFence, Ref, Tag, VersionNote
from memory.queries.versions import canonical_id
from memory.refs import LIVE
from memory.trees.storage import load_tree
from tenancy.models import Permission

COPIES_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class PathPreview:
    """One path that somebody wants redacted.

    Attributes:
        is_in_canonical: whether there is a document now.
        was_ever: whether there ever was one, on whatever ref.
        versions: how many versions hold it in their tree.
        bodies: how many texts go with it.
        is_fenced: whether it was redacted before.
    """

    path: str
    is_in_canonical: bool
    was_ever: bool
    versions: int
    bodies: int
    is_fenced: bool


@dataclass(frozen=True, slots=True)
class RedactionPreview:
    """What a redaction of some paths would do to a store, as it is now.

    Attributes:
        version_count: how many versions hold one of the paths.
        hash_count: how many distinct contents go.
        messages: how many versions lose their message.
        tags: how many tags of such versions go.
        refs: those that would move to a `redaction` version.
        copies: other paths at which one of the contents stands, now or in some version; these
            stay. COPIES_SHOWN at most, and None for who may not read the store.
        copy_count: how many such paths there are.
    """

    paths: tuple[PathPreview, ...]
    version_count: int
    hash_count: int
    messages: int
    tags: int
    refs: tuple[Ref, ...]
    copies: tuple[str, ...] | None
    copy_count: int

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left for it to do: all was redacted before."""
        return not self.refs and all(path.is_fenced and not path.bodies for path in self.paths)


def preview_redaction(access: StoreAccess, paths: Sequence[str]) -> RedactionPreview:
    """Tell what a redaction would take; Proposals are told by the room that has them."""
    store_id, wanted = access.store_id, sorted(set(paths))
    bodies = _bodies(store_id, wanted)
    touching = list(versions_touching(store_id, wanted))
    messages = VersionNote.objects.filter(version__in=touching, message__isnull=False)
    copies = _copies(store_id, wanted)
    return RedactionPreview(
        paths=_each(access, wanted, bodies),
        version_count=count_versions_holding(store_id, wanted),
        hash_count=_distinct(bodies),
        messages=messages.count(),
        tags=Tag.objects.filter(version__in=touching).count(),
        refs=_moving(store_id, wanted),
        copies=tuple(copies[:COPIES_SHOWN]) if access.may(Permission.READ) else None,
        copy_count=copies.count(),
    )


def _each(
    access: StoreAccess, paths: Sequence[str], bodies: QuerySet[DocumentBody]
) -> tuple[PathPreview, ...]:
    store_id = access.store_id
    known = known_paths(store_id, paths)
    versions = count_versions_by_path(store_id, paths)
    fences = PathFence.objects.filter(store=store_id, path__in=paths)
    fenced = set(fences.values_list("path", flat=True))
    texts = dict(
        bodies.values_list("document_version__path").annotate(texts=Count("document_version"))
    )
    canonical = _held(canonical_id(store_id), paths)
    return tuple(
        PathPreview(
            path=path,
            is_in_canonical=path in canonical,
            was_ever=path in known,
            versions=versions.get(path, 0),
            bodies=texts.get(path, 0),
            is_fenced=path in fenced,
        )
        for path in paths
    )


def _bodies(store_id: str, paths: Sequence[str]) -> QuerySet[DocumentBody]:
    return DocumentBody.objects.filter(
        document_version__store=store_id, document_version__path__in=paths
    )


def _distinct(bodies: QuerySet[DocumentBody]) -> int:
    return bodies.values("document_version__content_sha256").distinct().count()


def _moving(store_id: str, paths: Sequence[str]) -> tuple[Ref, ...]:
    """The refs that would move: those whose tree holds one of the paths."""
    refs = Ref.objects.filter(store=store_id, kind__in=LIVE).order_by("id")
    at = {ref.version_id for ref in refs}
    holding = {version_id for version_id in at if _held(version_id, paths)}
    return tuple(ref for ref in refs if ref.version_id in holding)


def _held(version_id: str, paths: Sequence[str]) -> set[str]:
    """Those of some paths that a version holds. Two queries."""
    tree = load_tree(version_id)
    tree.preload(paths)
    return {path for path in paths if tree.find(path)}


def _copies(store_id: str, paths: Sequence[str]) -> QuerySet[DocumentVersion, str]:
    """Other paths where a body with one of the contents is still there, by path bytes."""
    documents = DocumentVersion.objects.filter(store=store_id, body__isnull=False)
    contents = documents.filter(path__in=paths).values("content_sha256")
    others = documents.exclude(path__in=paths).filter(content_sha256__in=contents)
    return others.order_by("path").values_list("path", flat=True).distinct()
