"""The audit rows of an import: what was done to it, never what is in it (contract I1, X5)."""

from typing import Any

from database.transactions import step
from memory.models import StoreImport
from tenancy.audit import record
from tenancy.caller import Caller


@step
def audit_import(
    *, caller: Caller, made: StoreImport, event: str, detail: dict[str, Any] | None = None
) -> None:
    """Write an audit row about an import, or about the store that comes of it.

    Args:
        detail: as `tenancy.audit.record` has it.
    """
    record(
        caller=caller,
        event=event,
        target_kind="store",
        target_id=made.store_id,
        detail=detail,
    )
