"""/v1/sessions/{id}/mounts/{mount}: the documents that a mount reads (contract S3, R5)."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from django.http import HttpResponseBase
from django.utils.http import content_disposition_header
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from memory.api.pinning import Pin, pinned
from memory.api.preconditions import IF_NONE_MATCH
from memory.api.publishing import Published, PublishedStream, is_known
from memory.documents.packing import ArchiveFormat, archive_tag
from memory.queries.documents import ListedDocument, list_documents
from memory.trees.hashing import spell_hash
from sessions.access import open_session
from sessions.mounts.archives import archive_parts
from sessions.mounts.reading import Mounted, find_mount, not_retained, open_mounted, recheck_mounted
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    HarnessIncompatible,
    NotFound,
    PolicyDenied,
    ReadOnly,
)
from wire.fields import IdOf
from wire.operations import Download, operation
from wire.paging import PagedQuery, page_of
from wire.parsing import Query, parse_path_id, parse_query
from wire.rendering import dump_json
from wire.times import earliest, render_time

RunId = Annotated[str, IdOf("run")]
ARCHIVE_TYPES = {ArchiveFormat.TAR: "application/x-tar", ArchiveFormat.ZIP: "application/zip"}
ERRORS = (
    NotFound,
    PolicyDenied,
    ReadOnly,
    Conflict,
    HarnessIncompatible,
    AuthorizationUnavailable,
)
ETAG = OpenApiParameter(
    "ETag",
    {"type": "string"},
    OpenApiParameter.HEADER,
    response=[200, 304],
    description="Names every byte of the archive.",
)


class MountTreeQuery(PagedQuery):
    """Which version of a mount."""

    run: RunId | None = None
    """The one that this Run reads; what the mount reads now, when left out."""


class MountArchiveQuery(Query):
    """Which version of a mount, and as what file."""

    run: RunId | None = None
    """The one that this Run reads; what the mount reads now, when left out."""
    format: Literal["tar", "zip"] = "tar"


class MountedDocumentOut(TypedDict):
    """A document that a mount reads, without its text."""

    path: str
    content_sha256: str
    media_type: str
    bytes: int
    expires_at: str | None


class MountTreeOut(TypedDict):
    """One page of the documents that a mount reads, all of one exact version."""

    mount: int
    store: str
    mount_path: str | None
    version: str
    tree_hash: str
    document_count: int
    bytes: int
    data: list[MountedDocumentOut]
    next_page: str | None


def render_document(document: ListedDocument) -> MountedDocumentOut:
    """A document of a mount."""
    expires_at = document.expires_at
    return {
        "path": document.path,
        "content_sha256": spell_hash(document.content_sha256),
        "media_type": document.media_type,
        "bytes": document.size,
        "expires_at": render_time(expires_at) if expires_at else None,
    }


def render_tree(
    mounted: Mounted, documents: Sequence[ListedDocument], next_page: str | None
) -> MountTreeOut:
    """A page of a mount's documents."""
    version = mounted.version
    return {
        "mount": mounted.mount.position,
        "store": mounted.mount.store_id,
        "mount_path": mounted.mount.mount_path,
        "version": version.id,
        "tree_hash": spell_hash(version.tree_hash),
        "document_count": version.document_count,
        "bytes": version.total_bytes,
        "data": [render_document(document) for document in documents],
        "next_page": next_page,
    }


class MountTreeView(ApiView):
    versioned = True

    @operation(
        "sessions.listMountDocuments",
        summary="List the documents that a mount reads",
        query=MountTreeQuery,
        answers={200: MountTreeOut},
        errors=ERRORS,
    )
    def get(self, request: Request, id: str, mount: int) -> Published:
        """For the Session's agent, its acting principal, and runners of its environment.

        In the order of their paths' bytes. When the mount comes to read another version between
        two pages, the second answers 409; those of a Run never do.
        """
        access = open_session(caller_of(request), parse_path_id("session", id))
        found = find_mount(access.session_id, mount)
        query = parse_query(request, MountTreeQuery)
        pin = pinned(None, query.page)
        mounted = open_mounted(access, found, run_id=query.run)
        shown, next_page = page_of_mount(mounted, pin, query.limit)
        rendered = dump_json(render_tree(mounted, shown, next_page))
        bodies = [document.document_id for document in shown]
        recheck_mounted(mounted, bodies, earliest(one.expires_at for one in shown))
        return Published(rendered, content_type="application/json")


def page_of_mount(
    mounted: Mounted, pin: Pin, limit: int
) -> tuple[list[ListedDocument], str | None]:
    """Documents of a mount in the order of their paths, and where the list goes on.

    Raises:
        Conflict: the mount reads another version than the page before, or a text of it is gone.
    """
    version = mounted.version.id
    if pin.version not in {None, version}:
        raise Conflict(
            f"The mount reads {version} by now, and the page before was of {pin.version}. Begin"
            " anew, or name a Run."
        )
    found = list_documents(version, after=pin.after, limit=limit + 1)
    if any(document.erasure for document in found):
        raise not_retained(version)
    return page_of(found, limit, lambda document: (version, document.path))


class MountArchiveView(ApiView):
    versioned = True

    @operation(
        "sessions.downloadMountArchive",
        summary="Download the documents that a mount reads",
        query=MountArchiveQuery,
        answers={200: Download(tuple(ARCHIVE_TYPES.values())), 304: None},
        errors=ERRORS,
        headers=(IF_NONE_MATCH, ETAG),
    )
    def get(self, request: Request, id: str, mount: int) -> HttpResponseBase:
        """One file, for those who may list them. Unpack it at `mount_path`: names are relative.

        The same version is always the same bytes. A download that may not be finished, because
        authority or a text went meanwhile, breaks off: no whole file is ever without a document.
        """
        access = open_session(caller_of(request), parse_path_id("session", id))
        found = find_mount(access.session_id, mount)
        query = parse_query(request, MountArchiveQuery)
        mounted = open_mounted(access, found, run_id=query.run)
        form = ArchiveFormat(query.format)
        etag = archive_tag(spell_hash(mounted.version.tree_hash), form)
        if is_known(request.headers.get("If-None-Match", ""), etag):
            recheck_mounted(mounted, (), None)
            return Published(status=304, headers={"ETag": etag})
        headers = {"ETag": etag} | archive_headers(mounted, form)
        return PublishedStream(archive_parts(mounted, form), headers=headers)


def archive_headers(mounted: Mounted, form: ArchiveFormat) -> dict[str, str | None]:
    """What an archive is, and the name that it is kept under."""
    name = f"{mounted.version.id}.{form}"
    return {
        "Content-Type": ARCHIVE_TYPES[form],
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=name),
    }
