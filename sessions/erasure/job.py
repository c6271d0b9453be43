"""Seeing the erasure of a Session to its end, as a job (contract S7).

Its fence is closed already, and its own stores are drained by jobs of theirs. This one looks
until they are gone and nothing waits for a decision any more, reads back, and reports.
"""

from datetime import timedelta
from typing import Final

from django.db.models import Sum

from database.transactions import step
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.erasure.readback import look
from memory.models import ErasureReport, Lifecycle
from sessions.auditing import record_of_session
from sessions.erasure.closing import ERASE, blank_words
from sessions.erasure.native import drain_native
from sessions.erasure.obstacles import obstacles
from sessions.erasure.requests import forget_requests
from sessions.erasure.stores import close_own_stores, own_stores, resume_deletions
from sessions.events.log import Entry, append
from sessions.models import EventKind, Session
from sessions.queries.rounds import entered_rounds
from tenancy.caller import platform_caller

SOON: Final = timedelta(seconds=2)
"""How long workers that drain a store are left alone."""

LATER: Final = timedelta(hours=1)
"""How long somebody is given to decide, unless the erasure is asked for once more."""


def register() -> None:
    """Let workers erase Sessions."""
    register_kind(JobKind(ERASE, erase))


def erase(work: Work) -> Progress:
    """Do what can be done now; with nothing left, leave the tombstone."""
    assert work.target_id
    session = Session.objects.select_related("workspace").get(id=work.target_id)
    if not work.position:
        forget_requests(session)
        return _progress(session)
    if work.position["waiting"]:
        resume_deletions(session.workspace_id, session.id)
    close_own_stores(platform_caller(session.workspace), session.id)
    if not entered_rounds(session.id).exists() and drain_native(session.id):
        return _progress(session)
    standing = obstacles(session)
    if standing:
        return _progress(session, pause=LATER, standing=len(standing))
    if _living(session):
        return _progress(session, pause=SOON)
    _bury(work, session)
    return _progress(session, finished=True)


def _living(session: Session) -> int:
    own = own_stores(session.workspace_id, session.id)
    return own.exclude(lifecycle=Lifecycle.DELETED).count()


def _progress(
    session: Session,
    *,
    finished: bool = False,
    pause: timedelta | None = None,
    standing: int = 0,
) -> Progress:
    """How many of its stores are gone; the Session itself comes last."""
    stores = own_stores(session.workspace_id, session.id).count()
    gone = stores - _living(session)
    return Progress(
        finished=finished,
        done=gone + finished,
        total=stores + 1,
        position={"waiting": bool(standing)},
        result={"stores": gone, "pending": standing},
        pause=pause,
    )


@step
def _bury(work: Work, session: Session) -> None:
    """Leave the tombstone: identifiers and its log, and no word of anybody's."""
    blank_words(session.id)
    Session.objects.filter(id=session.id).update(state=Session.State.ERASED)
    append(session.id, [Entry(EventKind.ERASED, {})])
    report = ErasureReport.objects.select_related("job").get(job=work.job_id)
    _count(report, session)
    platform = platform_caller(session.workspace)
    record_of_session(platform, session.id, "session.erased", job=work.job_id)
    look(report)


@step
def _count(report: ErasureReport, session: Session) -> None:
    """Add up what the deletions of the Session's stores took away."""
    deletions = ErasureReport.objects.filter(
        store__in=own_stores(session.workspace_id, session.id),
        operation=ErasureReport.Operation.STORE_DELETION,
    )
    counted = ("version_count", "path_count", "hash_count")
    for name, value in deletions.aggregate(**{name: Sum(name) for name in counted}).items():
        setattr(report, name, value or 0)
    report.save()
