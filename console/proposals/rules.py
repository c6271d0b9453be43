"""Who approved a Proposal so far, as its rules panel names them."""

from dataclasses import dataclass

from console.naming import Named, Names
from proposals.decisions.tally import Approval
from proposals.queries.rows import ProposalView


@dataclass(frozen=True, slots=True)
class ShownApproval:
    """An approval, who gave it, and whether it counts now."""

    approval: Approval
    actor: Named
    counts: bool


def shown_approvals(workspace_id: str, view: ProposalView) -> list[ShownApproval]:
    """The approvals of a Proposal, the oldest first. A query for each kind of actor."""
    given = view.tally.approvals
    references = [(each.actor.actor_kind, each.actor.actor_uuid) for each in given]
    names = Names(workspace_id, references)
    return [
        ShownApproval(each, names.actor(each.actor), each.approver in view.tally.counted)
        for each in given
    ]
