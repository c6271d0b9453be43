"""Whether a turn may be settled: everything is checked before any store changes (contract S5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memory import receipts, refs
from memory.access import StoreAccess, open_store
from memory.actions.change_sets import require_write
from memory.models import MemoryVersion
from memory.retention import require_durable_bodies
from memory.stores import require_writable
from memory.versions.sealing import Draft, require_room
from sessions.access import SessionAccess, require_active, sent_for
from sessions.models import ENDED, Run, Session
from sessions.queries.facts import captures_trees
from sessions.turns.captures import Capture, draft_capture
from sessions.turns.checkpointing import Turn, require_first_of_turn
from sessions.turns.workingrefs import ref_of
from wire.errors import Conflict, HarnessIncompatible, NotFound, ReadOnly
from wire.idempotency import IdempotencyKey


@dataclass(frozen=True, slots=True)
class NewSettlement:
    """What a Run's turn left in each store, as its runner found it."""

    run: Run
    captures: tuple[Capture, ...]
    key: IdempotencyKey

    @property
    def turn(self) -> Turn:
        """A Run is one turn, and goes by its own name there (contract M5)."""
        return Turn(self.run.session_id, name=self.run.id, run_id=self.run.id)

    def key_of(self, store_id: str) -> IdempotencyKey:
        """The key of one store's part. No client sends a line break, so it is nobody else's."""
        return IdempotencyKey(f"{self.key.key}\n{store_id}", self.key.fingerprint)


@dataclass(frozen=True, slots=True)
class Checked:
    """A capture that may be committed, or was before.

    Attributes:
        outcome: what its receipt recorded; None before it was committed.
        drafted: what it changes; None when it was committed, or cannot be any more.
    """

    access: StoreAccess
    capture: Capture
    outcome: dict[str, Any] | None = None
    drafted: Draft | None = None

    @property
    def written(self) -> Sequence[str]:
        """The paths that get a text."""
        return list(self.drafted.puts) if self.drafted else ()


def check_settlement(access: SessionAccess, wanted: NewSettlement) -> list[Checked]:
    """Check every capture of a turn; one that may not be committed refuses them all.

    Reads only. What was committed by an earlier sending is told again, wherever its ref is now;
    what lost then, or has since, refuses nothing any more.

    Raises:
        PolicyDenied: the caller is no runner here, a grant is missing, or zero data retention.
        ReadOnly: a store is shared (contract C4), mounted for reading, or archived.
        NotFound: there is no such store.
        HarnessIncompatible: the environment does not capture whole trees.
        Malformed: a hash names what the base does not hold.
        Conflict: a working ref is elsewhere, a path clashes or was redacted, the Run has ended, or
            the key was used with another request.
        RangeTooLarge: more documents than a store may hold.
    """
    access.require_runner()
    require_active(access.session)
    sent_before = receipts.recall(caller=access.caller, key=wanted.key).outcome is not None
    opened = _open(access, wanted)
    for store in opened:
        require_capturable(wanted, store)
    if not sent_before:
        _require_unsettled(wanted.run)
    _require_captures(access.session, wanted)
    check = _check_again if sent_before else _check
    captures = zip(opened, wanted.captures, strict=True)
    return [check(store, capture, wanted) for store, capture in captures]


def _open(access: SessionAccess, wanted: NewSettlement) -> list[StoreAccess]:
    """The stores as the Session's agent may know them; a shared one refuses the turn (C4)."""
    agent = sent_for(access.caller, access.session)
    opened = [open_store(agent, capture.store_id) for capture in wanted.captures]
    for store in opened:
        if store.store.is_shared:
            raise ReadOnly(
                f"{store.store_id} is a store of many: it is changed by Proposals, and no capture"
                " of it is settled."
            )
    return opened


def _require_captures(session: Session, wanted: NewSettlement) -> None:
    """Refuse captures from where nobody can list a tree: what is missing there reads as deleted."""
    if wanted.captures and not captures_trees(session.environment):
        raise HarnessIncompatible(
            f"{session.environment_id} does not capture whole trees, so it settles no captures:"
            " what is missing in one would be deleted."
        )


def require_capturable(wanted: NewSettlement, access: StoreAccess) -> None:
    """Refuse a store that the Session may not write now, or a policy that forbids bodies."""
    require_write(access, ref_of(wanted.run.session_id))
    require_durable_bodies(access)


def _require_unsettled(run: Run) -> None:
    if run.state in ENDED:
        raise Conflict(f"{run.id} is {run.state}; it is settled once.")


def _check_again(access: StoreAccess, capture: Capture, wanted: NewSettlement) -> Checked:
    """The same for a turn of which something is committed: a conflict is of its store alone."""
    try:
        return _check(access, capture, wanted)
    except Conflict:
        return Checked(access, capture)


def _check(access: StoreAccess, capture: Capture, wanted: NewSettlement) -> Checked:
    key = wanted.key_of(access.store_id)
    receipt = receipts.recall(caller=access.caller, key=key)
    if receipt.outcome is not None:
        return Checked(access, capture, outcome=receipt.outcome)
    require_first_of_turn(wanted.turn, access.store_id)
    drafted = draft_capture(base_of(wanted.turn, capture), capture)
    require_room(drafted)
    checked = Checked(access, capture, drafted=drafted)
    require_writable(access, checked.written)
    return checked


def base_of(turn: Turn, capture: Capture) -> MemoryVersion:
    """The version that a capture was written on. Raises Conflict unless the ref is there."""
    name = ref_of(turn.session_id)
    try:
        base = refs.current(capture.store_id, name)
    except NotFound as error:
        raise refs.moved(name, capture.base_version, None) from error
    if base.id != capture.base_version:
        raise refs.moved(name, capture.base_version, base.id)
    return base


def require_still(wanted: NewSettlement, written: Sequence[str]) -> Callable[[StoreAccess], None]:
    """What to ask once more when something that governs a store changed meanwhile."""

    def require(access: StoreAccess) -> None:
        require_capturable(wanted, access)
        require_writable(access, written)

    return require
