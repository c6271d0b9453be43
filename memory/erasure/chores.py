"""The chore that has each Workspace swept when something is due there (contract X3)."""

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from database.transactions import step
from jobs.enqueueing import enqueue
from jobs.models import Job
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.erasure.expiry import EXPIRE, has_expired_bodies
from memory.erasure.retirement import RETIRE
from memory.models import RetentionPolicy
from tenancy.caller import platform_caller
from tenancy.models import Workspace

SWEEP: Final = "retention.sweep"
EVERY: Final = timedelta(minutes=15)
RETIRED_EVERY: Final = timedelta(days=1)
AT_ONCE: Final = 20


def register() -> None:
    """Let it be done every quarter of an hour."""
    register_kind(JobKind(SWEEP, enqueue_sweeps, every=EVERY))


def enqueue_sweeps(work: Work) -> Progress:
    """Enqueue what is due in the next Workspaces."""
    workspaces = Workspace.objects.order_by("id")
    if work.position:
        workspaces = workspaces.filter(id__gt=work.position["behind"])
    found = list(workspaces[:AT_ONCE])
    for workspace in found:
        _enqueue_due(workspace)
    return Progress(
        finished=len(found) < AT_ONCE,
        done=work.done + len(found),
        position={"behind": found[-1].id} if found else {},
    )


@step
def _enqueue_due(workspace: Workspace) -> None:
    caller = platform_caller(workspace)
    if has_expired_bodies(workspace.id):
        enqueue(caller=caller, kind=EXPIRE, once=True)
    if _retires(workspace.id):
        enqueue(caller=caller, kind=RETIRE, once=True)


def _retires(workspace_id: str) -> bool:
    """Whether the Workspace wants superseded bodies to go, and has not looked for a day."""
    wanted = RetentionPolicy.objects.filter(
        workspace=workspace_id, retire_superseded_after_days__isnull=False
    )
    recent = Job.objects.filter(
        workspace=workspace_id, kind=RETIRE, created_at__gt=Now() - RETIRED_EVERY
    )
    return wanted.exists() and not recent.exists()
