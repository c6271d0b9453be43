"""Closing a store for good, inside somebody's transaction (contract X2)."""

from typing import Final

from django.db.models import F

from database.transactions import step
from jobs.enqueueing import enqueue
from jobs.models import Job
from memory.erasure.reports import open_report
from memory.models import ErasureReport, Lifecycle, MemoryStore
from tenancy.audit import record
from tenancy.caller import Caller
from wire.times import now

DELETE: Final = "store.delete"
"""The kind of job that drains a closed store."""


@step
def close_store(*, caller: Caller, store_id: str) -> Job:
    """Fence a store whose row is locked, and have workers delete all of it.

    Returns:
        the job, whose report tells what becomes of each place where text may still be.
    """
    MemoryStore.objects.filter(id=store_id).update(
        lifecycle=Lifecycle.DELETING,
        version=F("version") + 1,
        generation=F("generation") + 1,
        erasure_epoch=F("erasure_epoch") + 1,
        updated_at=now(),
    )
    job = enqueue(caller=caller, kind=DELETE, target_kind="store", target_id=store_id)
    open_report(
        caller=caller,
        job_id=job.id,
        store_id=store_id,
        operation=ErasureReport.Operation.STORE_DELETION,
    )
    record(
        caller=caller,
        event="store.deletion_requested",
        target_kind="store",
        target_id=store_id,
        detail={"job": job.id},
    )
    return job
