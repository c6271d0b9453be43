"""From whom and what a person chooses when they start a Session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from console import queries
from tenancy.caller import Caller
from tenancy.models import Environment, Permission
from tenancy.queries import environments


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
    agents = list(queries.agents_to_act_as(caller))
    mine = [one for one in agents if Permission.ACT_AS in one.held]
    others = [one for one in agents if Permission.ACT_AS not in one.held]
    return AgentChoices(*([(one.id, one.name) for one in group] for group in (mine, others)))


def environment_choices(caller: Caller) -> list[tuple[str, str]]:
    """The environments in use."""
    active = environments(caller).filter(state=Environment.State.ACTIVE)
    return list(active.order_by("name", "id").values_list("id", "name"))
