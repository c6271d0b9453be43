"""Leases: who works on a job, until when, and the fence that keeps everybody else from writing.

All times are the database's, so that clocks of workers need not agree.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from database.transactions import durable, step
from jobs.models import Job, JobState
from jobs.registry import Progress

LEASE: Final = timedelta(seconds=60)
"""How long a worker may stay silent before others take its job; each batch renews it."""

ATTEMPTS: Final = 10
"""How often a job is taken without getting on before it fails."""

LONGEST_PAUSE: Final = 600
"""Seconds between two attempts at most."""

LOST: Final = "WorkerLost"
"""The `error` of a job whose workers died every time."""

_FREE: Final[dict[str, Any]] = {"lease_owner": None, "lease_until": None}


class LeaseLost(Exception):
    """Somebody else has taken the job meanwhile: nothing of this batch may stay."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a job, as long as nobody has taken it since."""

    job_id: str
    kind: str
    epoch: int
    attempts: int


@durable
def take(job_id: str, *, owner: str) -> Lease | None:
    """Take a job that is due and that nobody works on.

    Returns:
        None when there is nothing to take: it is done, not due yet, or somebody else's.
    """
    job = takeable().select_for_update(skip_locked=True).filter(id=job_id).first()
    if job is None:
        return None
    if job.attempts >= ATTEMPTS:
        _finish(Job.objects.filter(id=job_id), JobState.FAILED, error=LOST)
        return None
    lease = Lease(job.id, job.kind, job.epoch + 1, job.attempts + 1)
    Job.objects.filter(id=job_id).update(
        state=JobState.RUNNING,
        epoch=lease.epoch,
        attempts=lease.attempts,
        lease_owner=owner,
        lease_until=Now() + LEASE,
        started_at=job.started_at or Now(),
    )
    return lease


def takeable() -> QuerySet[Job]:
    """The jobs that are due, or whose worker has been silent for too long."""
    due = Q(state=JobState.QUEUED, not_before__lte=Now())
    return Job.objects.filter(due | Q(state=JobState.RUNNING, lease_until__lt=Now()))


@step
def hold(lease: Lease) -> Job:
    """Lock a leased job until this transaction ends, so that nobody takes it meanwhile.

    Raises:
        LeaseLost: somebody has taken it already.
    """
    job = _leased(lease).select_for_update().first()
    if job is None:
        raise LeaseLost
    return job


@step
def keep(lease: Lease, progress: Progress) -> None:
    """Record a batch's progress, and renew the lease, let go of the job for a pause, or end it.

    Raises:
        LeaseLost: somebody has taken the job.
    """
    values: dict[str, Any] = {
        "done": progress.done,
        "total": progress.total,
        "position": progress.position,
        "result": progress.result,
        "attempts": 0,
    }
    if progress.finished:
        kept = _finish(_leased(lease), JobState.SUCCEEDED, **values)
    elif progress.pause is not None:
        later = Now() + progress.pause
        kept = _leased(lease).update(state=JobState.QUEUED, not_before=later, **_FREE, **values)
    else:
        kept = _leased(lease).update(lease_until=Now() + LEASE, **values)
    if not kept:
        raise LeaseLost


@durable
def put_back(lease: Lease) -> bool:
    """Give up a lease between two batches. Returns whether it was still ours."""
    return bool(_leased(lease).update(state=JobState.QUEUED, offered_at=Now(), **_FREE))


@durable
def give_up(lease: Lease, error: str, *, is_final: bool) -> None:
    """Record that a batch failed: for good, or until a pause that doubles each time is over.

    Args:
        error: the type's name, never a message (contract X5).
    """
    if is_final or lease.attempts >= ATTEMPTS:
        _finish(_leased(lease), JobState.FAILED, error=error)
        return
    pause = timedelta(seconds=min(2**lease.attempts, LONGEST_PAUSE))
    _leased(lease).update(state=JobState.QUEUED, not_before=Now() + pause, error=error, **_FREE)


def _leased(lease: Lease) -> QuerySet[Job]:
    return Job.objects.filter(id=lease.job_id, epoch=lease.epoch, state=JobState.RUNNING)


def _finish(
    jobs: QuerySet[Job], state: JobState, *, error: str | None = None, **values: Any
) -> int:
    return jobs.update(state=state, error=error, finished_at=Now(), **_FREE, **values)
