"""Refs and the reflog (contract M4, R3)."""

from typing import Annotated, Any, Literal, TypedDict, cast

from pydantic import ConfigDict, Field, with_config
from rest_framework.request import Request

from memory.access import open_store
from memory.api.actors import Actor, render_actor
from memory.api.publishing import Published, publish
from memory.models import Ref, RefKind, RefMove
from memory.publication import Acquired
from memory.queries.refs import reflog_of, refs_of
from memory.refs import RefName
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, NotFound, PolicyDenied
from wire.fields import IdOf
from wire.operations import Listing, operation
from wire.paging import PagedQuery, decode_page, list_body, newest_first, page_of
from wire.parsing import parse_path_id, parse_query
from wire.times import render_time

_closed = with_config(ConfigDict(extra="forbid", strict=True))


@_closed
class CanonicalName(TypedDict):
    """The shared truth of a store."""

    kind: Literal["canonical"]


@_closed
class SessionName(TypedDict):
    """The working ref of a Session."""

    kind: Literal["session"]
    session: Annotated[str, IdOf("session")]


@_closed
class ProposalName(TypedDict):
    """The frozen ref of an open Proposal."""

    kind: Literal["proposal"]
    proposal: Annotated[str, IdOf("proposal")]


@_closed
class CurationName(TypedDict):
    """The ref of a curation run."""

    kind: Literal["curation"]
    run: Annotated[str, IdOf("curation")]


type RefNaming = Annotated[
    CanonicalName | SessionName | ProposalName | CurationName, Field(discriminator="kind")
]
"""How a ref is named, in requests and in answers alike."""

_OWNER_FIELDS = {RefKind.SESSION: "session", RefKind.PROPOSAL: "proposal", RefKind.CURATION: "run"}


class _Pointer(TypedDict):
    store: str
    version: str
    updated_at: str


class CanonicalRef(_Pointer):
    """Where the shared truth of a store is."""

    kind: Literal["canonical"]


class SessionRef(_Pointer):
    """Where the working ref of a Session is."""

    kind: Literal["session"]
    session: str


class ProposalRef(_Pointer):
    """Where the frozen ref of an open Proposal is."""

    kind: Literal["proposal"]
    proposal: str


class CurationRef(_Pointer):
    """Where the ref of a curation run is."""

    kind: Literal["curation"]
    run: str


type MemoryRef = CanonicalRef | SessionRef | ProposalRef | CurationRef


class RefMovementOut(TypedDict):
    """One entry of the reflog. `before` is null where the ref was made, `after` at its end."""

    ref: RefNaming
    before: str | None
    after: str | None
    actor: Actor
    at: str


def parse_ref_name(naming: RefNaming) -> RefName:
    """The ref that a request names."""
    kind = RefKind(naming["kind"])
    field = _OWNER_FIELDS.get(kind)
    return RefName(kind, cast("dict[str, str]", naming)[field] if field else None)


def render_ref_name(row: Ref | RefMove) -> RefNaming:
    """How a ref is called."""
    field = _OWNER_FIELDS.get(RefKind(row.kind))
    owner = {field: row.owner_id} if field else {}
    return cast("RefNaming", {"kind": row.kind, **owner})


def render_ref(ref: Ref) -> MemoryRef:
    """A ref and where it points."""
    rendered: dict[str, Any] = {
        **cast("dict[str, Any]", render_ref_name(ref)),
        "store": ref.store_id,
        "version": ref.version_id,
        "updated_at": render_time(ref.updated_at),
    }
    return cast("MemoryRef", rendered)


def render_movement(move: RefMove) -> RefMovementOut:
    """One entry of the reflog."""
    return {
        "ref": render_ref_name(move),
        "before": move.before_id,
        "after": move.after_id,
        "actor": render_actor(move),
        "at": render_time(move.at),
    }


class RefsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryRefs",
        summary="List a store's refs",
        query=PagedQuery,
        answers={200: Listing[MemoryRef]},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Canonical first, the others in the order of their making."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, PagedQuery)
        access.require_content()
        after = decode_page(query.page, int)
        refs = refs_of(access.store_id)
        if after:
            refs = refs.filter(id__gt=after[0])
        shown, next_page = page_of(refs[: query.limit + 1], query.limit, lambda ref: (ref.id,))
        return publish(Acquired(access), list_body([render_ref(ref) for ref in shown], next_page))


class ReflogView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryRefMovements",
        summary="List the movements of a store's refs",
        query=PagedQuery,
        answers={200: Listing[RefMovementOut]},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Newest first: each creation, advance and release, with who did it."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, PagedQuery)
        access.require_content()
        moves = reflog_of(access.store_id)
        rows, next_page = newest_first(moves, query, position=int)
        return publish(
            Acquired(access), list_body([render_movement(row) for row in rows], next_page)
        )
