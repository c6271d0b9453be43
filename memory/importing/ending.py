"""How an import ends when no store comes of it (contract I1)."""

from typing import Any

from database.transactions import step
from memory.models import ImportState, Lifecycle, MemoryStore, StoreImport
from tenancy.audit import record
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
    _audit(platform_caller(made.workspace), made, "import.refused", {"error": error.type})


@step
def abandon(*, caller: Caller, made: StoreImport) -> None:
    """Give an import up: nothing is told of it any more, and a job deletes what there is."""
    moment = now()
    StoreImport.objects.filter(store=made.store_id).update(
        state=ImportState.ABANDONED, error=None, touched_at=moment, finished_at=moment
    )
    MemoryStore.objects.filter(id=made.store_id).update(
        lifecycle=Lifecycle.DELETING, updated_at=moment
    )
    _audit(caller, made, "import.abandoned", {})


@step
def bury(store_id: str) -> None:
    """Leave the tombstone of a store that never opened: its identifier, and no word."""
    MemoryStore.objects.filter(id=store_id).update(
        lifecycle=Lifecycle.DELETED, name="", description="", metadata={}, updated_at=now()
    )


def _audit(caller: Caller, made: StoreImport, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        workspace_id=made.workspace_id,
        event=event,
        target_kind="store",
        target_id=made.store_id,
        detail=detail,
    )
