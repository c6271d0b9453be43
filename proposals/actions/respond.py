"""Responding to a Proposal: approve or reject exactly what was seen (contract P2, P3, P5)."""

from dataclasses import dataclass

from database.transactions import durable, step
from memory import receipts, refs
from memory.access import StoreAccess
from memory.actors import actor_of
from memory.canonical import CanonicalMove, require_move
from memory.models import MemoryStore
from memory.queries.versions import canonical_id
from memory.stores import bump_generation
from proposals.actions.attempts import record_attempt
from proposals.decisions.approving import keep_approval, require_settings_unchanged, tally_of
from proposals.decisions.authority import hold_authority
from proposals.decisions.authorship import authors_of
from proposals.decisions.errors import Refused
from proposals.decisions.resolution import Resolution, lock, resolve
from proposals.decisions.rules import Case, Rule, unmet
from proposals.models import (
    Proposal,
    ProposalResponse,
    ProposalStatus,
    Refusal,
    SupersededBecause,
)
from proposals.queries.bodies import erased_bodies
from wire.errors import Conflict, PolicyDenied, ReadOnly, name_some
from wire.idempotency import IdempotencyKey


@dataclass(frozen=True, slots=True)
class Seen:
    """What the reviewer had before their eyes; None for what they did not say.

    Attributes:
        unshown_count: changed paths that were not shown in full, which an approval records.
    """

    base_version: str | None = None
    head_version: str | None = None
    diff_hash: bytes | None = None
    unshown_count: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A reviewer's response, with their words and what they saw."""

    response: ProposalResponse
    note: str | None = None
    seen: Seen = Seen()


@dataclass(frozen=True, slots=True)
class Responded:
    """What became of a Proposal, and whether this request only told it again."""

    proposal_id: str
    status: ProposalStatus
    replayed: bool


def respond(
    *, access: StoreAccess, proposal_id: str, answer: Answer, key: IdempotencyKey | None = None
) -> Responded:
    """Approve or reject a Proposal, in the precedence of contract P2.

    The rules come first; then a Proposal that is already resolved, which stays as it is; then
    what the reviewer saw. When canonical has moved, an approval becomes `superseded` and moves
    nothing. While more approvals are needed, it is kept, and the Proposal stays open; the one
    that completes them moves canonical from the frozen base to exactly the frozen head. All
    of it happens in one transaction, or nothing does. A refusal leaves one attempt row, in a
    transaction of its own.

    Raises:
        NotFound: the store has no such Proposal.
        PolicyDenied: a rule of contract P3 is not met.
        ReadOnly: the store is archived.
        Conflict: resolved another way, the reviewer saw something else, a body on either side
            is gone, or the key was used with another request.
    """
    try:
        return _respond(access, proposal_id, answer, key)
    except Refused as refused:
        record_attempt(
            caller=access.caller,
            store_id=access.store_id,
            proposal_id=proposal_id,
            response=answer.response,
            refused=refused,
        )
        raise refused.error from None


@durable
def _respond(
    access: StoreAccess, proposal_id: str, answer: Answer, key: IdempotencyKey | None
) -> Responded:
    proposal = lock(access.store_id, proposal_id)
    held = hold_authority(access)
    _require_rules(held, proposal, answer.response)
    receipt = receipts.claim(caller=held.caller, key=key, store_id=held.store_id)
    if receipt.outcome:
        status = ProposalStatus(receipt.outcome["status"])
        return Responded(proposal.id, status, replayed=True)
    status = _settle(held, proposal, answer)
    receipts.keep(receipt, {"proposal": proposal.id, "status": status})
    if proposal.words_erased_at:  # as those of earlier responses were (contract X1)
        receipts.forget(held.store_id, "proposal", [proposal.id])
    return Responded(proposal.id, status, replayed=False)


def _require_rules(access: StoreAccess, proposal: Proposal, response: ProposalResponse) -> None:
    authors = authors_of([proposal])[proposal.id]
    case = Case(access.caller, access.permissions, access.store, proposal, authors)
    rule = unmet(case, response)
    if rule is None:
        return
    kind = ReadOnly if rule.rule == Rule.STORE_ACTIVE else PolicyDenied
    raise Refused(Refusal(rule.rule), kind(rule.reason))


@step
def _settle(access: StoreAccess, proposal: Proposal, answer: Answer) -> ProposalStatus:
    if not proposal.is_open:
        _require_same_response(proposal, answer.response)
        return ProposalStatus(proposal.status)
    _require_seen_as_is(proposal, answer.seen)
    resolution = _resolution(access, proposal, answer)
    if resolution is None:
        return ProposalStatus.OPEN
    resolve(caller=access.caller, proposal=proposal, resolution=resolution)
    _finish(access)
    if resolution.status == ProposalStatus.APPROVED:
        _require_bodies_again(access, proposal)
    return resolution.status


def _require_same_response(proposal: Proposal, response: ProposalResponse) -> None:
    if proposal.response == response:
        return
    error = Conflict(f"The Proposal is already {proposal.status}.")
    raise Refused(Refusal.OPEN, error)


def _require_seen_as_is(proposal: Proposal, seen: Seen) -> None:
    frozen = {
        "base_version": (seen.base_version, proposal.base_id),
        "head_version": (seen.head_version, proposal.head_id),
        "diff_hash": (seen.diff_hash, bytes(proposal.diff_hash)),
    }
    others = [name for name, (said, is_) in frozen.items() if said not in (None, is_)]
    if others:
        message = f"The Proposal is not the one that was seen; it differs in {name_some(others)}."
        raise Refused(Refusal.SEEN_AS_IS, Conflict(message))


def _resolution(access: StoreAccess, proposal: Proposal, answer: Answer) -> Resolution | None:
    """Decide how the Proposal ends, or that it does not yet.

    An approval moves canonical, when it still is at the base and nothing else is needed.
    """
    if answer.response == ProposalResponse.REJECT:
        return Resolution(ProposalStatus.REJECTED, answer.response, answer.note)
    if canonical_id(access.store_id) == proposal.base_id:
        _require_bodies(proposal)
        if not _is_completed(access, proposal, answer):
            return None
        if _move_canonical(access, proposal):
            return Resolution(
                ProposalStatus.APPROVED,
                answer.response,
                answer.note,
                unshown_count=answer.seen.unshown_count,
            )
    return Resolution(
        ProposalStatus.SUPERSEDED,
        answer.response,
        answer.note,
        SupersededBecause.CANONICAL_MOVED,
    )


@step
def _is_completed(access: StoreAccess, proposal: Proposal, answer: Answer) -> bool:
    """Whether this approval completes what is needed; it is kept when it does not.

    One that was kept before is as good as new: it completes what others, or other rules, have
    brought within its reach, and otherwise changes nothing.
    """
    tally = tally_of(access, proposal)
    if not tally.is_completed_by_mine and not tally.has_mine:
        keep_approval(access, proposal, answer.note, answer.seen.unshown_count)
    return tally.is_completed_by_mine


def _require_bodies(proposal: Proposal) -> None:
    erased = erased_bodies(proposal.document_versions)
    if erased:
        named = name_some(f"{body.path} ({body.erasure.reason})" for body in erased)
        message = f"Bodies that this Proposal shows are erased, and cannot be reviewed: {named}."
        raise Refused(Refusal.BODIES_AVAILABLE, Conflict(message))


@step
def _require_bodies_again(access: StoreAccess, proposal: Proposal) -> None:
    """Refuse what was erased between the first look and the lock of the store's row (P5)."""
    unchanged = MemoryStore.objects.filter(
        id=access.store_id, erasure_epoch=access.store.erasure_epoch
    )
    if not unchanged.exists():
        _require_bodies(proposal)


@step
def _move_canonical(access: StoreAccess, proposal: Proposal) -> bool:
    """Move canonical from the frozen base to the frozen head, unless it is elsewhere by now."""
    require_move(access, CanonicalMove.APPROVED_PROPOSAL)
    try:
        refs.advance(
            store_id=access.store_id,
            name=refs.CANONICAL,
            expected=proposal.base_id,
            to=proposal.head_id,
            actor=actor_of(access.caller),
        )
    except Conflict:  # nothing was written: the conditional UPDATE found no row
        return False
    return True


@step
def _finish(access: StoreAccess) -> None:
    """Count the change, last, and make sure that the rules still are what was decided by.

    The store's row is locked from here on; its settings can have changed until now.
    """
    try:
        bump_generation(access.store_id)
    except ReadOnly as archived:
        raise Refused(Refusal.STORE_ACTIVE, archived) from None
    require_settings_unchanged(access)
