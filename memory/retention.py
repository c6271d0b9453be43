"""What a Workspace's retention policy allows and sets at the moment of a write (contract X3).

A change of the policy counts as a change of authority (`Workspace.authority_epoch`), so that
`memory.access.reopened` sees one that comes while a write is under way.
"""

from datetime import datetime, timedelta

from memory.access import StoreAccess
from memory.models import RetentionPolicy
from wire.errors import PolicyDenied
from wire.times import now

ZERO_RETENTION = "The Workspace's zero data retention forbids every new durable body."


def require_durable_bodies(access: StoreAccess) -> None:
    """Refuse what would keep a new body under zero data retention.

    Raises:
        PolicyDenied: naming the policy.
    """
    if access.store.zero_data_retention:
        raise PolicyDenied(ZERO_RETENTION)


def body_ceiling(access: StoreAccess) -> datetime | None:
    """When a body written now has to go, whatever happens; None when the policy sets no time."""
    days = access.store.body_lifetime_days
    return now() + timedelta(days=days) if days is not None else None


def require_durable_bodies_in(workspace_id: str) -> None:
    """The same for a store that nobody has opened, or that is still to be made.

    Raises:
        PolicyDenied: naming the policy.
    """
    if has_zero_retention(workspace_id):
        raise PolicyDenied(ZERO_RETENTION)


def has_zero_retention(workspace_id: str) -> bool:
    """Whether a Workspace's policy is zero data retention."""
    policies = RetentionPolicy.objects.filter(workspace=workspace_id)
    return policies.filter(zero_data_retention=True).exists()


def body_ceiling_in(workspace_id: str) -> datetime | None:
    """When a body written now anywhere in a Workspace has to go; None when no time is set."""
    policies = RetentionPolicy.objects.filter(workspace=workspace_id)
    days = policies.values_list("body_lifetime_days", flat=True).first()
    return now() + timedelta(days=days) if days is not None else None
