"""The audit rows of what happens to a Session."""

from typing import Any

from database.transactions import step
from tenancy.audit import record
from tenancy.caller import Caller


@step
def record_of_session(caller: Caller, session_id: str, event: str, **detail: Any) -> None:
    """Write one audit row about a Session.

    Args:
        event, detail: as `tenancy.audit.record` says.
    """
    record(
        caller=caller,
        event=event,
        target_kind="session",
        target_id=session_id,
        detail=detail,
    )
