"""Who there is in the demo: its people, an agent and where it works, and a service."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tenancy.actions.agents import create_agent
from tenancy.actions.environments import Abilities, create_environment
from tenancy.actions.principals import create_person, create_principal
from tenancy.actions.spaces import add_member, create_space
from tenancy.caller import platform_caller
from tenancy.models import (
    Agent,
    CollaborationSpace,
    Environment,
    Principal,
    SpaceMember,
    Workspace,
)
from wire.errors import Conflict


@dataclass(frozen=True, slots=True)
class Account:
    """A sign-in of the demo."""

    username: str
    name: str
    purpose: str
    is_admin: bool = False


REVIEWER: Final = Account("reviewer", "Reviewer", "decides on Proposals")
AUTHOR: Final = Account("author", "Author", "writes, proposes, and starts Sessions of the agent")
ADMIN: Final = Account("admin", "Admin", "administers, reads what it was granted", is_admin=True)
ACCOUNTS: Final = (REVIEWER, AUTHOR, ADMIN)

SERVICE: Final = "Support assistant"
AGENT: Final = "Support agent"
AGENT_DESCRIPTION: Final = "Answers customers, and proposes what it learned on the way."
ENVIRONMENT: Final = "Support desk"
ENVIRONMENT_DESCRIPTION: Final = "Machines that run the agent and send what each turn left."
CHAT: Final = "Web chat"
CHAT_DESCRIPTION: Final = "Where customers write, and the agent's own calls change its notes."
SPACE: Final = "Support room"
SPACE_DESCRIPTION: Final = "Where the team and its agent answer together."


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody in the demo."""

    workspace: Workspace
    reviewer: Principal
    author: Principal
    admin: Principal
    service: Principal
    agent: Agent
    environment: Environment
    chat: Environment
    space: CollaborationSpace


def gather(workspace: Workspace, password: str) -> Cast:
    """Find everybody, and make who is missing.

    Raises:
        Conflict: somebody else signs in under one of the usernames.
    """
    reviewer, author, admin = (_person(workspace, account, password) for account in ACCOUNTS)
    service, agent = service_of(workspace), _agent(workspace)
    machines, chat = _environments(workspace)
    space = _space(workspace, {"principal": author.id, "agent": agent.id})
    return Cast(workspace, reviewer, author, admin, service, agent, machines, chat, space)


def people_of(workspace: Workspace) -> list[Principal]:
    """The demo's people that are there already."""
    usernames = [account.username for account in ACCOUNTS]
    people = Principal.objects.filter(workspace=workspace, user__username__in=usernames)
    return list(people.select_related("user"))


def service_of(workspace: Workspace) -> Principal:
    """The service: the first of the Workspace, whatever it is called by now; made when missing."""
    services = Principal.objects.filter(workspace=workspace, kind=Principal.Kind.SERVICE)
    return services.order_by("id").first() or create_principal(
        caller=platform_caller(workspace), kind=Principal.Kind.SERVICE, name=SERVICE
    )


def _person(workspace: Workspace, account: Account, password: str) -> Principal:
    people = Principal.objects.filter(workspace=workspace, user__username=account.username)
    return people.first() or create_person(
        caller=platform_caller(workspace),
        name=account.name,
        username=account.username,
        password=password,
        is_admin=account.is_admin,
    )


def _agent(workspace: Workspace) -> Agent:
    return Agent.objects.filter(workspace=workspace, name=AGENT).first() or create_agent(
        caller=platform_caller(workspace), name=AGENT, description=AGENT_DESCRIPTION
    )


def _environments(workspace: Workspace) -> tuple[Environment, Environment]:
    """Where a runner captures what each turn left, and where the agent's own calls write."""
    capturing = Abilities(can_enumerate=True, memory_writer=Environment.MemoryWriter.CAPTURE)
    calling = Abilities(can_enumerate=False, memory_writer=Environment.MemoryWriter.NATIVE)
    return (
        _environment(workspace, ENVIRONMENT, ENVIRONMENT_DESCRIPTION, capturing),
        _environment(workspace, CHAT, CHAT_DESCRIPTION, calling),
    )


def _environment(
    workspace: Workspace, name: str, description: str, abilities: Abilities
) -> Environment:
    found = Environment.objects.filter(workspace=workspace, name=name).first()
    return found or create_environment(
        caller=platform_caller(workspace),
        name=name,
        description=description,
        abilities=abilities,
    )


def _space(workspace: Workspace, members: Mapping[str, str]) -> CollaborationSpace:
    caller = platform_caller(workspace)
    found = CollaborationSpace.objects.filter(workspace=workspace, name=SPACE).first()
    space = found or create_space(caller=caller, name=SPACE, description=SPACE_DESCRIPTION)
    for kind, member_id in members.items():
        with suppress(Conflict):  # belongs to it already
            add_member(
                caller=caller,
                space_id=space.id,
                kind=SpaceMember.Kind(kind),
                member_id=member_id,
            )
    return space
