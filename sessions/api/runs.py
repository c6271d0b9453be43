"""/v1/sessions/{id}/runs and /v1/runs/{id}: turns of a Session (contract S3, S5)."""

from typing import Any, Literal, TypedDict, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.publishing import Published
from memory.api.replays import REPLAYED_HEADER, replay_headers
from sessions.access import open_session
from sessions.actions.runs import start_run
from sessions.api.events import ResolvedMountOut
from sessions.api.publishing import publish_sessions
from sessions.api.resources import SessionCreatorOut
from sessions.models import Run
from sessions.publication import SessionsRead
from sessions.queries.runs import NO_SUCH_RUN, find_run, resources_of, runs_of
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

RunStateName = Literal["running", "failed", "partially_settled", "settled", "stopped"]


class StartRun(Body):
    """Nothing has to be said: the Session says what is mounted."""


class RunOut(TypedDict):
    """One turn of a Session, with what its mounts came to when it started.

    It fails when the environment cannot list what was written. `ended_at` is null until it is
    settled whole, or failed.
    """

    id: str
    session: str
    state: RunStateName
    mounts: list[ResolvedMountOut]
    created_by: SessionCreatorOut
    created_at: str
    ended_at: str | None


def render_run(run: Run, mounts: Any) -> RunOut:
    """A Run on the wire."""
    creator = {"kind": run.created_by_kind, "id": run.created_by_id}
    return {
        "id": run.id,
        "session": run.session_id,
        "state": cast("RunStateName", run.state),
        "mounts": mounts,
        "created_by": cast("SessionCreatorOut", creator),
        "created_at": render_time(run.created_at),
        "ended_at": render_time(run.ended_at) if run.ended_at else None,
    }


def _shown(session_id: str, runs: list[Run]) -> list[RunOut]:
    mounts = resources_of(session_id, [run.id for run in runs])
    return [render_run(run, mounts[run.id]) for run in runs]


class RunsView(ApiView):
    versioned = True

    @operation(
        "sessions.listRuns",
        summary="List the Runs of a Session",
        query=PagedQuery,
        answers={200: Listing[RunOut]},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Newest first. For who may read the Session, and for runners of its environment."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        query = parse_query(request, PagedQuery)
        access.require_runs()
        rows, next_page = newest_first(runs_of(access.session_id), query)
        answer = list_body(_shown(access.session_id, rows), next_page)
        return publish_sessions(SessionsRead([access]), answer)

    @operation(
        "sessions.startRun",
        summary="Start a Run",
        body=StartRun,
        answers={201: RunOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, HarnessIncompatible),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str) -> Response:
        """Freezes what each mount reads, and makes the working refs that it will write on.

        For the acting principal, or with `write` on the Session. A mount that comes to nothing
        refuses the Run; where the environment would lose what is written, a failed one is kept.
        """
        access = open_session(caller_of(request), parse_path_id("session", id))
        body = parse_body(request, StartRun)
        key = require_key(request, body.model_dump(mode="json"))
        started = start_run(access=access, key=key)
        run = find_run(access.caller, started.require())
        headers = replay_headers(replayed=started.replayed)
        return Response(_shown(run.session_id, [run])[0], status=201, headers=headers)


class RunView(ApiView):
    versioned = True

    @operation(
        "sessions.getRun",
        summary="Get a Run",
        answers={200: RunOut},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """For who may read its Session, and for runners of the Session's environment."""
        caller = caller_of(request)
        run = find_run(caller, parse_path_id("run", id))
        access = open_session(caller, run.session_id, NO_SUCH_RUN)
        parse_nothing(request)
        access.require_runs()
        return publish_sessions(SessionsRead([access]), _shown(run.session_id, [run])[0])
