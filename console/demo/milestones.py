"""How far a load has come, told by the audit trail of the demo's Workspace."""

from enum import StrEnum

from database.transactions import durable
from tenancy.audit import record
from tenancy.caller import platform_caller
from tenancy.models import AuditEntry, Workspace


class Milestone(StrEnum):
    """What is worth remembering of a load."""

    BEGUN = "demo.begun"
    LOADED = "demo.loaded"


def reached(workspace: Workspace, milestone: Milestone) -> bool:
    """Whether a load of this Workspace came so far."""
    return AuditEntry.objects.filter(workspace=workspace, event=milestone).exists()


@durable
def reach(workspace: Workspace, milestone: Milestone) -> None:
    """Remember that a load came so far."""
    record(
        caller=platform_caller(workspace),
        event=milestone,
        target_kind="workspace",
        target_id=workspace.id,
    )
