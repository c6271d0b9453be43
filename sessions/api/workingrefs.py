"""/v1/memory-stores/{id}/working-refs: what Sessions wrote in a store (contract C7)."""

from typing import Annotated, TypedDict

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import open_store
from memory.api.changes import Operations, parse_operations
from memory.api.fields import Message, VersionId
from memory.api.publishing import Published
from memory.api.refs import MemoryRef, render_ref
from memory.api.replays import REPLAYED_HEADER, replay_headers
from sessions.access import find_session, open_session
from sessions.actions.checkpoints import CheckpointOutcome, NewCheckpoint, checkpoint
from sessions.actions.workingrefs import create_working_ref, release_working_ref
from sessions.api.publishing import publish_sessions
from sessions.publication import SessionsRead
from sessions.turns.checkpointing import Turn
from sessions.turns.workingrefs import working_refs_of
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    NotFound,
    PolicyDenied,
    RangeTooLarge,
    ReadOnly,
)
from wire.fields import IdOf
from wire.idempotency import require_key
from wire.operations import Listing, operation
from wire.paging import PagedQuery, decode_page, list_body, page_of
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query

TurnName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,128}$")]
"""A client's own name for a turn: letters, digits and `_ . : -`."""


class CreateWorkingRef(Body):
    """Whose working ref to make. It begins at canonical; no other version can be chosen."""

    session: Annotated[str, IdOf("session")]


class CreateCheckpoint(Body):
    """What a turn changed, all of it or nothing."""

    base_version: VersionId
    """Where the working ref must still be."""
    operations: Operations
    turn: TurnName | None = None
    """A turn seals one version of a store at most. Left out, the call is a turn of its own."""
    message: Message | None = None

    def wanted(self, session_id: str) -> NewCheckpoint:
        """The checkpoint as the action takes it."""
        return NewCheckpoint(
            turn=Turn(session_id, self.turn),
            base_version=self.base_version,
            operations=parse_operations(self.operations),
            message=self.message,
        )


class CheckpointOut(TypedDict):
    """What a checkpoint did. `version` is null when it altered nothing."""

    version: str | None
    changed_paths: list[str]
    canonical_advanced: bool
    replayed: bool


def render_checkpoint(outcome: CheckpointOutcome) -> CheckpointOut:
    """What a checkpoint did, on the wire."""
    return {
        "version": outcome.version_id,
        "changed_paths": outcome.changed_paths,
        "canonical_advanced": outcome.canonical_advanced,
        "replayed": outcome.replayed,
    }


class SessionRefsView(ApiView):
    versioned = True

    @operation(
        "sessions.listSessionWorkingRefs",
        summary="List the working refs of a Session",
        query=PagedQuery,
        answers={200: Listing[MemoryRef]},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """In whatever store, in the order of their making. They outlive the Session's archiving."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        query = parse_query(request, PagedQuery)
        access.require_read()
        after = decode_page(query.page, int)
        refs = working_refs_of(access.session_id).filter(id__gt=after[0] if after else 0)
        shown, next_page = page_of(refs[: query.limit + 1], query.limit, lambda ref: (ref.id,))
        answer = list_body([render_ref(ref) for ref in shown], next_page)
        return publish_sessions(SessionsRead([access]), answer)


class WorkingRefsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.createWorkingRef",
        summary="Make a Session's working ref",
        body=CreateWorkingRef,
        answers={201: MemoryRef},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str) -> Response:
        """At canonical, whose bodies it retains from now on. Needs `write` on the store.

        Compare the version in the answer with the one that you meant: canonical may have moved.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, CreateWorkingRef)
        key = require_key(request, body.model_dump(mode="json"))
        made = create_working_ref(access=access, session_id=body.session, key=key)
        headers = replay_headers(replayed=made.replayed)
        return Response(render_ref(made.ref), status=201, headers=headers)


class WorkingRefView(ApiView):
    versioned = True

    @operation(
        "memoryStores.releaseWorkingRef",
        summary="Release a Session's working ref",
        answers={204: None},
        errors=(NotFound, PolicyDenied, ReadOnly),
    )
    def delete(self, request: Request, id: str, session: str) -> Response:
        """It retains nothing any more; nothing is erased by that. Needs `write` on the store."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        session_id = parse_path_id("session", session)
        parse_nothing(request)
        release_working_ref(access=access, session_id=session_id)
        return Response(status=204)


class CheckpointView(ApiView):
    versioned = True

    @operation(
        "memoryStores.createCheckpoint",
        summary="Seal what a Session changed",
        body=CreateCheckpoint,
        answers={200: CheckpointOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, RangeTooLarge),
        idempotency="required",
    )
    def post(self, request: Request, id: str, session: str) -> Response:
        """On its working ref, which must still be at `base_version`.

        For the Session's own key, where its mount is writable, or with `write` on the store.
        Canonical of the Session's own store follows while it is at the base.
        """
        caller = caller_of(request)
        access = open_store(caller, parse_path_id("store", id))
        found = find_session(caller.workspace_id, parse_path_id("session", session))
        body = parse_body(request, CreateCheckpoint)
        key = require_key(request, body.model_dump(mode="json"))
        outcome = checkpoint(access=access, wanted=body.wanted(found.id), key=key)
        return Response(render_checkpoint(outcome))
