"""Retention policies and their sweeps, in the few words that tests need."""

from typing import Any

from jobs.models import Job
from jobs.runner import run_slice
from memory.actions.retention import PolicyChanges, change_retention_policy
from memory.erasure.chores import SWEEP
from memory.models import RetentionPolicy
from memory.queries.retention import policy_of
from tenancy.models import Workspace
from tests.factories import caller_for, make_admin_key


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
    for job in jobs:
        run_to_the_end(job)
    return jobs


def run_to_the_end(job: Job) -> None:
    """Work on a job until there is nothing left to do."""
    while run_slice(job.id, seconds=0):
        pass
    job.refresh_from_db()
    assert job.state == "succeeded", job.error
