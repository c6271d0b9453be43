"""Changes that wait for a person's decision."""

from proposals.models.approvals import ProposalApproval
from proposals.models.attempts import ProposalAttempt, Refusal
from proposals.models.comments import Comment, CommentSide
from proposals.models.proposals import (
    Proposal,
    ProposalResponse,
    ProposalStatus,
    SupersededBecause,
)
from proposals.models.saved_views import SavedView
from proposals.models.viewings import Viewing

__all__ = [
    "Comment",
    "CommentSide",
    "Proposal",
    "ProposalApproval",
    "ProposalAttempt",
    "ProposalResponse",
    "ProposalStatus",
    "Refusal",
    "SavedView",
    "SupersededBecause",
    "Viewing",
]
