"""Imports of exports: a store is made out of an export, page by page (contract I1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from database.transactions import durable, step
from jobs.enqueueing import enqueue
from memory import receipts
from memory.actions.stores import (
    Owner,
    StoreSettings,
    insert_store,
    require_creation,
    require_owner,
)
from memory.importing.auditing import audit_import
from memory.importing.ending import abandon
from memory.importing.holding import hold_import
from memory.importing.jobs import IMPORT
from memory.importing.pages import CheckedPage
from memory.importing.staging import require_all_pages, stage_page, stage_whole
from memory.models import ImportState, Lifecycle, OwnerKind, StoreImport
from memory.retention import require_durable_bodies_in
from tenancy.caller import Caller
from wire.errors import Conflict
from wire.idempotency import IdempotencyKey
from wire.times import now


@dataclass(frozen=True, slots=True)
class BegunImport:
    """A new import as its creator sees it, and whether this request only told it again."""

    store_id: str
    replayed: bool


@durable
def begin_import(
    *, caller: Caller, settings: StoreSettings, key: IdempotencyKey | None = None
) -> BegunImport:
    """Make a pending store that an export will be imported into.

    Raises:
        PolicyDenied, Malformed: as `create_store` says.
        PolicyDenied: zero data retention.
        Conflict: the Idempotency-Key was used with another request.
    """
    require_creation(caller, settings)
    require_durable_bodies_in(caller.workspace_id)
    receipt = receipts.claim(caller=caller, key=key)
    if receipt.outcome:
        return BegunImport(receipt.outcome["store"], replayed=True)
    store = insert_store(caller=caller, settings=settings, lifecycle=Lifecycle.PENDING)
    moment = now()
    StoreImport.objects.create(
        store=store,
        workspace_id=caller.workspace_id,
        created_by_kind=caller.kind,
        created_by_uuid=caller.id or None,
        acting_principal_uuid=caller.acting_principal_id,
        created_at=moment,
        touched_at=moment,
    )
    receipts.keep(receipt, {"store": store.id}, store_id=store.id)
    return BegunImport(store.id, replayed=False)


@durable
def receive_page(*, caller: Caller, store_id: str, page: CheckedPage) -> None:
    """Keep one page of a paged export; the same ordinal again replaces it.

    Raises:
        PolicyDenied: the caller may not make stores for the owner any more, or zero data retention.
        Conflict: the import takes no pages any more, or a whole export came before.
        BundleFault: its manifest is another one.
    """
    made = _hold(caller, store_id)
    _require_receiving(made)
    stage_page(made, page)
    _received(caller, made, page.ordinal)


@durable
def receive_whole(*, caller: Caller, store_id: str, pages: Sequence[CheckedPage]) -> None:
    """Keep a whole export, cut into pages; sent again, it replaces itself.

    Raises:
        PolicyDenied, Conflict: as `receive_page` says; pages came before.
    """
    made = _hold(caller, store_id)
    _require_receiving(made)
    stage_whole(made, pages)
    _received(caller, made, 0)


@durable
def complete_import(
    *, caller: Caller, store_id: str, key: IdempotencyKey | None = None, by_worker: bool = True
) -> bool:
    """Have the store built of what was received; nothing can be added any more.

    Args:
        by_worker: False for who builds it by themselves, batch by batch.

    Returns:
        whether this request only told an earlier one's outcome again.

    Raises:
        PolicyDenied: as `receive_page` says.
        Conflict: pages are missing, the import is over, or the key was used with another request.
        BundleFault: the pages do not go together.
    """
    made = _hold(caller, store_id)
    receipt = receipts.claim(caller=caller, key=key, store_id=store_id)
    if receipt.outcome:
        return True
    _require_receiving(made)
    require_all_pages(made)
    if by_worker:
        made.job = enqueue(
            caller=caller,
            kind=IMPORT,
            target_kind="store",
            target_id=store_id,
            parameters={"items": sum(made.declared.values())},
        )
    made.state, made.touched_at = ImportState.BUILDING, now()
    made.save(update_fields=["state", "touched_at", "job"])
    receipts.keep(receipt, {"job": made.job_id})
    audit_import(caller=caller, made=made, event="import.completed")
    return False


@durable
def abandon_import(*, caller: Caller, store_id: str) -> None:
    """Give up an import that has not succeeded; a job deletes what it left.

    Raises:
        NotFound: it is abandoned already.
        Conflict: the import succeeded, and its store is a store like any other.
    """
    made = hold_import(store_id)
    if made.state == ImportState.SUCCEEDED:
        raise Conflict("The import has succeeded. Delete the store if it is not wanted.")
    abandon(caller=caller, made=made)


def _hold(caller: Caller, store_id: str) -> StoreImport:
    """Lock an import for somebody who still may make a store for its owner."""
    made = hold_import(store_id)
    require_owner(caller, Owner(OwnerKind(made.store.owner_kind), made.store.owner_id))
    require_durable_bodies_in(caller.workspace_id)
    return made


def _require_receiving(made: StoreImport) -> None:
    if made.state != ImportState.RECEIVING:
        raise Conflict(f"The import is {made.state}; it takes no pages and completes once.")


@step
def _received(caller: Caller, made: StoreImport, ordinal: int) -> None:
    made.touched_at = now()
    made.save(update_fields=["manifest", "whole", "touched_at"])
    audit_import(caller=caller, made=made, event="import.page_received", detail={"page": ordinal})
