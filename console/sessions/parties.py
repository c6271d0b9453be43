"""From whom and what a person chooses when they start a Session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet

from tenancy.authority import permissions_on
from tenancy.caller import Caller
from tenancy.models import Agent, Environment, Permission, TargetKind
from tenancy.queries import agents, environments


@dataclass(frozen=True, slots=True)
class AgentChoices:
    """The agents in use, as choices: those that the person may act as, and the others."""

    mine: Sequence[tuple[str, str]]
    others: Sequence[tuple[str, str]]

    @property
    def first(self) -> str:
        """The one to begin with; empty when there is none at all."""
        return next((identifier for identifier, _ in (*self.mine, *self.others)), "")

    @property
    def grouped(self) -> list[Any]:
        """Both, as a form's field takes them."""
        groups = (("You may act as", self.mine), ("Not without a grant of act_as", self.others))
        return [group for group in groups if group[1]]


def agent_choices(caller: Caller) -> AgentChoices:
    """The agents from which a person chooses. One query."""
    known = list(_agents_in_use(caller))
    mine = [one for one in known if Permission.ACT_AS in one.held]
    others = [one for one in known if Permission.ACT_AS not in one.held]
    return AgentChoices(*([(one.id, one.name) for one in group] for group in (mine, others)))


def _agents_in_use(caller: Caller) -> QuerySet[Any]:
    """The agents in use, each with what the caller holds on it."""
    held = permissions_on(TargetKind.AGENT, OuterRef("id"), caller)
    active = agents(caller).filter(state=Agent.State.ACTIVE)
    known: QuerySet[Any] = active.annotate(held=held)
    return known.order_by("name", "id")


def environment_choices(caller: Caller) -> list[tuple[str, str]]:
    """The environments in use."""
    active = environments(caller).filter(state=Environment.State.ACTIVE)
    return list(active.order_by("name", "id").values_list("id", "name"))
