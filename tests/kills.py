"""Workers that die before any statement, and others that go on with what they left."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from django.db import connection

from jobs.models import Job
from jobs.runner import run_slice


class Stopped(BaseException):
    """The process dies here."""


@contextmanager
def stopping_at(number: int) -> Iterator[None]:
    """Let the process die before its n-th statement. Its leases have run out at once."""
    statements = count(1)

    def run(execute: Any, *arguments: Any) -> Any:
        if next(statements) == number:
            raise Stopped
        return execute(*arguments)

    try:
        with connection.execute_wrapper(run):
            yield
    except Stopped:
        Job.objects.filter(state="running").update(lease_until="2020-01-01T00:00Z")


def work_and_die() -> None:
    """Work on all jobs, dying before the first statement of each, then the second, until all end.

    No pause is waited for. Raise `jobs.leases.ATTEMPTS` before.
    """
    live = Job.objects.filter(state__in=["queued", "running"]).order_by("-id")
    for number in count(1):
        for job in live.all():
            Job.objects.filter(id=job.id).update(not_before="2020-01-01T00:00Z")
            with stopping_at(number):
                run_slice(job.id, seconds=60)
        if not live.exists():
            break
