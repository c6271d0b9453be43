"""Enqueueing: a job's row commits with the change that needs it, or not at all."""

import re
from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Q
from django.db.models.functions import Now

from database.transactions import step
from jobs.messages import offer
from jobs.models import LIVE, Job, JobState
from jobs.registry import find_kind
from tenancy.audit import record
from tenancy.caller import Caller

_WORD: Final = re.compile(r"[a-z][a-z0-9_.]{0,99}")


@step
def enqueue(
    *,
    caller: Caller,
    kind: str,
    target_kind: str | None = None,
    target_id: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    once: bool = False,
) -> Job:
    """Enqueue work in the caller's Workspace; a worker is woken when the transaction commits.

    Args:
        kind: a registered kind of job.
        parameters: identifiers, numbers and closed words; never customer text (contract X5).
        once: a live job of the same kind on the same target is good enough, and returned.

    Raises:
        KeyError: nobody registered the kind.
        ValueError: the parameters hold something else.
    """
    _refuse_text(parameters or {})
    job = Job(
        workspace_id=caller.workspace_id,
        kind=find_kind(kind).name,
        target_kind=target_kind,
        target_uuid=target_id,
        parameters=dict(parameters or {}),
        slot=f"{kind} {target_id or caller.workspace_id}" if once else None,
        created_by_kind=caller.kind,
        created_by_uuid=caller.id or None,
        acting_principal_uuid=caller.acting_principal_id,
    )
    stored = _store(job)
    if stored.id == job.id:
        _audit(caller, job, target_id)
    return stored


@step
def enqueue_chore(kind: str) -> Job:
    """Enqueue a chore of the installation itself, unless one is live. Raises KeyError."""
    return _store(Job(kind=find_kind(kind).name, slot=kind))


@step
def enqueue_again(job_id: str) -> None:
    """Let workers go on with a job that failed or pauses, from where it stopped.

    Any other stays as it is.
    """
    failed, pausing = Q(state=JobState.FAILED), Q(state=JobState.QUEUED, not_before__gt=Now())
    if Job.objects.filter(failed | pausing, id=job_id).update(
        state=JobState.QUEUED,
        error=None,
        finished_at=None,
        attempts=0,
        not_before=Now(),
        offered_at=Now(),
    ):
        offer(job_id)


def _store(job: Job) -> Job:
    """Insert a job and offer it, or find the live one that has its slot."""
    Job.objects.bulk_create([job], ignore_conflicts=job.slot is not None)
    found = Job.objects.filter(id=job.id).first()
    if found is None:
        live = Job.objects.filter(slot=job.slot, state__in=LIVE).first()
        return live or _store(job)  # it ended in between
    offer(found.id)
    return found


def _audit(caller: Caller, job: Job, target_id: str | None) -> None:
    record(
        caller=caller,
        event="job.enqueued",
        target_kind="job",
        target_id=job.id,
        detail={"kind": job.kind} | ({"target": target_id} if target_id else {}),
    )


def _refuse_text(value: Any) -> None:
    """Raise ValueError unless a value is made of identifiers, numbers and closed words."""
    if isinstance(value, Mapping):
        _refuse_text([*value.keys(), *value.values()])
    elif isinstance(value, list):
        for each in value:
            _refuse_text(each)
    elif isinstance(value, str) and not _WORD.fullmatch(value):
        raise ValueError("a job's parameters are identifiers, numbers and closed words")
