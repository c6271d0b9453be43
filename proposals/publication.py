"""The words of Proposals are content: what an answer holds of them is looked at again (R5)."""

from collections.abc import Iterable

from memory.access import StoreAccess
from memory.publication import Acquired, Held
from proposals.models import Comment, Proposal
from proposals.queries.rows import ProposalView


def words_held(proposals: Iterable[Proposal]) -> Held:
    """The titles, descriptions and notes of the Proposals that an answer shows."""
    ids = {proposal.id for proposal in proposals if proposal.words_erased_at is None}
    return Held(Proposal.objects.filter(id__in=ids, words_erased_at=None), len(ids))


def comments_held(comments: Iterable[Comment]) -> Held:
    """The comments that an answer shows; one that its author deletes meanwhile does no harm."""
    ids = {comment.id for comment in comments if comment.text_erased_at is None}
    return Held(Comment.objects.filter(id__in=ids, text_erased_at=None), len(ids))


def acquire_proposals(access: StoreAccess, views: Iterable[ProposalView]) -> Acquired:
    """What an answer about Proposals of one store holds, for the publication recheck."""
    return Acquired(access, held=[words_held(view.proposal for view in views)])
