"""The audit trail: each action records itself in its own transaction."""

from typing import Any

from database.rows import insert_rows
from database.transactions import step
from tenancy.caller import Caller
from tenancy.models import AuditEntry
from wire.requestids import current_request_id
from wire.times import now


@step
def record(
    *,
    caller: Caller,
    event: str,
    target_kind: str,
    target_id: str,
    detail: dict[str, Any] | None = None,
) -> None:
    """Write one audit row.

    Args:
        caller: who did it, and in which Workspace.
        event: `noun.verb`, e.g. `proposal.approved`.
        detail: identifiers, counts, hashes and closed words; never customer text (X5).
    """
    entry = AuditEntry(
        workspace_id=caller.workspace_id,
        at=now(),
        event=event,
        actor_kind=caller.kind,
        actor_uuid=caller.id or None,
        acting_principal_uuid=caller.acting_principal_id,
        target_kind=target_kind,
        target_uuid=target_id,
        detail=detail or {},
        request_id=current_request_id.get(),
    )
    insert_rows([entry])
