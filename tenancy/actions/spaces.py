"""Making and changing collaboration spaces, and who belongs to them (contract §0 "Grants")."""

from typing import Any

from database.transactions import durable
from tenancy import registry
from tenancy.administration import bump_authority, require_admin, take_turn
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.changes import apply_changes
from tenancy.models import CollaborationSpace, SpaceMember
from tenancy.names import checked_name
from tenancy.queries import find_space, members_of
from wire.errors import Conflict, NotFound


@durable
def create_space(*, caller: Caller, name: str, description: str = "") -> CollaborationSpace:
    """Make a space without members. It holds no grant yet.

    Raises:
        PolicyDenied: the caller does not administer the Workspace.
        Malformed: the name is not one line.
    """
    require_admin(caller)
    space = CollaborationSpace.objects.create(
        workspace_id=caller.workspace_id, name=checked_name(name), description=description
    )
    _audit(caller, space.id, "collaboration_space.created", {})
    return space


@durable
def change_space(
    *, caller: Caller, space_id: str, name: str | None = None, description: str | None = None
) -> CollaborationSpace:
    """Rename or describe a space anew; None leaves a value as it is.

    Raises:
        NotFound: the Workspace has no such space.
        PolicyDenied: the caller does not administer the Workspace.
        Malformed: the name is not one line.
    """
    space = find_space(caller, space_id, for_update=True)
    require_admin(caller)
    values = {"name": name and checked_name(name), "description": description}
    changed = apply_changes(space, values)
    if changed:
        space.save(update_fields=changed)
        _audit(caller, space.id, "collaboration_space.changed", {"fields": changed})
    return space


@durable
def add_member(
    *, caller: Caller, space_id: str, kind: SpaceMember.Kind, member_id: str
) -> SpaceMember:
    """Let a principal or an agent belong to a space: its grants reach them from now on.

    Raises:
        NotFound: the Workspace has no such space, principal or agent.
        PolicyDenied: the caller does not administer the Workspace.
        Conflict: they belong to it already.
    """
    caller = take_turn(caller)
    space = find_space(caller, space_id)
    require_admin(caller)
    if not registry.exists(kind, caller.workspace_id, member_id):
        raise NotFound(f"There is no {kind} {member_id} in this Workspace.")
    member, added = SpaceMember.objects.get_or_create(
        space=space, member_uuid=member_id, defaults={"member_kind": kind}
    )
    if not added:
        raise Conflict(f"{member_id} belongs to the space already.")
    _audit(caller, space.id, "collaboration_space.member_added", {"member": member_id})
    bump_authority(caller.workspace_id)
    return member


@durable
def remove_member(*, caller: Caller, space_id: str, member_id: str) -> None:
    """Let somebody not belong to a space any more; what they read just now is refused (R5).

    Raises:
        NotFound: the Workspace has no such space, or the space no such member.
        PolicyDenied: the caller does not administer the Workspace.
    """
    caller = take_turn(caller)
    space = find_space(caller, space_id)
    require_admin(caller)
    removed, _ = members_of(space).filter(member_uuid=member_id).delete()
    if not removed:
        raise NotFound(f"{member_id} does not belong to the space.")
    _audit(caller, space.id, "collaboration_space.member_removed", {"member": member_id})
    bump_authority(caller.workspace_id)


def _audit(caller: Caller, space_id: str, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        event=event,
        target_kind="collaboration_space",
        target_id=space_id,
        detail=detail,
    )
