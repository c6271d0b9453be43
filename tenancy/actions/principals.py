"""Making and changing principals (contract §0)."""

from dataclasses import dataclass
from typing import Any

from database.transactions import durable, step
from tenancy.administration import bump_authority, require_admin, take_turn
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.changes import apply_changes
from tenancy.models import Principal, User
from tenancy.names import checked_name
from tenancy.queries import find_principal
from tenancy.signin import add_user
from wire.errors import Conflict, Malformed


@dataclass(frozen=True, slots=True)
class PrincipalChanges:
    """New values for a principal; None leaves one as it is."""

    name: str | None = None
    is_admin: bool | None = None
    state: Principal.State | None = None


@durable
def create_principal(
    *,
    caller: Caller,
    kind: Principal.Kind,
    name: str,
    user: User | None = None,
    is_admin: bool = False,
) -> Principal:
    """Make a person or a service in the caller's Workspace.

    Args:
        user: the sign-in of a person who uses the Console.
        is_admin: whether the person, signed in, administers the Workspace.

    Raises:
        PolicyDenied: the caller does not administer the Workspace.
        Malformed: a service cannot sign in or administer; or the name is not one line.
        Conflict: the sign-in belongs to another principal of the Workspace.
    """
    return _add_principal(caller=caller, kind=kind, name=name, user=user, is_admin=is_admin)


@durable
def create_person(
    *, caller: Caller, name: str, username: str, password: str, is_admin: bool = False
) -> Principal:
    """Make a person together with a new sign-in.

    Raises:
        PolicyDenied: the caller does not administer the Workspace.
        Malformed: the name, username or password is not acceptable.
        Conflict: the username is taken.
    """
    return _add_principal(
        caller=caller,
        kind=Principal.Kind.PERSON,
        name=name,
        user=add_user(username=username, password=password),
        is_admin=is_admin,
    )


@durable
def change_principal(*, caller: Caller, principal_id: str, changes: PrincipalChanges) -> Principal:
    """Rename a principal, make it an admin or not, disable or enable it.

    Raises:
        NotFound: the Workspace has no such principal.
        PolicyDenied: the caller does not administer the Workspace.
        Malformed: a service cannot administer; or the name is not one line.
    """
    caller = take_turn(caller)
    principal = find_principal(caller, principal_id, for_update=True)
    require_admin(caller)
    _require_person(principal.kind, changes.is_admin)
    changed = _apply(principal, changes)
    if changed:
        principal.save(update_fields=changed)
        _audit(caller, principal, "principal.changed", {"fields": changed})
    if {"is_admin", "state"} & set(changed):
        bump_authority(caller.workspace_id)
    return principal


@step
def _add_principal(
    *, caller: Caller, kind: Principal.Kind, name: str, user: User | None, is_admin: bool
) -> Principal:
    caller = take_turn(caller)
    require_admin(caller)
    _require_person(kind, is_admin or user)
    values = {"kind": kind, "name": checked_name(name), "is_admin": is_admin}
    principal, created = _insert(caller.workspace_id, user, values)
    if not created:
        raise Conflict("That sign-in already belongs to a principal of this Workspace.")
    _audit(caller, principal, "principal.created", {"kind": kind, "is_admin": is_admin})
    return principal


def _insert(workspace_id: str, user: User | None, values: dict[str, Any]) -> tuple[Principal, bool]:
    if user is None:
        return Principal.objects.create(workspace_id=workspace_id, **values), True
    return Principal.objects.get_or_create(workspace_id=workspace_id, user=user, defaults=values)


def _require_person(kind: str, wanted: object) -> None:
    if wanted and kind != Principal.Kind.PERSON:
        raise Malformed("kind: a service neither signs in nor administers.")


def _apply(principal: Principal, changes: PrincipalChanges) -> list[str]:
    """Set the values that differ, and return the names of their fields."""
    name = None if changes.name is None else checked_name(changes.name)
    values = {"name": name, "is_admin": changes.is_admin, "state": changes.state}
    return apply_changes(principal, values)


def _audit(caller: Caller, principal: Principal, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        event=event,
        target_kind="principal",
        target_id=principal.id,
        detail=detail,
    )
