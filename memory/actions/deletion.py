"""Deleting a store: closed at once, gone as soon as workers have drained it (contract X2)."""

from django.db.models import F

from database.transactions import durable
from jobs.enqueueing import enqueue, enqueue_again
from jobs.models import Job
from memory.access import GONE, StoreAccess
from memory.erasure.deletion import DELETE
from memory.erasure.reports import open_report
from memory.models import ErasureReport, Lifecycle, MemoryStore
from tenancy.administration import require_admin, require_bound
from tenancy.audit import record
from wire.times import now


@durable
def delete_store(*, access: StoreAccess) -> Job:
    """Close a store for good, and have workers delete all of it.

    From the commit on every content route answers 404 and nobody writes: writers lock the store's
    row at their end, so each of them is either in what is deleted or refused.

    Returns:
        the job; of a store that is being deleted or is deleted already, the one that does or did.
        One that had given up goes on.

    Raises:
        PolicyDenied: the caller is no admin of the Workspace, or only named its principal.
    """
    require_admin(access.caller)
    require_bound(access.caller)
    store = MemoryStore.objects.select_for_update(no_key=True).get(id=access.store_id)
    if store.lifecycle in GONE:
        enqueue_again(_job_of(store).id)
        return _job_of(store)
    MemoryStore.objects.filter(id=store.id).update(
        lifecycle=Lifecycle.DELETING,
        version=F("version") + 1,
        generation=F("generation") + 1,
        erasure_epoch=F("erasure_epoch") + 1,
        updated_at=now(),
    )
    job = enqueue(caller=access.caller, kind=DELETE, target_kind="store", target_id=store.id)
    open_report(
        caller=access.caller,
        job_id=job.id,
        store_id=store.id,
        operation=ErasureReport.Operation.STORE_DELETION,
    )
    record(
        caller=access.caller,
        workspace_id=access.caller.workspace_id,
        event="store.deletion_requested",
        target_kind="store",
        target_id=store.id,
        detail={"job": job.id},
    )
    return job


def _job_of(store: MemoryStore) -> Job:
    return Job.objects.get(
        erasure_report__store=store,
        erasure_report__operation=ErasureReport.Operation.STORE_DELETION,
    )
