"""Deleting a store: closed at once, gone as soon as workers have drained it (contract X2)."""

from database.transactions import durable
from jobs.enqueueing import enqueue_again
from jobs.models import Job
from memory.access import GONE, StoreAccess, reopened
from memory.erasure.closing import close_store
from memory.models import ErasureReport, MemoryStore
from tenancy.administration import require_admin, require_bound


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
        InvalidKey, DisabledTenancy: what a fresh request would get.
    """
    require_admin(access.caller)
    require_bound(access.caller)
    store = MemoryStore.objects.select_for_update(no_key=True).get(id=access.store_id)
    require_admin(reopened(access).caller)
    if store.lifecycle in GONE:
        enqueue_again(_job_of(store).id)
        return _job_of(store)
    return close_store(caller=access.caller, store_id=store.id)


def _job_of(store: MemoryStore) -> Job:
    return Job.objects.get(
        erasure_report__store=store,
        erasure_report__operation=ErasureReport.Operation.STORE_DELETION,
    )
