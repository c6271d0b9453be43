"""Whom a person may make a store for, as a form offers it and as actions take it."""

from typing import Any

from console.people import ConsoleRequest
from memory.actions.stores import Owner
from memory.models import OwnerKind
from tenancy import queries
from tenancy.models import Agent


def owner_choices(request: ConsoleRequest) -> list[Any]:
    """Owners as grouped choices, each spelled `kind:id`."""
    here, me = request.principal.workspace, request.principal
    agents = queries.agents(request.caller).filter(state=Agent.State.ACTIVE).order_by("name")
    return [
        ("Shared", [(f"workspace:{here.id}", f"The Workspace ({here.name})")]),
        ("Your own", [(f"principal:{me.id}", me.name)]),
        ("Shared, of an agent", [(f"agent_definition:{each.id}", each.name) for each in agents]),
    ]


def chosen_owner(choice: str) -> Owner:
    """The owner that a choice spells."""
    kind, _, identifier = choice.partition(":")
    return Owner(OwnerKind(kind), identifier)
