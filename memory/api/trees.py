"""/v1/memory-stores/{id}/documents: the tree of a version (contract R3)."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, TypedDict, cast

from rest_framework.request import Request

from memory.access import StoreAccess, open_store
from memory.api.fields import Prefix, VersionId
from memory.api.pinning import pinned
from memory.api.publishing import Published, publish
from memory.publication import Acquired
from memory.queries.documents import Erasure, ListedDocument, list_documents
from memory.queries.versions import resolve
from memory.trees.hashing import spell_hash
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied
from wire.operations import operation
from wire.paging import PagedQuery, page_of
from wire.parsing import parse_path_id, parse_query
from wire.times import earliest, render_time


class DocumentsQuery(PagedQuery):
    """Which part of which tree."""

    version: VersionId | None = None
    """An exact version; canonical, resolved once for all pages, when left out."""
    prefix: Prefix | None = None
    """Only what is in this directory (`/notes/`), or the document or directory of this name."""


ErasureReason = Literal["redacted", "expired", "retired", "imported"]


class ErasureOut(TypedDict):
    """That a body is gone, why and since when."""

    reason: ErasureReason
    at: str


class DocumentEntryOut(TypedDict):
    """A document of a tree, without its text."""

    path: str
    document_version: str
    content_sha256: str
    media_type: str
    bytes: int
    introduced_version: str
    introduced_at: str
    expires_at: str | None
    erased: ErasureOut | None


class DocumentListingOut(TypedDict):
    """One page of the documents of one exact version."""

    store: str
    version: str
    data: list[DocumentEntryOut]
    next_page: str | None


def render_erasure(erasure: Erasure | None) -> ErasureOut | None:
    """That a body is gone, if it is."""
    if erasure is None:
        return None
    return {
        "reason": cast("ErasureReason", erasure.reason),
        "at": render_time(erasure.erased_at),
    }


def render_redaction(at: datetime | None) -> ErasureOut | None:
    """That words were taken by a redaction, if they were."""
    return {"reason": "redacted", "at": render_time(at)} if at else None


def render_entry(entry: ListedDocument) -> DocumentEntryOut:
    """A row of the tree."""
    return {
        "path": entry.path,
        "document_version": entry.document_id,
        "content_sha256": spell_hash(entry.content_sha256),
        "media_type": entry.media_type,
        "bytes": entry.size,
        "introduced_version": entry.introduced_by,
        "introduced_at": render_time(entry.introduced_at),
        "expires_at": render_time(entry.expires_at) if entry.expires_at else None,
        "erased": render_erasure(entry.erasure),
    }


def acquire_entries(access: StoreAccess, entries: Iterable[ListedDocument]) -> Acquired:
    """What a list says is available, for the publication recheck."""
    living = [entry for entry in entries if entry.erasure is None]
    return Acquired(
        access,
        bodies=[entry.document_id for entry in living],
        expires_at=earliest(entry.expires_at for entry in living),
    )


class DocumentsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryDocuments",
        summary="List the documents of a version",
        query=DocumentsQuery,
        answers={200: DocumentListingOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """In the order of their paths' bytes. Every page is of the same exact version."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, DocumentsQuery)
        pin = pinned(query.version, query.page)
        access.require_content()
        version = resolve(access.store_id, pin.version)
        found = list_documents(
            version, prefix=query.prefix or "", after=pin.after, limit=query.limit + 1
        )
        shown, next_page = page_of(found, query.limit, lambda entry: (version, entry.path))
        answer: DocumentListingOut = {
            "store": access.store_id,
            "version": version,
            "data": [render_entry(entry) for entry in shown],
            "next_page": next_page,
        }
        return publish(acquire_entries(access, shown), answer)
