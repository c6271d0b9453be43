"""Proposals in lists: each with the names and flags that a row shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from console.naming import Named, Names
from proposals.decisions.turns import Turn, turn_of
from proposals.queries.rows import ProposalView


@dataclass(frozen=True)
class ProposalRow:
    """A Proposal, who opened it, and who resolved it."""

    view: ProposalView
    author: Named
    resolver: Named | None

    @cached_property
    def turn(self) -> Turn | None:
        """Whose turn it is while it is open."""
        return turn_of(self.view)


def rows_of(workspace_id: str, views: Sequence[ProposalView]) -> list[ProposalRow]:
    """Name the people of some Proposals. At most one query for each kind of actor."""
    names = Names(
        workspace_id,
        [
            reference
            for view in views
            for reference in (
                (view.proposal.author_kind, view.proposal.author_uuid),
                (view.proposal.resolved_by_kind, view.proposal.resolved_by_uuid),
            )
        ],
    )
    return [_row(view, names) for view in views]


def _row(view: ProposalView, names: Names) -> ProposalRow:
    proposal: Any = view.proposal
    resolver = None
    if proposal.resolved_by_kind:
        resolver = names.of(proposal.resolved_by_kind, proposal.resolved_by_uuid)
    return ProposalRow(view, names.of(proposal.author_kind, proposal.author_uuid), resolver)
