"""Making a Workspace, and switching all of it off and on. For the operator's commands."""

import re

from database.transactions import durable
from tenancy.administration import bump_authority
from tenancy.audit import record
from tenancy.caller import platform_caller
from tenancy.models import Workspace
from wire.errors import Conflict, Malformed

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


@durable
def create_workspace(*, name: str) -> Workspace:
    """Make an empty Workspace.

    Args:
        name: 1 to 63 lowercase letters, digits and dashes; unique on this deployment.

    Raises:
        Malformed: the name is not of that form.
        Conflict: there is one of that name.
    """
    if not _SLUG.fullmatch(name):
        raise Malformed(
            "name: 1 to 63 lowercase letters, digits and dashes, beginning with no dash."
        )
    workspace, created = Workspace.objects.get_or_create(name=name)
    if not created:
        raise Conflict(f"There already is a Workspace called {name}: {workspace.id}.")
    _audit(workspace, "workspace.created")
    return workspace


@durable
def disable_workspace(*, workspace_id: str) -> Workspace:
    """Answer 403 `auth.disabled_tenancy` to everybody in a Workspace from now on."""
    return _set_state(workspace_id, Workspace.State.DISABLED, "workspace.disabled")


@durable
def enable_workspace(*, workspace_id: str) -> Workspace:
    """Let a disabled Workspace work again."""
    return _set_state(workspace_id, Workspace.State.ACTIVE, "workspace.enabled")


def _set_state(workspace_id: str, state: Workspace.State, event: str) -> Workspace:
    changed = Workspace.objects.filter(id=workspace_id).exclude(state=state).update(state=state)
    workspace = Workspace.objects.get(id=workspace_id)
    if changed:
        _audit(workspace, event)
        bump_authority(workspace_id)
    return workspace


def _audit(workspace: Workspace, event: str) -> None:
    record(
        caller=platform_caller(workspace),
        event=event,
        target_kind="workspace",
        target_id=workspace.id,
    )
