"""/v1/memory-stores/{id}/versions and /history: snapshots, and what changed a path (R3, M3)."""

from collections.abc import Iterable
from typing import Annotated, Literal, TypedDict, cast

from django.db.models import QuerySet
from pydantic import AfterValidator, Field
from rest_framework.request import Request

from memory.access import StoreAccess, open_store
from memory.actornaming import Actor, render_actor
from memory.api.fields import DocumentPath, VersionId
from memory.api.pinning import parse_position_id, pinned
from memory.api.publishing import Published, publish
from memory.api.trees import ErasureOut, render_erasure, render_redaction
from memory.models import ActorKind, MemoryVersion, VersionNote
from memory.publication import Acquired
from memory.queries.versions import (
    HistoryEntry,
    get_version,
    path_history,
    resolve,
    versions_of,
)
from memory.trees.hashing import spell_hash
from memory.versions.kinds import VersionKindName
from tenancy.api.base import ApiView, caller_of
from wire import ids
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first, page_of
from wire.parsing import parse_nothing, parse_path_id, parse_query
from wire.times import earliest, render_time

READ_ERRORS = (NotFound, PolicyDenied, Conflict, AuthorizationUnavailable)
PLATFORM = "platform"
ACTORS = {
    "principal": ActorKind.PRINCIPAL,
    "api_key": ActorKind.API_KEY,
    "session": ActorKind.SESSION_AGENT,
    "curation": ActorKind.CURATOR,
}
"""Kind of identifier → the kind of actor that it names."""


def _actor(text: str) -> str:
    return text if text == PLATFORM else ids.parse_id(ids.kind_among(ACTORS, text), text)


ActorName = Annotated[
    str,
    AfterValidator(_actor),
    Field(json_schema_extra={"pattern": "^(platform|(prin|akey|sess|mcur)_[0-9a-f]{32})$"}),
]


class VersionsQuery(PagedQuery):
    """Which versions."""

    kind: VersionKindName | None = None
    """Only those that such a write made."""
    actor: ActorName | None = None
    """Only those of this principal, key, Session or curation run, or of the `platform`."""


class HistoryQuery(PagedQuery):
    """Which path, up to which version."""

    path: DocumentPath
    version: VersionId | None = None
    """An exact version; canonical, resolved once for all pages, when left out."""


class VersionSourceOut(TypedDict):
    """What an import claims of where a version comes from; nobody has checked it.

    The ID is a commit's or a revision's. Kind and actor are an export's.
    """

    id: str | None
    time: str | None
    kind: VersionKindName | None
    actor: Actor | None


class MemoryVersionOut(TypedDict):
    """An immutable snapshot of a store's whole tree.

    `message_erased`: a redaction took the message that it had.
    """

    id: str
    store: str
    parent_version: str | None
    kind: VersionKindName
    actor: Actor
    document_count: int
    total_bytes: int
    tree_hash: str
    created_at: str
    message: str | None
    message_erased: ErasureOut | None
    source: VersionSourceOut | None


class PathChangeOut(TypedDict):
    """A version that changed a path. The content is null where it was deleted.

    A version of the kind `redaction` took the path out of the tree; nobody deleted a document.
    """

    version: str
    kind: VersionKindName
    actor: Actor
    created_at: str
    message: str | None
    message_erased: ErasureOut | None
    change: Literal["added", "modified", "deleted"]
    content_sha256: str | None
    bytes: int | None
    erased: ErasureOut | None


class HistoryOut(TypedDict):
    """One page of what changed a path, up to one exact version."""

    store: str
    path: str
    version: str
    data: list[PathChangeOut]
    next_page: str | None


def render_version(version: MemoryVersion) -> MemoryVersionOut:
    """A version with its note, which was selected with it."""
    note = getattr(version, "note", None)
    return {
        "id": version.id,
        "store": version.store_id,
        "parent_version": version.parent_id,
        "kind": cast("VersionKindName", version.kind),
        "actor": render_actor(version),
        "document_count": version.document_count,
        "total_bytes": version.total_bytes,
        "tree_hash": spell_hash(version.tree_hash),
        "created_at": render_time(version.created_at),
        "message": note and note.message,
        "message_erased": render_redaction(note and note.erased_at),
        "source": _render_source(note),
    }


def _render_source(note: VersionNote | None) -> VersionSourceOut | None:
    if note is None or (note.source_id is None and note.source_time is None):
        return None
    return {
        "id": note.source_id,
        "time": render_time(note.source_time) if note.source_time else None,
        "kind": cast("VersionKindName | None", note.source_kind),
        "actor": note.source_actor,
    }


def render_path_change(change: HistoryEntry) -> PathChangeOut:
    """One row of a path's history."""
    return {
        "version": change.version_id,
        "kind": cast("VersionKindName", change.kind),
        "actor": render_actor(change.actor),
        "created_at": render_time(change.created_at),
        "message": change.message,
        "message_erased": render_redaction(change.message_erased_at),
        "change": cast("Literal['added', 'modified', 'deleted']", change.change),
        "content_sha256": spell_hash(change.content_sha256) if change.content_sha256 else None,
        "bytes": change.size,
        "erased": render_erasure(change.erasure),
    }


def acquire_versions(access: StoreAccess, versions: Iterable[MemoryVersion]) -> Acquired:
    """The messages that an answer holds, for the publication recheck."""
    noted = [version for version in versions if getattr(version, "note", None)]
    return Acquired(access, notes=[one.id for one in noted if one.note.message is not None])


class VersionsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryVersions",
        summary="List a store's versions",
        query=VersionsQuery,
        answers={200: Listing[MemoryVersionOut]},
        errors=READ_ERRORS,
    )
    def get(self, request: Request, id: str) -> Published:
        """Newest first, on every ref."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, VersionsQuery)
        access.require_content()
        versions = versions_of(access.store_id)
        if query.kind:
            versions = versions.filter(kind=query.kind)
        if query.actor:
            versions = _made_by(versions, query.actor)
        rows, next_page = newest_first(versions, query)
        answer = list_body([render_version(row) for row in rows], next_page)
        return publish(acquire_versions(access, rows), answer)


def _made_by(versions: QuerySet[MemoryVersion], actor: str) -> QuerySet[MemoryVersion]:
    if actor == PLATFORM:
        return versions.filter(actor_kind=ActorKind.PLATFORM)
    kind = ACTORS[ids.kind_among(ACTORS, actor)]
    return versions.filter(actor_kind=kind, actor_uuid=actor)


class VersionView(ApiView):
    versioned = True

    @operation(
        "memoryStores.getMemoryVersion",
        summary="Get a version",
        answers={200: MemoryVersionOut},
        errors=READ_ERRORS,
    )
    def get(self, request: Request, id: str, version: str) -> Published:
        """By `memver_…` or, as exports spell it, `mrev_…`."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        found = get_version(access.store_id, parse_path_id("version", version))
        parse_nothing(request)
        access.require_content()
        return publish(acquire_versions(access, [found]), render_version(found))


class HistoryView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryPathHistory",
        summary="List what changed a path",
        query=HistoryQuery,
        answers={200: HistoryOut},
        errors=READ_ERRORS,
    )
    def get(self, request: Request, id: str) -> Published:
        """Newest first, along the line of parents of one exact version."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, HistoryQuery)
        pin = pinned(query.version, query.page)
        before = parse_position_id(pin.after) if pin.after else None
        access.require_content()
        tip = resolve(access.store_id, pin.version)
        found = path_history(access.store_id, query.path, tip, before=before, limit=query.limit + 1)
        shown, next_page = page_of(found, query.limit, lambda change: (tip, change.version_id))
        answer: HistoryOut = {
            "store": access.store_id,
            "path": query.path,
            "version": tip,
            "data": [render_path_change(change) for change in shown],
            "next_page": next_page,
        }
        return publish(_acquire_history(access, shown), answer)


def _acquire_history(access: StoreAccess, changes: Iterable[HistoryEntry]) -> Acquired:
    living = [change for change in changes if change.document_id and change.erasure is None]
    return Acquired(
        access,
        bodies=[change.document_id for change in living if change.document_id],
        notes=[change.version_id for change in changes if change.message is not None],
        expires_at=earliest(change.expires_at for change in living),
    )
