"""Runs, and what their mounts came to when they started."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import QuerySet

from sessions.models import Event, EventKind, Run
from tenancy.caller import Caller
from wire.errors import NotFound

NO_SUCH_RUN = "There is no such Run."


def runs_of(session_id: str) -> QuerySet[Run]:
    """A Session's Runs."""
    return Run.objects.filter(session=session_id)


def find_run(caller: Caller, run_id: str) -> Run:
    """A Run of the caller's Workspace. Raises NotFound."""
    run = Run.objects.filter(session__workspace=caller.workspace_id, id=run_id).first()
    if run is None:
        raise NotFound(NO_SUCH_RUN)
    return run


def find_run_of(session_id: str, run_id: str) -> Run:
    """A Run of a Session. Raises NotFound."""
    run = runs_of(session_id).filter(id=run_id).first()
    if run is None:
        raise NotFound("The Session has no such Run.")
    return run


def resources_of(session_id: str, run_ids: Collection[str]) -> Mapping[str, Any]:
    """What each mount came to at the start of some Runs of a Session. One query."""
    resolved = Event.objects.filter(session=session_id, kind=EventKind.RESOURCES_RESOLVED)
    events = resolved.filter(run_uuid__in=list(run_ids)) if run_ids else ()
    return {event.run_id: event.told["mounts"] for event in events if event.run_id}
