"""Who there is in the demo: its people, an agent, and the service that the agent writes as."""

from dataclasses import dataclass
from typing import Final

from tenancy.actions.agents import create_agent
from tenancy.actions.principals import create_person, create_principal
from tenancy.caller import platform_caller
from tenancy.models import Agent, Principal, Workspace


@dataclass(frozen=True, slots=True)
class Account:
    """A sign-in of the demo."""

    username: str
    name: str
    purpose: str
    is_admin: bool = False


REVIEWER: Final = Account("reviewer", "Reviewer", "decides on Proposals")
AUTHOR: Final = Account("author", "Author", "writes and proposes")
ADMIN: Final = Account("admin", "Admin", "administers, reads what it was granted", is_admin=True)
ACCOUNTS: Final = (REVIEWER, AUTHOR, ADMIN)

SERVICE: Final = "Support assistant"
AGENT: Final = "Support agent"
AGENT_DESCRIPTION: Final = "Answers customers, and proposes what it learned on the way."


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody in the demo."""

    workspace: Workspace
    reviewer: Principal
    author: Principal
    admin: Principal
    service: Principal
    agent: Agent


def gather(workspace: Workspace, password: str) -> Cast:
    """Find everybody, and make who is missing.

    Raises:
        Conflict: somebody else signs in under one of the usernames.
    """
    reviewer, author, admin = (_person(workspace, account, password) for account in ACCOUNTS)
    service, agent = service_of(workspace), _agent(workspace)
    return Cast(workspace, reviewer, author, admin, service, agent)


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
