"""Retention policies and their sweeps, in the few words that tests need."""

from typing import Any

from jobs.models import Job
from memory.actions.retention import PolicyChanges, change_retention_policy
from memory.erasure.chores import SWEEP
from memory.models import RetentionPolicy
from memory.queries.retention import policy_of
from tenancy.models import Workspace
from tests.factories import caller_for, make_admin_key
from tests.work import run_to_the_end


def set_policy(
    workspace: Workspace, *, erase_existing: bool = False, **values: Any
) -> RetentionPolicy:
    """Change a Workspace's policy as an admin does."""
    return change_retention_policy(
        caller=caller_for(make_admin_key(workspace)[0]),
        version=policy_of(workspace.id).version,
        changes=PolicyChanges(values, erase_existing),
    )


def sweep() -> list[Job]:
    """Let the chore enqueue what is due, and work on it; the jobs of Workspaces, ended."""
    chore = Job.objects.create(kind=SWEEP)
    run_to_the_end(chore)
    jobs = list(Job.objects.filter(state="queued").order_by("id"))
    return [run_to_the_end(job) for job in jobs]
