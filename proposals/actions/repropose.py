"""Re-proposing: the same change, path by path, on today's canonical (contract P4)."""

from dataclasses import dataclass
from functools import partial
from typing import Final

from database.transactions import durable, step
from memory import receipts, refs
from memory.access import StoreAccess
from memory.stores import finish_write
from proposals.decisions.authorship import authors_of
from proposals.decisions.resolution import Resolution, lock, resolve
from proposals.models import Proposal, ProposalStatus, SupersededBecause
from proposals.opening import Opened, Words, open_proposal
from proposals.replays.choices import Choices, changes_of
from proposals.replays.replaying import replay_on
from proposals.replays.resealing import require_resealing, reseal
from wire.errors import Conflict
from wire.idempotency import IdempotencyKey

NO_CHOICES: Final = Choices()


@dataclass(frozen=True, slots=True)
class Reproposed:
    """The new Proposal, and whether this request only told it again."""

    proposal_id: str
    replayed: bool


@durable
def repropose(
    *,
    access: StoreAccess,
    proposal_id: str,
    choices: Choices = NO_CHOICES,
    key: IdempotencyKey | None = None,
) -> Reproposed:
    """Replay an open and stale, or superseded, Proposal on canonical, as a new one.

    The new one replaces the old, which becomes superseded in the same transaction. Base and
    head of the old one are frozen, so that only canonical can differ from what somebody saw.

    Args:
        choices: what shall be at the paths that were changed on both sides.

    Raises:
        Malformed: a choice is for a path that is not in conflict.
        PolicyDenied: the caller does not hold read and write, or zero data retention forbids
            the texts that replaying would keep (X3).
        NotFound, ReadOnly: there is no such Proposal, or the store is not active.
        Conflict: the Proposal is approved, rejected, replaced already or not stale; canonical
            is not where the choices were made; paths were changed on both sides, which are
            named; a merged text is not the one that was accepted; canonical holds all of it
            already; a text is erased; a path was redacted, or the Proposal's words with one; or
            the key was used with another request.
    """
    old = lock(access.store_id, proposal_id)
    require_resealing(access)
    receipt = receipts.claim(caller=access.caller, key=key, store_id=access.store_id)
    if receipt.outcome:
        return Reproposed(receipt.outcome["proposal"], replayed=True)
    new = _replace(access, old, choices)
    finish_write(access, partial(require_resealing, paths=new.paths))
    receipts.keep(receipt, {"proposal": new.proposal.id})
    return Reproposed(new.proposal.id, replayed=False)


@step
def _replace(access: StoreAccess, old: Proposal, choices: Choices) -> Opened:
    canonical = refs.current(access.store_id, refs.CANONICAL)
    _require_replaceable(old, canonical.id)
    new = open_proposal(
        access=access,
        base=canonical,
        head=reseal(
            access, canonical, changes_of(replay_on(old, canonical.id), choices), old.title
        ),
        words=Words(old.title, old.description),
        earlier_authors=authors_of([old])[old.id],
        replaces=old,
    )
    if old.is_open:
        resolution = Resolution(
            ProposalStatus.SUPERSEDED, response=None, because=SupersededBecause.REPROPOSED
        )
        resolve(caller=access.caller, proposal=old, resolution=resolution)
    return new


def _require_replaceable(old: Proposal, canonical_id: str) -> None:
    if old.status in {ProposalStatus.APPROVED, ProposalStatus.REJECTED}:
        raise Conflict(f"The Proposal is already {old.status}.")
    if old.words_erased_at:
        raise Conflict("What the Proposal is about was redacted. Propose anew what is left of it.")
    new = Proposal.objects.filter(replaces=old).values_list("id", flat=True).first()
    if new is not None:
        raise Conflict(f"The Proposal was already re-proposed as {new}.")
    if old.is_open and old.base_id == canonical_id:
        raise Conflict("The Proposal is not stale: canonical is still at its base.")
