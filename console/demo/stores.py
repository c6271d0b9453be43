"""Making the demo's stores and granting on them, each once."""

from contextlib import suppress

from memory.actions.stores import StoreSettings, create_store
from memory.models import MemoryStore
from tenancy.actions.permissions import assign
from tenancy.authority import Target
from tenancy.caller import Caller, Subject, platform_caller
from tenancy.models import Agent, Permission, Principal, SubjectKind, TargetKind, Workspace
from wire.errors import Conflict


def find_store(workspace: Workspace, name: str) -> str | None:
    """The ID of the demo's store of that name, if it was made."""
    stores = MemoryStore.objects.filter(workspace=workspace, name=name)
    return stores.order_by("id").values_list("id", flat=True).first()


def ensure_store(caller: Caller, workspace: Workspace, settings: StoreSettings) -> str:
    """Make a store unless it is there; return its ID."""
    found = find_store(workspace, settings.name)
    return found or create_store(caller=caller, settings=settings).store_id


def grant_on_store(store_id: str, holder: Principal | Agent, *permissions: Permission) -> None:
    """Let somebody do something on a store."""
    _grant(holder, Target(TargetKind.STORE, store_id), permissions)


def grant_on_agent(agent: Agent, holder: Principal, *permissions: Permission) -> None:
    """Let somebody do something with an agent."""
    _grant(holder, Target(TargetKind.AGENT, agent.id), permissions)


def _grant(holder: Principal | Agent, target: Target, permissions: tuple[Permission, ...]) -> None:
    kind = SubjectKind.AGENT if isinstance(holder, Agent) else SubjectKind.PRINCIPAL
    with suppress(Conflict):  # granted already
        assign(
            caller=platform_caller(holder.workspace),
            subject=Subject(kind, holder.id),
            target=target,
            permissions=permissions,
        )
