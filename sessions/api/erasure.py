"""/v1/sessions/{id}/erasure: erasing a Session, and how that stands (contract S7)."""

from typing import Literal, TypedDict

from rest_framework.request import Request
from rest_framework.response import Response

from jobs.api.jobs import JobOut, render_job
from memory.api.erasure import ErasureReportOut, render_report
from sessions.access import open_session
from sessions.actions.erasure import erase_session
from sessions.erasure.obstacles import Obstacle, obstacles
from sessions.models import Session
from sessions.queries.erasure import erasure_of
from tenancy.api.base import ApiView, caller_of
from wire.errors import NotFound, PolicyDenied
from wire.operations import operation
from wire.parsing import parse_nothing, parse_path_id

ErasureStateName = Literal["running", "pending", "erased"]
ObstacleName = Literal["working_ref", "proposal", "curation", "store", "round"]


class ObstacleOut(TypedDict):
    """What an erasure waits for: `id` names the Proposal, curation run, round, or the store itself.

    `store` is null of a round.
    """

    kind: ObstacleName
    id: str
    store: str | None


class SessionErasureOut(TypedDict):
    """How the erasure of a Session stands.

    It is `pending` while something waits for a decision that nobody but people can take.
    """

    session: str
    state: ErasureStateName
    pending: list[ObstacleOut]
    job: JobOut
    report: ErasureReportOut


def render_erasure(session: Session) -> SessionErasureOut:
    """An erasure on the wire."""
    report = erasure_of(session)
    standing = [] if session.state == Session.State.ERASED else obstacles(session)
    return {
        "session": session.id,
        "state": _state(session, standing),
        "pending": [_obstacle(one) for one in standing],
        "job": render_job(report.job),
        "report": render_report(report),
    }


def _state(session: Session, standing: list[Obstacle]) -> ErasureStateName:
    if session.state == Session.State.ERASED:
        return "erased"
    return "pending" if standing else "running"


def _obstacle(obstacle: Obstacle) -> ObstacleOut:
    return {
        "kind": obstacle.kind.value,
        "id": obstacle.id,
        "store": obstacle.store_id,
    }


class SessionErasureView(ApiView):
    versioned = True

    @operation(
        "sessions.getSessionErasure",
        summary="Say how the erasure of a Session stands",
        answers={200: SessionErasureOut},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """Counts, states and identifiers. For who may read the Session, and for admins."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        parse_nothing(request)
        access.require_known_erasure()
        return Response(render_erasure(access.session))

    @operation(
        "sessions.eraseSession",
        summary="Erase a Session",
        answers={202: SessionErasureOut},
        errors=(NotFound, PolicyDenied),
    )
    def post(self, request: Request, id: str) -> Response:
        """Nothing runs or writes in it any more, and its own stores are deleted. Needs an admin.

        Asked for again, it goes on at once: after what was pending is decided.
        """
        caller = caller_of(request)
        access = open_session(caller, parse_path_id("session", id))
        parse_nothing(request)
        erase_session(access=access)
        return Response(render_erasure(open_session(caller, access.session_id).session), status=202)
