"""Settling the turn of a Run: check all, then commit each store alone (contract S5)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from database.transactions import durable, one_snapshot, step
from memory import receipts
from memory.stores import finish_unchanged, finish_write
from sessions.access import SessionAccess
from sessions.auditing import record_of_session
from sessions.models import ENDED, Run
from sessions.turns.checkpointing import require_first_of_turn, seal_checkpoint
from sessions.turns.settling import (
    Checked,
    NewSettlement,
    base_of,
    check_settlement,
    require_still,
)
from wire.errors import Conflict, NotFound, PolicyDenied, ReadOnly
from wire.times import now


class Status(StrEnum):
    """What came of one capture. The list is closed."""

    COMMITTED = "committed"
    REPLAYED = "replayed"
    UNCHANGED = "unchanged"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class SettledStore:
    """What came of one capture. `version_id` is None when nothing was sealed."""

    store_id: str
    status: Status
    version_id: str | None = None
    canonical_advanced: bool = False


@dataclass(frozen=True, slots=True)
class Settlement:
    """What came of a turn; `replayed` when nothing was left to commit."""

    run_id: str
    state: Run.State
    results: Sequence[SettledStore]
    replayed: bool


def settle_run(*, access: SessionAccess, wanted: NewSettlement) -> Settlement:
    """Settle a Run's turn. Each store commits in a transaction of its own.

    Sent again after whatever interruption, the same request tells what was committed and
    finishes the rest.

    Raises:
        as `sessions.turns.settling.check_settlement` says, and then nothing has changed.
    """
    with one_snapshot():
        checked = check_settlement(access, wanted)
        sent_before = receipts.recall(caller=access.caller, key=wanted.key).outcome is not None
    results = [_settle(access, one, wanted) for one in checked]
    return conclude_run(
        access=access,
        wanted=wanted,
        results=results,
        replayed=sent_before and all(one.outcome is not None for one in checked),
    )


def _settle(access: SessionAccess, checked: Checked, wanted: NewSettlement) -> SettledStore:
    """Commit one capture. One that lost since the check is told, and undoes no other."""
    if checked.outcome is not None:
        return _told_again(checked, checked.outcome)
    if checked.drafted is None:
        return SettledStore(checked.access.store_id, Status.CONFLICT)
    try:
        return settle_store(access=access, checked=checked, wanted=wanted)
    except (Conflict, NotFound, PolicyDenied, ReadOnly):
        return SettledStore(checked.access.store_id, Status.CONFLICT)


@durable
def settle_store(*, access: SessionAccess, checked: Checked, wanted: NewSettlement) -> SettledStore:
    """Commit the capture of one store: version, tree, event and receipt together, or nothing.

    Raises:
        Conflict: the working ref moved since the check, or the turn sealed another version.
        NotFound, PolicyDenied, ReadOnly: what allowed it was taken back since the check.
    """
    _claim_run(access, wanted)
    receipt = receipts.claim(
        caller=access.caller,
        key=wanted.key_of(checked.access.store_id),
        store_id=checked.access.store_id,
    )
    if receipt.outcome is not None:
        return _told_again(checked, receipt.outcome)
    settled = _seal(checked, wanted)
    told = {"version": settled.version_id, "canonical_advanced": settled.canonical_advanced}
    receipts.keep(receipt, told)
    _mark(wanted, Run.State.PARTIALLY_SETTLED)
    finish = finish_write if settled.version_id else finish_unchanged
    finish(checked.access, require_still(wanted, checked.written))
    return settled


@step
def _seal(checked: Checked, wanted: NewSettlement) -> SettledStore:
    store_id, drafted = checked.access.store_id, checked.drafted
    assert drafted is not None
    base = base_of(wanted.turn, checked.capture)
    if drafted.is_empty:
        return SettledStore(store_id, Status.UNCHANGED)
    require_first_of_turn(wanted.turn, store_id)
    made = seal_checkpoint(access=checked.access, turn=wanted.turn, base=base, drafted=drafted)
    return SettledStore(store_id, Status.COMMITTED, made.version_id, made.canonical_advanced)


@durable
def conclude_run(
    *,
    access: SessionAccess,
    wanted: NewSettlement,
    results: Sequence[SettledStore],
    replayed: bool,
) -> Settlement:
    """Record how far a Run is settled, once every capture had its turn."""
    _claim_run(access, wanted)
    lost = any(one.status == Status.CONFLICT for one in results)
    state = Run.State.PARTIALLY_SETTLED if lost else Run.State.SETTLED
    if _mark(wanted, state):
        counts = Counter(str(one.status) for one in results)
        told = {"run": wanted.run.id, "stores": dict(counts)}
        record_of_session(access.caller, access.session_id, f"run.{state}", **told)
    reached = Run.State(Run.objects.values_list("state", flat=True).get(id=wanted.run.id))
    return Settlement(wanted.run.id, reached, results, replayed)


@step
def _claim_run(access: SessionAccess, wanted: NewSettlement) -> None:
    """Take the request's own key with the first thing that it commits."""
    receipt = receipts.claim(caller=access.caller, key=wanted.key)
    if receipt.outcome is None:
        receipts.keep(receipt, {"run": wanted.run.id})


@step
def _mark(wanted: NewSettlement, state: Run.State) -> bool:
    """Move a Run towards its end; one that ended stays. Returns whether it moved."""
    ended = now() if state == Run.State.SETTLED else None
    unsettled = Run.objects.filter(id=wanted.run.id).exclude(state__in=ENDED)
    return bool(unsettled.update(state=state, ended_at=ended))


def _told_again(checked: Checked, outcome: dict[str, Any]) -> SettledStore:
    """What came of it then, wherever canonical is now. Raises BackendUnavailable (C7)."""
    receipts.require_recorded(outcome, "version", "canonical_advanced")
    version = outcome["version"]
    return SettledStore(
        store_id=checked.access.store_id,
        status=Status.REPLAYED if version else Status.UNCHANGED,
        version_id=version,
        canonical_advanced=outcome["canonical_advanced"],
    )
