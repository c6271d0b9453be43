"""Checkpoint calls: the changes of one turn in one store, through the API (contract C7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from database.transactions import durable
from memory import receipts, refs
from memory.access import StoreAccess
from memory.actions.change_sets import Operation, draft_operations, require_write
from memory.models import MemoryVersion
from memory.queries.versions import changed_paths
from memory.receipts import Receipt
from memory.retention import require_durable_bodies
from memory.stores import finish_unchanged, finish_write, require_writable
from memory.versions.sealing import Note
from sessions.access import find_session, require_active
from sessions.turns.checkpointing import Turn, require_first_of_turn, seal_checkpoint
from sessions.turns.workingrefs import ref_of
from wire.idempotency import IdempotencyKey


@dataclass(frozen=True, slots=True)
class NewCheckpoint:
    """What a turn changed, on the version that its Session's working ref must still be at."""

    turn: Turn
    base_version: str
    operations: tuple[Operation, ...]
    message: str | None = None

    @property
    def written(self) -> Sequence[str]:
        """The paths that get a text."""
        return [operation.path for operation in self.operations if operation.change]


@dataclass(frozen=True, slots=True)
class CheckpointOutcome:
    """What a checkpoint did. `version_id` is None when it altered nothing."""

    version_id: str | None
    changed_paths: list[str]
    canonical_advanced: bool
    replayed: bool


@durable
def checkpoint(
    *, access: StoreAccess, wanted: NewCheckpoint, key: IdempotencyKey | None = None
) -> CheckpointOutcome:
    """Seal what a turn of a Session changed in a store, whole or not at all.

    By the Session's own agent, where its mount is writable, or by whoever holds `write`.

    Raises:
        PolicyDenied: a grant is missing, the agent may not write here, or zero data retention.
        ReadOnly: the mount is only read, or the store or the Session is archived.
        NotFound: there is no such Session or working ref, or the store is not active.
        Conflict: the working ref is elsewhere, content is not as expected, a path clashes or was
            redacted, the turn sealed a version before, or the key was used with another request.
        RangeTooLarge: more documents than a store may hold.
        BackendUnavailable: the key was used, and what came of it was not recorded.
    """
    _require_caller(wanted, access)
    require_durable_bodies(access)
    receipt = receipts.claim(caller=access.caller, key=key, store_id=access.store_id)
    if receipt.outcome is not None:
        return _told_again(receipt.outcome)
    return _seal(access, wanted, receipt)


def _seal(access: StoreAccess, wanted: NewCheckpoint, receipt: Receipt) -> CheckpointOutcome:
    _require(wanted, access)
    require_first_of_turn(wanted.turn, access.store_id)
    base = _base(access.store_id, wanted)
    drafted = draft_operations(base, wanted.operations)
    if drafted.is_empty:
        receipts.keep(receipt, {"version": None, "canonical_advanced": False})
        finish_unchanged(access, partial(_require, wanted))
        return CheckpointOutcome(None, [], canonical_advanced=False, replayed=False)
    made = seal_checkpoint(
        access=access,
        turn=wanted.turn,
        base=base,
        drafted=drafted,
        note=Note(message=wanted.message),
    )
    advanced = made.canonical_advanced
    receipts.keep(receipt, {"version": made.version_id, "canonical_advanced": advanced})
    finish_write(access, partial(_require, wanted))
    return CheckpointOutcome(made.version_id, drafted.changed_paths, advanced, replayed=False)


def _require_caller(wanted: NewCheckpoint, access: StoreAccess) -> None:
    """Refuse a checkpoint that grants, mounts or lifecycles do not allow."""
    session = find_session(access.caller.workspace_id, wanted.turn.session_id)
    require_write(access, ref_of(session.id))
    require_active(session)


def _require(wanted: NewCheckpoint, access: StoreAccess) -> None:
    _require_caller(wanted, access)
    require_durable_bodies(access)
    require_writable(access, wanted.written)


def _base(store_id: str, wanted: NewCheckpoint) -> MemoryVersion:
    name = ref_of(wanted.turn.session_id)
    base = refs.current(store_id, name)
    if base.id != wanted.base_version:
        raise refs.moved(name, wanted.base_version, base.id)
    return base


def _told_again(outcome: dict[str, Any]) -> CheckpointOutcome:
    """What came of it then, wherever canonical is now (contract C7)."""
    receipts.require_recorded(outcome, "version", "canonical_advanced")
    version = outcome["version"]
    return CheckpointOutcome(
        version_id=version,
        changed_paths=changed_paths(version) if version else [],
        canonical_advanced=outcome["canonical_advanced"],
        replayed=True,
    )
