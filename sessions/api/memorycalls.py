"""/v1/rounds/{id}/memory-calls/{call}: what a round writes, and its receipt (contract S6)."""

import re
from typing import Final, TypedDict

from rest_framework.request import Request

from memory.api.changes import Operations, parse_operations
from memory.api.fields import Message
from memory.api.publishing import Published
from memory.api.replays import REPLAYED_HEADER, replay_headers
from memory.queries.versions import changed_paths
from sessions.access import open_session
from sessions.actions.calls import NewCall, write_memory
from sessions.api.inputs import Position
from sessions.api.publishing import publish_use
from sessions.models import MemoryCall
from sessions.queries.rounds import NO_SUCH_ROUND, find_call, find_round
from sessions.turns.native import open_use
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    Malformed,
    NotFound,
    PolicyDenied,
    RangeTooLarge,
    ReadOnly,
)
from wire.idempotency import require_key
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id
from wire.times import render_time

_NAME: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


class WriteMemory(Body):
    """What the call changes in one store, all of it or nothing, on the version that is read."""

    mount: Position
    operations: Operations
    message: Message | None = None

    def wanted(self, name: str) -> NewCall:
        """The call as the action takes it."""
        return NewCall(name, parse_operations(self.operations), self.message)


class MemoryCallOut(TypedDict):
    """A call, and what it sealed. `version` is null when it altered nothing."""

    round: str
    call: str
    mount: int
    store: str
    base_version: str
    version: str | None
    changed_paths: list[str]
    at: str


def render_call(call: MemoryCall) -> MemoryCallOut:
    """A call on the wire: the same when it is made, replayed and recovered."""
    sealed = call.checkpoint
    return {
        "round": call.round_id,
        "call": call.name,
        "mount": call.mount.position,
        "store": call.mount.store_id,
        "base_version": call.base_id,
        "version": sealed.version_id if sealed else None,
        "changed_paths": changed_paths(sealed.version_id) if sealed else [],
        "at": render_time(call.at),
    }


def _parse_name(text: str) -> str:
    """A runtime's own name for a call. Raises Malformed."""
    if not _NAME.fullmatch(text):
        raise Malformed("call: must be 1 to 128 letters, digits and any of `_ . : -`.")
    return text


class MemoryCallView(ApiView):
    versioned = True

    @operation(
        "sessions.writeMemory",
        summary="Write memory in a round",
        body=WriteMemory,
        answers={201: MemoryCallOut},
        errors=(
            NotFound,
            PolicyDenied,
            ReadOnly,
            Conflict,
            RangeTooLarge,
            AuthorizationUnavailable,
        ),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str, call: str) -> Published:
        """Seals a checkpoint, on the version that the round reads and no other. A round has one
        call; the same one sent again is told again, another one is 409.

        Principal and agent both need `write` now. When either loses `read` meanwhile the answer is
        refused, and what was written stays.
        """
        caller = caller_of(request)
        found = find_round(caller, parse_path_id("round", id))
        access = open_session(caller, found.input.session_id, NO_SUCH_ROUND)
        name = _parse_name(call)
        body = parse_body(request, WriteMemory)
        key = require_key(request, body.model_dump(mode="json"))
        use = open_use(access, found, body.mount)
        outcome = write_memory(use=use, wanted=body.wanted(name), key=key)
        headers = replay_headers(replayed=outcome.replayed)
        return publish_use(use, render_call(outcome.call), status=201, headers=headers)

    @operation(
        "sessions.recoverMemoryCall",
        summary="Recover what a call wrote",
        answers={200: MemoryCallOut},
        errors=(NotFound, PolicyDenied, ReadOnly, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, call: str) -> Published:
        """From its receipt, for when the answer was lost. Principal and agent both need `read`, and
        not `write`. Without a receipt it is 503 `memory.backend_unavailable`, which says neither
        that nothing was written nor that it may be written again.
        """
        caller = caller_of(request)
        found = find_round(caller, parse_path_id("round", id))
        access = open_session(caller, found.input.session_id, NO_SUCH_ROUND)
        name = _parse_name(call)
        parse_nothing(request)
        access.require_native()
        made = find_call(found, name)
        use = open_use(access, found, made.mount.position)
        return publish_use(use, render_call(made))
