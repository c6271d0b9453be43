"""Making, changing and archiving agents (contract §0)."""

from typing import Any

from database.transactions import durable
from tenancy.administration import bump_authority, require_admin, take_turn
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.changes import apply_changes
from tenancy.keys import end_agents_keys
from tenancy.models import Agent
from tenancy.names import checked_name
from tenancy.queries import find_agent
from wire.errors import ReadOnly


@durable
def create_agent(*, caller: Caller, name: str, description: str = "") -> Agent:
    """Make an agent in the caller's Workspace. It holds no grant yet.

    Raises:
        PolicyDenied: the caller does not administer the Workspace.
        Malformed: the name is not one line.
    """
    require_admin(caller)
    agent = Agent.objects.create(
        workspace_id=caller.workspace_id, name=checked_name(name), description=description
    )
    _audit(caller, agent, "agent.created", {})
    return agent


@durable
def change_agent(
    *, caller: Caller, agent_id: str, name: str | None = None, description: str | None = None
) -> Agent:
    """Rename or describe an agent anew; None leaves a value as it is.

    Raises:
        NotFound: the Workspace has no such agent.
        PolicyDenied: the caller does not administer the Workspace.
        ReadOnly: the agent is archived.
        Malformed: the name is not one line.
    """
    agent = find_agent(caller, agent_id, for_update=True)
    require_admin(caller)
    if agent.state == Agent.State.ARCHIVED:
        raise ReadOnly("The agent is archived and takes no changes.")
    values = {"name": name and checked_name(name), "description": description}
    changed = apply_changes(agent, values)
    if changed:
        agent.save(update_fields=changed)
        _audit(caller, agent, "agent.changed", {"fields": changed})
    return agent


@durable
def archive_agent(*, caller: Caller, agent_id: str) -> Agent:
    """Retire an agent for good: keys that act as it end. Archiving an archived one does nothing.

    Raises:
        NotFound: the Workspace has no such agent.
        PolicyDenied: the caller does not administer the Workspace.
    """
    caller = take_turn(caller)
    agent = find_agent(caller, agent_id, for_update=True)
    require_admin(caller)
    if agent.state != Agent.State.ARCHIVED:
        agent.state = Agent.State.ARCHIVED
        agent.save(update_fields=["state"])
        _audit(caller, agent, "agent.archived", {})
        end_agents_keys(caller, agent.id)
        bump_authority(caller.workspace_id)
    return agent


def _audit(caller: Caller, agent: Agent, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        event=event,
        target_kind="agent",
        target_id=agent.id,
        detail=detail,
    )
