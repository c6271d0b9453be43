"""Making, changing and archiving agents (contract §0)."""

from typing import Any

from database.transactions import durable
from tenancy.administration import bump_authority, require_admin
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.models import Agent
from tenancy.names import checked_name
from wire.errors import NotFound, ReadOnly


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
    agent = _locked_agent(caller, agent_id)
    require_admin(caller)
    if agent.state == Agent.State.ARCHIVED:
        raise ReadOnly("The agent is archived and takes no changes.")
    values = {"name": name and checked_name(name), "description": description}
    changed = [
        field
        for field, value in values.items()
        if value is not None and value != getattr(agent, field)
    ]
    for field in changed:
        setattr(agent, field, values[field])
    if changed:
        agent.save(update_fields=changed)
        _audit(caller, agent, "agent.changed", {"fields": changed})
    return agent


@durable
def archive_agent(*, caller: Caller, agent_id: str) -> Agent:
    """Retire an agent for good. Archiving an archived one changes nothing.

    Raises:
        NotFound: the Workspace has no such agent.
        PolicyDenied: the caller does not administer the Workspace.
    """
    agent = _locked_agent(caller, agent_id)
    require_admin(caller)
    if agent.state != Agent.State.ARCHIVED:
        agent.state = Agent.State.ARCHIVED
        agent.save(update_fields=["state"])
        _audit(caller, agent, "agent.archived", {})
        bump_authority(caller.workspace_id)
    return agent


def _locked_agent(caller: Caller, agent_id: str) -> Agent:
    agents = Agent.objects.select_for_update(no_key=True)
    agent = agents.filter(workspace=caller.workspace_id, id=agent_id).first()
    if agent is None:
        raise NotFound("There is no such agent.")
    return agent


def _audit(caller: Caller, agent: Agent, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        workspace_id=caller.workspace_id,
        event=event,
        target_kind="agent",
        target_id=agent.id,
        detail=detail,
    )
