"""Picking some of a Proposal's changes: a new, linked Proposal of just those."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial

from database.transactions import durable, step
from memory import receipts, refs
from memory.access import StoreAccess
from memory.stores import finish_write
from proposals.decisions.authorship import authors_of
from proposals.decisions.resolution import lock
from proposals.models import Proposal
from proposals.opening import Opened, Words, open_proposal
from proposals.replays.choices import Choices, changes_of
from proposals.replays.replaying import Trial, replay_on
from proposals.replays.resealing import require_resealing, reseal
from wire.errors import Conflict, Malformed, name_some
from wire.idempotency import IdempotencyKey


@dataclass(frozen=True, slots=True)
class Picked:
    """The new Proposal, and whether this request only told it again."""

    proposal_id: str
    replayed: bool


@durable
def pick_changes(
    *,
    access: StoreAccess,
    proposal_id: str,
    paths: Collection[str],
    title: str,
    key: IdempotencyKey | None = None,
) -> Picked:
    """Open a Proposal on today's canonical with what an open one changes at some paths.

    The one that was picked from stays open, and what is left of it can be re-proposed later.
    Whoever picks becomes an author beside those whose work it is: none of them may approve it
    where authors may not (contract P3).

    Args:
        paths: some of the changed ones, not all. A renamed document goes by its new path, and
            its old one goes along.

    Raises:
        Malformed: no path, all of them, or one that the Proposal does not change.
        PolicyDenied, ReadOnly, NotFound: as `require_resealing` says; no such Proposal.
        Conflict: the Proposal is resolved; canonical changed a picked path too, or holds all of
            it already; a text is erased; a path was redacted; or the key was used with another
            request.
    """
    whole = lock(access.store_id, proposal_id)
    require_resealing(access)
    receipt = receipts.claim(caller=access.caller, key=key, store_id=access.store_id)
    if receipt.outcome:
        return Picked(receipt.outcome["proposal"], replayed=True)
    if not whole.is_open:
        raise Conflict(f"The Proposal is already {whole.status}.")
    new = _open(access, whole, frozenset(paths), title)
    finish_write(access, partial(require_resealing, paths=new.paths))
    receipts.keep(receipt, {"proposal": new.proposal.id})
    return Picked(new.proposal.id, replayed=False)


@step
def _open(access: StoreAccess, whole: Proposal, paths: frozenset[str], title: str) -> Opened:
    canonical = refs.current(access.store_id, refs.CANONICAL)
    picked = _pick(replay_on(whole, canonical.id), paths)
    return open_proposal(
        access=access,
        base=canonical,
        head=reseal(access, canonical, changes_of(picked, Choices()), title),
        words=Words(title, whole.description),
        earlier_authors=authors_of([whole])[whole.id],
        picked_from=whole,
    )


def _pick(trial: Trial, paths: frozenset[str]) -> Trial:
    """The part of a replay at some paths."""
    contested = {conflict.path for conflict in trial.conflicts}
    if paths & contested:
        named = name_some(sorted(paths & contested))
        raise Conflict(f"Changed both here and on canonical since: {named}.")
    known = {change.path for change in trial.changes}
    if paths - known:
        raise Malformed(f"paths: nothing is left to propose at {name_some(sorted(paths - known))}.")
    if not paths or paths == known | contested:
        raise Malformed("paths: name some of the changed paths, and not all of them.")
    changes = tuple(change for change in trial.changes if change.path in paths)
    return replace(trial, changes=changes, conflicts=())
