"""Erasing a Session: closed at once, gone when workers and people are done (contract S7)."""

from database.transactions import durable
from jobs.enqueueing import enqueue_again
from jobs.models import Job
from sessions.access import SessionAccess, held
from sessions.erasure.closing import close_session
from sessions.models import Session
from sessions.queries.erasure import erasure_of


@durable
def erase_session(*, access: SessionAccess) -> Job:
    """Close a Session for good, and have workers erase what is its own.

    From the commit on nothing runs or writes in it: who writes in it holds its row at some time,
    and is either done before, or refused. Its working refs in stores of others stay (C7).

    Returns:
        the job; of a Session that is being erased or is erased already, the one that does or did.
        One that waits, or had given up, goes on.

    Raises:
        PolicyDenied: the caller is no admin of the Workspace, or only named its principal.
        NotFound, InvalidKey, DisabledTenancy: what a fresh request would get.
    """
    access.require_erasure()
    access = held(access)
    access.require_erasure()
    session = Session.objects.select_for_update().get(id=access.session_id)
    if session.is_being_erased:
        job = erasure_of(session).job
        enqueue_again(job.id)
        return job
    return close_session(caller=access.caller, session=session)
