"""The workers' application, quicker to notice the dead, and with a kind of job to watch."""

from datetime import timedelta

import django

from jobs.celery import app

__all__ = ["app"]

django.setup()

from jobs import leases, runner, sweeping  # noqa: E402 (models need Django first)
from memory.erasure import draining  # noqa: E402
from tests.jobs import kinds  # noqa: E402

kinds.register()
leases.LEASE = timedelta(seconds=1)  # type: ignore[misc]
leases.ATTEMPTS = 1_000  # type: ignore[misc] # a killer quicker than a batch proves nothing
draining.BATCH = 3  # type: ignore[misc] # many batches, so that there are many to be killed in
runner.SLICE = 0.3  # type: ignore[misc]
sweeping.PATIENCE = timedelta(seconds=0.2)  # type: ignore[misc]
for entry in app.conf.beat_schedule.values():
    entry.update(schedule=0.3, options={"expires": 1})
