"""Changes that wait for a person's decision."""

from proposals.models.proposals import Proposal, ProposalAttempt, ProposalResponse, ProposalStatus

__all__ = ["Proposal", "ProposalAttempt", "ProposalResponse", "ProposalStatus"]
