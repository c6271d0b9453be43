"""Refs and the reflog (contract M4, R3)."""

from typing import Any, Literal, TypedDict, cast

from rest_framework.request import Request

from memory.access import open_store
from memory.actornaming import Actor, render_actor
from memory.api.publishing import Published, publish
from memory.models import Ref, RefMove
from memory.publication import Acquired
from memory.queries.refs import reflog_of, refs_of
from memory.refnaming import RefNaming, render_ref_name
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, NotFound, PolicyDenied
from wire.operations import Listing, operation
from wire.paging import PagedQuery, decode_page, list_body, newest_first, page_of
from wire.parsing import parse_path_id, parse_query
from wire.times import render_time


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
