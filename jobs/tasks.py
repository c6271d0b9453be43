"""What a worker does when a message arrives, and when it begins and ends."""

from typing import Any

from celery import signals
from django.db import connections

from jobs import heartbeats, sweeping
from jobs.messages import RUN, answers, wake
from jobs.runner import run_slice


@answers(RUN)
def run(job_id: str) -> None:
    """Work on a job for a while; what is left goes to the back of the queue."""
    if run_slice(job_id):
        wake(job_id)


@answers("jobs.beat")
def beat() -> None:
    """Give a sign of life: beat, broker, worker and database all work."""
    heartbeats.record()


@answers("jobs.sweep")
def sweep() -> None:
    """Enqueue chores that are due, and offer jobs again whose message or worker was lost."""
    sweeping.enqueue_chores()
    for job_id in sweeping.overdue():
        wake(job_id)


def begin(**_: Any) -> None:
    """Say at once that somebody works here."""
    heartbeats.record()
    connections.close_all()  # no child process may inherit this one


def end(**_: Any) -> None:
    """Say at once that nobody works here any more."""
    heartbeats.forget()
    connections.close_all()


signals.worker_ready.connect(begin)
signals.worker_shutdown.connect(end)
