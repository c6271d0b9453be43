"""The stores that a Session owns: they go with it (contract S7)."""

from django.db.models import Exists, F, OuterRef, QuerySet

from database.transactions import step
from jobs.enqueueing import enqueue_again
from jobs.models import Job, JobState
from memory.access import GONE
from memory.erasure.closing import close_store
from memory.models import ErasureReport, Lifecycle, MemoryStore, OwnerKind, Ref, RefKind
from memory.queries.owned import owned_stores
from tenancy.audit import record
from tenancy.caller import Caller
from wire.times import now


def own_stores(workspace_id: str, session_id: str) -> QuerySet[MemoryStore]:
    """The stores of a Session, tombstones too."""
    return owned_stores(workspace_id, OwnerKind.SESSION, session_id)


def curations_in(stores: QuerySet[MemoryStore]) -> QuerySet[Ref]:
    """The refs of curation runs that go on in some stores, and still read them."""
    return Ref.objects.filter(kind=RefKind.CURATION, store__in=stores).order_by("id")


def failed_deletions(stores: QuerySet[MemoryStore]) -> QuerySet[Job]:
    """The jobs that gave up deleting one of some stores."""
    return Job.objects.filter(
        state=JobState.FAILED,
        erasure_report__store__in=stores,
        erasure_report__operation=ErasureReport.Operation.STORE_DELETION,
    )


@step
def close_own_stores(caller: Caller, session_id: str) -> None:
    """Close every store of a Session, and have workers drain it.

    One in which a curation run goes on takes no writes, and is closed when that has ended.
    """
    stores = own_stores(caller.workspace_id, session_id).exclude(lifecycle__in=GONE)
    curated = Exists(Ref.objects.filter(kind=RefKind.CURATION, store=OuterRef("id")))
    for store in stores.annotate(is_curated=curated).select_for_update(no_key=True, of=("self",)):
        if not store.is_curated:
            close_store(caller=caller, store_id=store.id)
        elif store.lifecycle != Lifecycle.ARCHIVED:
            _archive(caller, store.id)


@step
def resume_deletions(workspace_id: str, session_id: str) -> None:
    """Let workers go on with the deletions of a Session's stores that gave up."""
    failed = failed_deletions(own_stores(workspace_id, session_id))
    for job_id in failed.values_list("id", flat=True):
        enqueue_again(job_id)


@step
def _archive(caller: Caller, store_id: str) -> None:
    MemoryStore.objects.filter(id=store_id).update(
        lifecycle=Lifecycle.ARCHIVED,
        version=F("version") + 1,
        generation=F("generation") + 1,
        updated_at=now(),
    )
    record(
        caller=caller,
        event="store.changed",
        target_kind="store",
        target_id=store_id,
        detail={"changed": ["lifecycle"], "lifecycle": Lifecycle.ARCHIVED.value},
    )
