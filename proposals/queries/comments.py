"""Comments of Proposals, as threads and as counts (contract P6)."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from database.compiled import compiled
from proposals.decisions.authorship import own_uuids
from proposals.models import Comment, Proposal
from tenancy.caller import Caller
from wire.errors import NotFound

NO_SUCH_COMMENT = "The Proposal has no such comment."


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with its replies, the oldest first."""

    begun: Comment
    replies: tuple[Comment, ...] = ()

    @property
    def comments(self) -> tuple[Comment, ...]:
        """All of them."""
        return (self.begun, *self.replies)

    @property
    def is_resolved(self) -> bool:
        """Whether somebody settled it."""
        return self.begun.resolved_at is not None


def comments_on(proposal_id: str) -> QuerySet[Comment]:
    """The comments of a Proposal, replies among them."""
    return Comment.objects.filter(proposal=proposal_id)


@compiled
def comments_in_order(*, proposal_id: str) -> QuerySet[Comment]:
    """The comments of a Proposal, the oldest first. One query."""
    return comments_on(proposal_id).order_by("id")


def get_comment(proposal_id: str, comment_id: str) -> Comment:
    """One comment of a Proposal. Raises NotFound when it has no such one."""
    comment = comments_on(proposal_id).filter(id=comment_id).first()
    if comment is None:
        raise NotFound(NO_SUCH_COMMENT)
    return comment


def threads_on(proposal_ids: Collection[str]) -> list[Thread]:
    """The threads of some Proposals, in the order in which they began. One query for each."""
    found = (comments_in_order(proposal_id=proposal_id) for proposal_id in proposal_ids)
    rows = sorted(chain.from_iterable(found), key=lambda comment: comment.id)
    replies: dict[str, list[Comment]] = {}
    for row in rows:
        if row.thread_id:
            replies.setdefault(row.thread_id, []).append(row)
    return [Thread(row, tuple(replies.get(row.id, ()))) for row in rows if not row.thread_id]


def earlier_of(proposal: Proposal) -> list[str]:
    """The Proposals that one replaced, the latest first. One query for each."""
    found: list[str] = []
    newer: str | None = proposal.replaces_id
    while newer:
        found.append(newer)
        older = Proposal.objects.filter(id=newer).values_list("replaces", flat=True)
        newer = older.get()
    return found


def counted() -> dict[str, Any]:
    """Annotations of Proposals: how many comments, and unresolved threads, each has."""
    return {"comment_count": _count(Q()), "unresolved_count": _count(_UNRESOLVED)}


_UNRESOLVED = Q(thread=None, resolved_at=None, deleted_at=None, text_erased_at=None)


def _count(condition: Q) -> Any:
    mine = Comment.objects.filter(condition, proposal=OuterRef("id")).order_by()
    return Coalesce(Subquery(mine.values("proposal").annotate(n=Count("id")).values("n")), 0)


def is_own(caller: Caller, comment: Comment) -> bool:
    """Whether the caller wrote it, or a key wrote it that was bound to the caller's principal."""
    return bool(own_uuids(caller) & {comment.author_uuid, comment.author_principal_uuid})


def thread_members(comment: Comment) -> set[UUID]:
    """The principals who wrote in the thread that a comment belongs to. One query."""
    thread = comment.thread_id or comment.id
    return _writers(Comment.objects.filter(Q(id=thread) | Q(thread=thread)))


def commenters_on(proposal_id: str) -> set[UUID]:
    """The principals who commented on a Proposal. One query."""
    return _writers(comments_on(proposal_id))


def _writers(comments: QuerySet[Any]) -> set[UUID]:
    said = comments.filter(deleted_at=None, author_principal_uuid__isnull=False).order_by()
    return set(said.values_list("author_principal_uuid", flat=True).distinct())
