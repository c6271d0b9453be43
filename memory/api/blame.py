"""/v1/memory-stores/{id}/blame: which version wrote which line of a document (contract R3)."""

from typing import Literal, TypedDict

from rest_framework.request import Request

from memory.access import open_store
from memory.actornaming import Actor, render_actor
from memory.api.documents import DocumentQuery
from memory.api.publishing import Published, publish
from memory.diffs.blame import LineRange
from memory.publication import Acquired
from memory.queries.blame import LineOwner, blame_document
from memory.queries.documents import read_document
from memory.trees.hashing import spell_hash
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied
from wire.operations import operation
from wire.parsing import parse_path_id, parse_query
from wire.times import render_time


class BlamedLinesOut(TypedDict):
    """Lines in a row, from 1, and the version that wrote them at the path it had then.

    Where `unknown` is not null that version holds them, and who wrote them before it cannot be
    told: the text before it was erased, or the history is longer than is looked through.
    """

    start: int
    end: int
    version: str
    path: str
    actor: Actor
    created_at: str
    unknown: Literal["erased", "too_long"] | None


class BlameOut(TypedDict):
    """Every line of a document as one exact version holds it."""

    store: str
    path: str
    version: str
    content_sha256: str
    data: list[BlamedLinesOut]


class BlameView(ApiView):
    versioned = True

    @operation(
        "memoryStores.blameMemoryDocument",
        summary="Tell who wrote each line",
        query=DocumentQuery,
        answers={200: BlameOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Along the line of parents of one exact version, and across exact renames."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, DocumentQuery)
        access.require_content()
        blame = blame_document(read_document(access.store_id, query.path, query.version))
        document = blame.document
        answer: BlameOut = {
            "store": document.store_id,
            "path": document.path,
            "version": document.version_id,
            "content_sha256": spell_hash(document.content_sha256),
            "data": [_render_lines(lines) for lines in blame.ranges],
        }
        return publish(Acquired(access, blame.bodies, expires_at=blame.expires_at), answer)


def _render_lines(lines: LineRange[LineOwner]) -> BlamedLinesOut:
    owner = lines.owner
    return {
        "start": lines.start,
        "end": lines.end,
        "version": owner.version_id,
        "path": owner.path,
        "actor": render_actor(owner.actor),
        "created_at": render_time(owner.created_at),
        "unknown": owner.unknown,
    }
