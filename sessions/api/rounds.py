"""/v1/inputs/{id}/rounds and /v1/rounds/{id}: the turns in which an input is worked on (S6)."""

from collections.abc import Sequence
from typing import Literal, TypedDict, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.publishing import Published
from memory.api.replays import REPLAYED_HEADER, replay_headers
from sessions.access import open_session
from sessions.actions.rounds import enter_round, finish_round
from sessions.api.publishing import publish_sessions
from sessions.api.resources import SessionCreatorOut
from sessions.models import MemoryCall, Round
from sessions.publication import SessionsRead
from sessions.queries.rounds import (
    NO_SUCH_INPUT,
    NO_SUCH_ROUND,
    find_input,
    find_round,
    rounds_of,
)
from sessions.turns.plans import Planned, plans_of
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied, ReadOnly
from wire.idempotency import require_key
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

RoundStateName = Literal["entered", "finished"]


class EnterRound(Body):
    """Nothing has to be said: the input says what is read."""


class WritingCallOut(TypedDict):
    """The call of an earlier round that sealed what is read now; its receipt can be read."""

    round: str
    call: str


class RoundMountOut(TypedDict):
    """What a mount is in one round.

    `version` is what it reads, and what a write has to be made on; null once that was erased.
    `written_by` is null until a round of the same input has written the store.
    """

    mount: int
    store: str
    version: str | None
    written_by: WritingCallOut | None
    writable: bool


class RoundOut(TypedDict):
    """One turn of an input. What it reads never changes; `finished_at` is null until it is over."""

    id: str
    input: str
    position: int
    state: RoundStateName
    mounts: list[RoundMountOut]
    entered_by: SessionCreatorOut
    entered_at: str
    finished_at: str | None


def render_round(entered: Round, plan: Sequence[Planned]) -> RoundOut:
    """A round on the wire."""
    creator = {"kind": entered.entered_by_kind, "id": entered.entered_by_id}
    return {
        "id": entered.id,
        "input": entered.input_id,
        "position": entered.position,
        "state": cast("RoundStateName", entered.state),
        "mounts": [_mount(planned) for planned in plan],
        "entered_by": cast("SessionCreatorOut", creator),
        "entered_at": render_time(entered.entered_at),
        "finished_at": render_time(entered.finished_at) if entered.finished_at else None,
    }


def _mount(planned: Planned) -> RoundMountOut:
    return {
        "mount": planned.mount.position,
        "store": planned.mount.store_id,
        "version": planned.version_id,
        "written_by": _call(planned.written_by) if planned.written_by else None,
        "writable": planned.mount.is_writable,
    }


def _call(call: MemoryCall) -> WritingCallOut:
    return {"round": call.round_id, "call": call.name}


def _shown(rounds: Sequence[Round]) -> list[RoundOut]:
    plans = plans_of(rounds)
    return [render_round(one, plans[one.id]) for one in rounds]


class RoundsView(ApiView):
    versioned = True

    @operation(
        "sessions.listInputRounds",
        summary="List the rounds of an input",
        query=PagedQuery,
        answers={200: Listing[RoundOut]},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Newest first. For who may read the Session, and for runners of its environment."""
        caller = caller_of(request)
        found = find_input(caller, parse_path_id("input", id))
        access = open_session(caller, found.session_id, NO_SUCH_INPUT)
        query = parse_query(request, PagedQuery)
        access.require_runs()
        rows, next_page = newest_first(rounds_of(found.id), query)
        return publish_sessions(SessionsRead([access]), list_body(_shown(rows), next_page))

    @operation(
        "sessions.enterRound",
        summary="Enter the next round",
        body=EnterRound,
        answers={201: RoundOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str) -> Response:
        """Once the one before is finished. It reads what the rounds before it wrote.

        For the Session's agent, a runner of its environment, or the acting principal. A version
        that is not kept any more is 503 `memory.backend_unavailable`: nothing is read instead.
        """
        caller = caller_of(request)
        found = find_input(caller, parse_path_id("input", id))
        access = open_session(caller, found.session_id, NO_SUCH_INPUT)
        body = parse_body(request, EnterRound)
        key = require_key(request, body.model_dump(mode="json"))
        entered = enter_round(access=access, accepted=found, key=key)
        shown = _shown([find_round(caller, entered.round_id)])[0]
        return Response(shown, status=201, headers=replay_headers(replayed=entered.replayed))


class RoundView(ApiView):
    versioned = True

    @operation(
        "sessions.getRound",
        summary="Get a round",
        answers={200: RoundOut},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """With the version that each mount reads, and the call that sealed it."""
        caller = caller_of(request)
        found = find_round(caller, parse_path_id("round", id))
        access = open_session(caller, found.input.session_id, NO_SUCH_ROUND)
        parse_nothing(request)
        access.require_runs()
        return publish_sessions(SessionsRead([access]), _shown([found])[0])


class RoundFinishView(ApiView):
    versioned = True

    @operation(
        "sessions.finishRound",
        summary="Finish a round",
        answers={200: RoundOut},
        errors=(NotFound, PolicyDenied),
    )
    def post(self, request: Request, id: str) -> Response:
        """Nothing is read or written in it any more, and the next may be entered."""
        caller = caller_of(request)
        found = find_round(caller, parse_path_id("round", id))
        access = open_session(caller, found.input.session_id, NO_SUCH_ROUND)
        parse_nothing(request)
        return Response(_shown([finish_round(access=access, entered=found)])[0])
