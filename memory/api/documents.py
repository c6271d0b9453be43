"""/v1/memory-stores/{id}/document: one document, at canonical or an exact version (R1, R2)."""

from typing import Literal, NotRequired, TypedDict, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import StoreAccess, open_store
from memory.actions.change_sets import ChangeSet, ChangeSetOutcome, Operation, apply_change_set
from memory.api.changes import NewDocument
from memory.api.fields import DocumentPath, VersionId
from memory.api.preconditions import (
    ETAG,
    IF_MATCH,
    IF_NONE_MATCH,
    expected_content,
    expected_hash,
)
from memory.api.publishing import Published, publish
from memory.api.replays import REPLAYED_HEADER, replay_headers
from memory.documents.mediatypes import default_media_type
from memory.documents.provenance import live_provenance
from memory.publication import Acquired
from memory.queries.documents import DocumentAt, read_document, require_text
from memory.refs import CANONICAL
from memory.trees.hashing import content_sha256, spell_hash
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    NotFound,
    PolicyDenied,
    RangeTooLarge,
    ReadOnly,
)
from wire.idempotency import optional_key
from wire.operations import operation
from wire.parsing import Query, parse_body, parse_path_id, parse_query
from wire.times import render_time

WRITE_ERRORS = (NotFound, PolicyDenied, ReadOnly, Conflict)


class PathQuery(Query):
    """Which document."""

    path: DocumentPath


class DocumentQuery(PathQuery):
    """Which document, and in which version."""

    version: VersionId | None = None
    """An exact version; canonical, resolved once, when left out."""


class SupersededDocumentOut(TypedDict):
    """A document that another one replaces."""

    path: str
    version: str


class RecordedProvenanceOut(TypedDict):
    """Where a text came from, as its writer says."""

    source_event_ids: list[str]
    source_version_ids: list[str]
    source_refs: list[str]
    confidence: Literal["observed", "inferred", "uncertain"]
    valid_from: str
    curation_run: NotRequired[str]
    supersedes: NotRequired[SupersededDocumentOut]


class DocumentOut(TypedDict):
    """A document as one exact version holds it."""

    store: str
    path: str
    version: str
    content: str
    content_sha256: str
    media_type: str
    bytes: int
    provenance: RecordedProvenanceOut | None
    expires_at: str | None


class WrittenDocumentOut(TypedDict):
    """A document after a write. `version` is canonical as the write left it."""

    store: str
    path: str
    version: str
    unchanged: bool
    content_sha256: str
    media_type: str
    bytes: int


class DeletedDocumentOut(TypedDict):
    """Where a document was. `version` is the one without it."""

    store: str
    path: str
    version: str


def render_document(document: DocumentAt) -> DocumentOut:
    """A document with its text. Raises NotFound when that was erased."""
    provenance = document.provenance
    expires_at = document.expires_at
    return {
        "store": document.store_id,
        "path": document.path,
        "version": document.version_id,
        "content": require_text(document),
        "content_sha256": spell_hash(document.content_sha256),
        "media_type": document.media_type,
        "bytes": document.size,
        "provenance": cast("RecordedProvenanceOut", live_provenance(provenance))
        if provenance
        else None,
        "expires_at": render_time(expires_at) if expires_at else None,
    }


def render_written(
    access: StoreAccess, path: str, body: NewDocument, outcome: ChangeSetOutcome
) -> WrittenDocumentOut:
    """What a PUT left behind: the same for the write and for each time it is told again."""
    content = body.content.encode()
    return {
        "store": access.store_id,
        "path": path,
        "version": outcome.at,
        "unchanged": outcome.unchanged,
        "content_sha256": spell_hash(content_sha256(content)),
        "media_type": body.media_type or default_media_type(path),
        "bytes": len(content),
    }


class DocumentView(ApiView):
    def is_fenced(self, request: Request) -> bool:
        """The document surface stays open while the fence is up, exact versions do not."""
        return "version" in request.query_params

    @operation(
        "memoryStores.getMemoryDocument",
        summary="Read a document",
        query=DocumentQuery,
        answers={200: DocumentOut, 304: None},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
        headers=(IF_NONE_MATCH, ETAG),
    )
    def get(self, request: Request, id: str) -> Published:
        """The answer names its exact version: keep it to read the same bytes again later."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, DocumentQuery)
        access.require_content()
        document = read_document(access.store_id, query.path, query.version)
        answer = render_document(document)
        return publish(
            Acquired(access, [document.document_id], expires_at=document.expires_at, whole=True),
            answer,
            etag=f'"{answer["content_sha256"]}"',
            known=request.headers.get("If-None-Match", ""),
        )

    @operation(
        "memoryStores.putMemoryDocument",
        summary="Write a document to canonical",
        body=NewDocument,
        query=PathQuery,
        answers={200: WrittenDocumentOut},
        errors=(*WRITE_ERRORS, RangeTooLarge),
        idempotency="optional",
        headers=(IF_MATCH, IF_NONE_MATCH, ETAG, REPLAYED_HEADER),
    )
    def put(self, request: Request, id: str) -> Response:
        """Needs `If-Match` with the hash that was read or, for a new one, `If-None-Match: *`."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        path = parse_query(request, PathQuery).path
        body = parse_body(request, NewDocument)
        write = Operation(path, body.put(), expected_content(request))
        outcome = _write(request, access, write, body.model_dump(mode="json"))
        answer = render_written(access, path, body, outcome)
        headers = {"ETag": f'"{answer["content_sha256"]}"'}
        return Response(answer, headers=headers | replay_headers(replayed=outcome.replayed))

    @operation(
        "memoryStores.deleteMemoryDocument",
        summary="Delete a document from canonical",
        query=PathQuery,
        answers={200: DeletedDocumentOut},
        errors=WRITE_ERRORS,
        idempotency="optional",
        headers=(IF_MATCH, REPLAYED_HEADER),
    )
    def delete(self, request: Request, id: str) -> Response:
        """Earlier versions keep it. Needs `If-Match` with the hash that was read."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        path = parse_query(request, PathQuery).path
        write = Operation(path, None, expected_hash(request))
        outcome = _write(request, access, write, None)
        answer: DeletedDocumentOut = {
            "store": access.store_id,
            "path": path,
            "version": outcome.at,
        }
        return Response(answer, headers=replay_headers(replayed=outcome.replayed))


def _write(
    request: Request, access: StoreAccess, write: Operation, body: object
) -> ChangeSetOutcome:
    """Carry out one operation on canonical. The precondition is part of the fingerprint."""
    expected = spell_hash(write.expected_sha256) if write.expected_sha256 else None
    return apply_change_set(
        access=access,
        change_set=ChangeSet(ref=CANONICAL, base_version=None, operations=(write,)),
        key=optional_key(request, {"body": body, "expected_sha256": expected}),
    )
