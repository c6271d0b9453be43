"""Does what workers do, in the test's own process."""

from django.db import connection

from jobs.models import Job
from jobs.runner import run_slice


def run_to_the_end(job: Job) -> Job:
    """Work on a job, batch by batch, until it has succeeded; returns it as it ended."""
    while run_batches(job):
        pass
    job.refresh_from_db()
    assert job.state == "succeeded", job.error
    return job


def work_on_all() -> None:
    """Work on all jobs as long as that gets any of them on; no pause is waited for."""
    before = None
    while before != (before := list(Job.objects.order_by("id").values("state", "position"))):
        take_turns()


def take_turns() -> None:
    """Work on each job for a while."""
    for job in Job.objects.filter(state="queued").order_by("id"):
        Job.objects.filter(id=job.id).update(not_before="2020-01-01T00:00Z")
        while run_batches(job):
            pass


def run_batches(job: Job) -> bool:
    """Work on a job for one batch; whether there is more to do.

    References are checked when a transaction commits, which a test's own never does.
    """
    more = run_slice(job.id, seconds=0)
    connection.check_constraints()
    return more
