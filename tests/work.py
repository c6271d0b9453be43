"""Does what workers do, in the test's own process."""

from jobs.models import Job
from jobs.runner import run_slice


def run_to_the_end(job: Job) -> Job:
    """Work on a job, batch by batch, until it has succeeded; returns it as it ended."""
    while run_slice(job.id, seconds=0):
        pass
    job.refresh_from_db()
    assert job.state == "succeeded", job.error
    return job
