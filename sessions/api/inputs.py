"""/v1/sessions/{id}/inputs and /v1/inputs/{id}: what a Session is asked to work on (S6)."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, TypedDict, cast

from pydantic import AfterValidator, Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.publishing import Published
from memory.api.replays import REPLAYED_HEADER, replay_headers
from sessions.access import open_session
from sessions.actions.inputs import accept_input
from sessions.api.publishing import publish_sessions
from sessions.api.resources import SessionCreatorOut
from sessions.api.selections import Selecting, parse_selection, render_selection
from sessions.models import MOUNTS_AT_MOST, InputMount, SessionInput
from sessions.mounts.selections import Selection
from sessions.publication import SessionsRead
from sessions.queries.facts import selection_of
from sessions.queries.rounds import NO_SUCH_INPUT, find_input, inputs_of, plans_of_inputs
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    HarnessIncompatible,
    NotFound,
    PolicyDenied,
    ReadOnly,
)
from wire.idempotency import require_key
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

Position = Annotated[int, Field(ge=1, le=MOUNTS_AT_MOST)]
"""A mount of a Session, by its position from 1."""


class SelectionInput(Body):
    """What one mount selects for this input."""

    mount: Position
    selection: Selecting


def _each_mount_once(selections: list[SelectionInput]) -> list[SelectionInput]:
    """Refuse two selections for one mount."""
    if len({one.mount for one in selections}) < len(selections):
        raise ValueError("a mount selects at most once")
    return selections


class SendInput(Body):
    """What is asked is told to the agent, not here."""

    selections: Annotated[
        list[SelectionInput], Field(max_length=MOUNTS_AT_MOST), AfterValidator(_each_mount_once)
    ] = []
    """Instead of what the mounts select: the working ref, say, which an earlier input advanced."""

    def chosen(self) -> dict[int, Selection]:
        """The selections as the action takes them."""
        parsed = {one.mount: parse_selection(one.selection) for one in self.selections}
        return {mount: selection for mount, selection in parsed.items() if selection}


class InputMountOut(TypedDict):
    """What a mount comes to for an input, for good.

    `version` is what its first round reads; null once that was erased. `writable` says that the
    agent may be offered to write.
    """

    mount: int
    store: str
    selection: Selecting | None
    version: str | None
    writable: bool


class InputOut(TypedDict):
    """Something that a Session was asked, and what it may read and write for it."""

    id: str
    session: str
    mounts: list[InputMountOut]
    created_by: SessionCreatorOut
    created_at: str


def render_input(accepted: SessionInput, mounts: Sequence[InputMount]) -> InputOut:
    """An input on the wire."""
    creator = {"kind": accepted.created_by_kind, "id": accepted.created_by_id}
    return {
        "id": accepted.id,
        "session": accepted.session_id,
        "mounts": [_mount(mount) for mount in mounts],
        "created_by": cast("SessionCreatorOut", creator),
        "created_at": render_time(accepted.created_at),
    }


def _mount(mount: InputMount) -> InputMountOut:
    return {
        "mount": mount.position,
        "store": mount.store_id,
        "selection": render_selection(selection_of(mount)),
        "version": mount.version_id,
        "writable": mount.is_writable,
    }


def _shown(inputs: Sequence[SessionInput]) -> list[InputOut]:
    plans = defaultdict(list)
    for mount in plans_of_inputs([one.id for one in inputs]):
        plans[mount.input_id].append(mount)
    return [render_input(one, plans[one.id]) for one in inputs]


class InputsView(ApiView):
    versioned = True

    @operation(
        "sessions.listSessionInputs",
        summary="List the inputs of a Session",
        query=PagedQuery,
        answers={200: Listing[InputOut]},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Newest first. For who may read the Session, and for runners of its environment."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        query = parse_query(request, PagedQuery)
        access.require_runs()
        rows, next_page = newest_first(inputs_of(access.session_id), query)
        return publish_sessions(SessionsRead([access]), list_body(_shown(rows), next_page))

    @operation(
        "sessions.sendSessionInput",
        summary="Send an input",
        body=SendInput,
        answers={201: InputOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, HarnessIncompatible),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str) -> Response:
        """Where the environment writes natively. It freezes what each mount reads and whether it
        may be written, for all rounds, and makes the working refs.

        For the acting principal, or with `write` on the Session, never for a service. A mount that
        comes to nothing refuses it.
        """
        access = open_session(caller_of(request), parse_path_id("session", id))
        body = parse_body(request, SendInput)
        key = require_key(request, body.model_dump(mode="json"))
        accepted = accept_input(access=access, chosen=body.chosen(), key=key)
        found = find_input(access.caller, accepted.require())
        headers = replay_headers(replayed=accepted.replayed)
        return Response(_shown([found])[0], status=201, headers=headers)


class InputView(ApiView):
    versioned = True

    @operation(
        "sessions.getSessionInput",
        summary="Get an input",
        answers={200: InputOut},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """For who may read its Session, and for runners of the Session's environment."""
        caller = caller_of(request)
        found = find_input(caller, parse_path_id("input", id))
        access = open_session(caller, found.session_id, NO_SUCH_INPUT)
        parse_nothing(request)
        access.require_runs()
        return publish_sessions(SessionsRead([access]), _shown([found])[0])
