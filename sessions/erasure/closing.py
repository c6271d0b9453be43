"""Closing a Session for good, inside somebody's transaction (contract S7).

What can go at once goes here; the rest is the job's.
"""

from typing import Final

from database.transactions import step
from jobs.enqueueing import enqueue
from jobs.models import Job
from memory.erasure.reports import open_report
from memory.models import ErasureReport
from sessions.auditing import record_of_session
from sessions.erasure.stores import close_own_stores
from sessions.events.log import Entry, append
from sessions.models import ENDED, EventKind, Mount, Run, Session
from tenancy.administration import bump_authority
from tenancy.caller import Caller
from tenancy.keys import end_agents_keys
from wire.times import now

ERASE: Final = "session.erase"
"""The kind of job that sees an erasure to its end."""


@step
def close_session(*, caller: Caller, session: Session) -> Job:
    """Fence a Session whose row is locked, erase its words, and have workers erase the rest.

    Returns:
        the job, whose report tells what becomes of each place where text may still be.
    """
    Session.objects.filter(id=session.id).update(state=Session.State.ERASING)
    stopped = _stop_runs(session.id)
    blank_words(session.id)
    append(session.id, [Entry(EventKind.ERASURE_REQUESTED, {"runs": stopped})])
    end_agents_keys(caller, session.agent_id, session.id)
    close_own_stores(caller, session.id)
    job = enqueue(caller=caller, kind=ERASE, target_kind="session", target_id=session.id)
    open_report(
        caller=caller,
        job_id=job.id,
        store_id=None,
        operation=ErasureReport.Operation.SESSION_ERASURE,
    )
    told = {"job": job.id, "runs": len(stopped)}
    record_of_session(caller, session.id, "session.erasure_requested", **told)
    bump_authority(caller.workspace_id)
    return job


@step
def _stop_runs(session_id: str) -> list[str]:
    """End every Run that is going on; what its runner settles later is refused."""
    runs = Run.objects.filter(session=session_id).exclude(state__in=ENDED)
    stopped = list(runs.order_by("id").values_list("id", flat=True))
    runs.update(state=Run.State.STOPPED, ended_at=now())
    return stopped


@step
def blank_words(session_id: str) -> None:
    """Erase what the mounts of a Session tell its agent and its runtime (contract X5)."""
    Mount.objects.filter(session=session_id).update(instructions=None, mount_path=None)
