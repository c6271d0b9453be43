"""How an import ends when no store comes of it (contract I1)."""

from database.transactions import step
from memory.erasure.closing import close_store
from memory.importing.auditing import audit_import
from memory.models import ImportState, StoreImport
from tenancy.caller import Caller, platform_caller
from wire.errors import ApiError
from wire.times import now


@step
def refuse(made: StoreImport, error: ApiError) -> None:
    """End an import because of what is wrong with the export; the store stays pending."""
    moment = now()
    StoreImport.objects.filter(store=made.store_id).update(
        state=ImportState.FAILED,
        error_type=error.type,
        error=error.message,
        touched_at=moment,
        finished_at=moment,
    )
    audit_import(
        caller=platform_caller(made.workspace),
        made=made,
        event="import.refused",
        detail={"error": error.type},
    )


@step
def abandon(*, caller: Caller, made: StoreImport) -> None:
    """Give up an import that is locked: its store is deleted as any other, unseen as it was."""
    close_store(caller=caller, store_id=made.store_id)
    audit_import(caller=caller, made=made, event="import.abandoned", detail={"state": made.state})
