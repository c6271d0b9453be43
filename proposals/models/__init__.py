"""Changes that wait for a person's decision."""

from proposals.models.actors import RecordedActor
from proposals.models.attempts import ProposalAttempt, Refusal
from proposals.models.proposals import (
    Proposal,
    ProposalResponse,
    ProposalStatus,
    SupersededBecause,
)

__all__ = [
    "Proposal",
    "ProposalAttempt",
    "ProposalResponse",
    "ProposalStatus",
    "RecordedActor",
    "Refusal",
    "SupersededBecause",
]
