"""Commenting on a Proposal, its documents and their lines (contract P6).

Each action locks the Proposal first: comments of one Proposal are written one after another, and
a redaction that blanks its words (contract X1) comes either before or after.
"""

from dataclasses import dataclass
from typing import Any, Final

from database.transactions import durable, step
from memory import receipts
from memory.access import StoreAccess, reopened
from memory.actors import actor_of
from memory.agents import refuse_agents
from memory.stores import hold_store
from proposals.decisions.resolution import lock
from proposals.hearers import Happening, tell_hearers
from proposals.models import Comment, Proposal
from proposals.queries.comments import comments_on, get_comment, is_own
from proposals.queries.places import Place, require_place
from tenancy.audit import record
from tenancy.models import Permission
from wire.errors import Conflict, Malformed, PolicyDenied, RangeTooLarge
from wire.idempotency import IdempotencyKey
from wire.ids import new_id
from wire.times import now

MOST: Final = 500
"""Comments of one Proposal, deleted ones included."""


@dataclass(frozen=True, slots=True)
class NewComment:
    """What to say, and where.

    Attributes:
        place: a document or a line of the difference; None for the Proposal as a whole, or for
            what the thread is about.
        thread: the comment that it replies to, which began a thread.
    """

    text: str
    place: Place | None = None
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class Commented:
    """A comment, and whether this request only told it again."""

    comment_id: str
    replayed: bool


@durable
def add_comment(
    *,
    access: StoreAccess,
    proposal_id: str,
    comment: NewComment,
    key: IdempotencyKey | None = None,
) -> Commented:
    """Begin a thread, or reply in one. A resolved Proposal can still be talked about.

    Raises:
        NotFound: the store has no such Proposal, or the Proposal no such thread.
        PolicyDenied, ReadOnly: as `require_commenting` says.
        Malformed: a reply that names a place or answers a reply, or a place that the Proposal's
            difference does not have.
        Conflict: the Proposal's words were redacted, the text there is erased, or the key was
            used with another request.
        RangeTooLarge: the Proposal has `MOST` comments.
    """
    proposal = _lock(access, proposal_id)
    receipt = receipts.claim(caller=access.caller, key=key, store_id=access.store_id)
    if receipt.outcome:
        return Commented(receipt.outcome["comment"], replayed=True)
    _require_words(proposal)
    made = _insert(access, proposal, comment)
    tell_hearers(Happening.COMMENTED, access.caller, proposal, made.id)
    _finish(access, made, "commented")
    # With the Proposal's ID, by which a redaction makes receipts of its words forget them.
    receipts.keep(receipt, {"comment": made.id, "proposal": proposal.id})
    return Commented(made.id, replayed=False)


@durable
def edit_comment(*, access: StoreAccess, proposal_id: str, comment_id: str, text: str) -> None:
    """Write a comment of one's own anew; that it was edited, and when, is kept.

    Raises:
        NotFound, ReadOnly: as `add_comment` says.
        PolicyDenied: somebody else wrote it, or as `require_commenting` says.
        Conflict: it was deleted, or the Proposal's words were redacted.
    """
    comment = _lock_own(access, proposal_id, comment_id)
    if comment.is_gone:
        raise Conflict("The comment was deleted.")
    if comment.text != text:
        _change(comment, text=text, edited_at=now())
        _finish(access, comment, "comment_edited")


@durable
def delete_comment(*, access: StoreAccess, proposal_id: str, comment_id: str) -> None:
    """Take the text of one's own comment away. A mark of it stays, and what others replied.

    Deleting it again changes nothing.

    Raises:
        NotFound, ReadOnly, PolicyDenied, Conflict: as `edit_comment` says.
    """
    comment = _lock_own(access, proposal_id, comment_id)
    if not comment.is_gone:
        _change(comment, text="", deleted_at=now())
        receipts.forget(access.store_id, "comment", [comment.id])
        _finish(access, comment, "comment_deleted")


@durable
def settle_thread(
    *, access: StoreAccess, proposal_id: str, comment_id: str, resolved: bool
) -> None:
    """Mark a thread as resolved, or as unresolved again. Doing so again changes nothing.

    Args:
        comment_id: the comment that begins it.

    Raises:
        NotFound, ReadOnly, PolicyDenied: as `add_comment` says.
        Malformed: the comment is a reply.
        Conflict: the Proposal's words were redacted.
    """
    proposal = _lock(access, proposal_id)
    _require_words(proposal)
    comment = get_comment(proposal_id, comment_id)
    if comment.thread_id:
        raise Malformed("A reply is not resolved by itself; name the comment that it replies to.")
    if resolved == (comment.resolved_at is not None):
        return
    actor = actor_of(access.caller)
    by = (now(), actor.kind, actor.id) if resolved else (None, None, None)
    columns = ("resolved_at", "resolved_by_kind", "resolved_by_uuid")
    _change(comment, **dict(zip(columns, by, strict=True)))
    _finish(access, comment, "comment_resolved" if resolved else "comment_unresolved")


def require_commenting(access: StoreAccess) -> None:
    """Refuse whoever may not comment in a store.

    Raises:
        PolicyDenied: an agent of a Session, or somebody without read and one of review and write.
        ReadOnly, NotFound: the store is not active.
    """
    refuse_agents(access.caller)
    access.require(Permission.READ)
    if not may_comment(access):
        raise PolicyDenied(f"This needs a grant of `review` or `write` on {access.store_id}.")
    access.require_active()


def may_comment(access: StoreAccess) -> bool:
    """Whether the caller's grants let it comment in the store."""
    return access.may(Permission.REVIEW) or access.may(Permission.WRITE)


@step
def _lock(access: StoreAccess, proposal_id: str) -> Proposal:
    proposal = lock(access.store_id, proposal_id)
    require_commenting(access)
    return proposal


def _require_words(proposal: Proposal) -> None:
    if proposal.words_erased_at:
        raise Conflict("What the Proposal is about was redacted; nothing is said of it any more.")


@step
def _lock_own(access: StoreAccess, proposal_id: str, comment_id: str) -> Comment:
    proposal = _lock(access, proposal_id)
    comment = get_comment(proposal_id, comment_id)
    if not is_own(access.caller, comment):
        raise PolicyDenied("Only its author changes or deletes a comment.")
    _require_words(proposal)
    return comment


@step
def _insert(access: StoreAccess, proposal: Proposal, comment: NewComment) -> Comment:
    _require_room(proposal)
    if comment.thread:
        _require_thread(proposal, comment)
    if comment.place:
        require_place(proposal, comment.place)
    actor = actor_of(access.caller)
    return Comment.objects.create(
        id=new_id("comment"),
        store_id=proposal.store_id,
        proposal_id=proposal.id,
        thread_id=comment.thread,
        **_pin(proposal, comment.place),
        text=comment.text,
        author_kind=actor.kind,
        author_uuid=actor.id,
        author_principal_uuid=access.caller.principal_id,
        created_at=now(),
    )


def _require_room(proposal: Proposal) -> None:
    if comments_on(proposal.id).count() >= MOST:
        raise RangeTooLarge(f"A Proposal takes {MOST} comments at most.")


def _require_thread(proposal: Proposal, comment: NewComment) -> None:
    if comment.place:
        raise Malformed("thread: a reply is about what its thread is about; leave the path out.")
    assert comment.thread
    if get_comment(proposal.id, comment.thread).thread_id:
        raise Malformed("thread: this is a reply; name the comment that it replies to.")


def _pin(proposal: Proposal, place: Place | None) -> dict[str, Any]:
    if place is None:
        return {}
    version = place.version_of(proposal)
    return {
        "version_id": version,
        "path": place.path,
        "side": place.side,
        "line": place.line,
    }


@step
def _change(comment: Comment, **columns: Any) -> None:
    Comment.objects.filter(id=comment.id).update(**columns)


@step
def _finish(access: StoreAccess, comment: Comment, happened: str) -> None:
    """Record what happened, and look once more whether it may.

    The store's row is locked from here on: grants, lifecycle and redactions either changed
    before, and are seen now, or wait. Nothing of the store's structure changed, so its
    generation is not counted.
    """
    record(
        caller=access.caller,
        event=f"proposal.{happened}",
        target_kind="proposal",
        target_id=comment.proposal_id,
        detail={"store": comment.store_id, "comment": comment.id},
    )
    hold_store(access.store_id)
    require_commenting(reopened(access))
