"""Who is signed in, and in which of their Workspaces they act now."""

from django.http import HttpRequest

from tenancy.authentication import caller_of_person
from tenancy.caller import Caller
from tenancy.models import Principal, User, Workspace
from tenancy.queries import principals_of
from wire.errors import DisabledTenancy

WORKSPACE_KEY = "workspace"
"""Session key of the Workspace a person last worked in."""


class ConsoleRequest(HttpRequest):
    """A request of a signed-in person who acts in one Workspace.

    Attributes:
        memberships: their active principals, one for each active Workspace, by its name.
        principal: the one they act as now.
        caller: the same as the rooms below know it.
    """

    user: User
    memberships: tuple[Principal, ...]
    principal: Principal
    caller: Caller


def enter(request: ConsoleRequest) -> None:
    """Find the person's Workspaces and choose the current one.

    Raises:
        DisabledTenancy: they are an active member of no active Workspace.
    """
    request.memberships = tuple(memberships_of(request.user))
    if not request.memberships:
        raise DisabledTenancy("You are not an active member of any active Workspace.")
    chosen = request.session.get(WORKSPACE_KEY)
    act_as(
        request,
        next((p for p in request.memberships if p.workspace_id == chosen), request.memberships[0]),
    )


def memberships_of(user: User) -> list[Principal]:
    """A person's active principals in active Workspaces, by the Workspace's name."""
    active = principals_of(user).filter(state=Principal.State.ACTIVE)
    return list(active.filter(workspace__state=Workspace.State.ACTIVE))


def act_as(request: ConsoleRequest, principal: Principal) -> None:
    """Make `principal` the one whose eyes the rest of the request sees with."""
    request.principal = principal
    request.caller = caller_of_person(principal)
