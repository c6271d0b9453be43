"""Who may administer a Workspace, and the epoch that tells that authority changed."""

from django.db.models import F

from database.transactions import step
from tenancy.authority import Target, permissions_held, require
from tenancy.caller import Caller
from tenancy.models import Permission, TargetKind, Workspace
from tenancy.recheck import recheck_authority
from wire.errors import NotFound, PolicyDenied


def require_admin(caller: Caller) -> None:
    """Raise PolicyDenied unless the caller administers the Workspace (contract §0)."""
    if not caller.is_admin:
        raise PolicyDenied("This needs an admin key, or a signed-in Workspace admin.")


def require_bound(caller: Caller) -> None:
    """Raise PolicyDenied for a principal that the key only named (contract §0)."""
    if caller.named_principal_id:
        raise PolicyDenied(
            "A principal that was only named in Checkfu-Acting-Principal may not do this."
            " Use a key that is bound to it."
        )


def may_know_of(caller: Caller, target: Target) -> bool:
    """Whether a target may be told of: stores are known to their readers and to admins only."""
    return (
        caller.is_admin
        or target.kind != TargetKind.STORE
        or Permission.READ in permissions_held(target, caller)
    )


def require_grant_authority(caller: Caller, target: Target) -> None:
    """Check that the caller may see and change the assignments of a target.

    Workspace admins may everywhere; on a store also whoever holds `admin` on it.

    Raises:
        NotFound: the target is a store that the caller may not know of.
        PolicyDenied: naming what is missing.
    """
    if caller.is_admin:
        return
    if target.kind != TargetKind.STORE:
        require_admin(caller)
    held = permissions_held(target, caller)
    if Permission.READ not in held:
        raise NotFound("There is no such memory store.")
    require(held, Permission.ADMIN, target.id)


@step
def take_turn(caller: Caller) -> Caller:
    """Wait for other changes of authority in the Workspace, and ask again who the caller is now.

    So nobody grants anything in the moment in which they are removed. Changes that come later wait
    until this transaction ends.

    Raises:
        InvalidKey, DisabledTenancy, PolicyDenied: what a fresh request would get.
    """
    workspaces = Workspace.objects.select_for_update(no_key=True)
    workspaces.filter(id=caller.workspace_id).values_list("id").get()
    return recheck_authority(caller)


@step
def bump_authority(workspace_id: str) -> None:
    """Tell that authority changed in a Workspace, so that reads in flight ask again (R5).

    Call it last: the row is shared by all writers of the Workspace.
    """
    Workspace.objects.filter(id=workspace_id).update(authority_epoch=F("authority_epoch") + 1)
