"""A kind of job that leaves a trace of each batch, so that a lost or doubled one shows."""

import time

from jobs import registry
from jobs.registry import JobKind, Progress, Work
from tenancy.models import AuditEntry

TRACE = "tests.trace"
BATCHES = 40


def register() -> None:
    if TRACE not in registry._kinds:
        registry.register(JobKind(TRACE, trace))


def trace(work: Work) -> Progress:
    """Write down the number of this batch; slow enough to be killed in the middle of it."""
    number = work.position.get("next", 0)
    AuditEntry.objects.create(
        workspace_id=work.workspace_id,
        event="tests.traced",
        actor_kind="platform",
        target_kind="job",
        target_uuid=work.job_id,
        detail={"batch": number},
    )
    time.sleep(0.02)
    return Progress(
        finished=number + 1 == BATCHES,
        done=number + 1,
        total=BATCHES,
        position={"next": number + 1},
        result={"batches": number + 1},
    )
