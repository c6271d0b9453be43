"""The single memory.write call of a round (contract S6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from database.transactions import durable, step
from memory import receipts
from memory.access import StoreAccess
from memory.actions.change_sets import Operation, draft_operations
from memory.models import MemoryVersion
from memory.queries.versions import base_for_sealing
from memory.receipts import Receipt
from memory.retention import require_durable_bodies
from memory.stores import finish_unchanged, finish_write, require_writable
from memory.versions.sealing import Note
from sessions.access import require_active
from sessions.actions.rounds import hold_round
from sessions.auditing import record_of_session
from sessions.models import Checkpoint, MemoryCall, Round, Session
from sessions.turns.checkpointing import Turn, require_first_of_turn, seal_checkpoint
from sessions.turns.native import Use, require_offered, require_open
from wire.errors import Conflict
from wire.idempotency import IdempotencyKey
from wire.times import now


@dataclass(frozen=True, slots=True)
class NewCall:
    """What a call changes, on the version that its round reads.

    Attributes:
        name: what the runtime calls it.
    """

    name: str
    operations: tuple[Operation, ...]
    message: str | None = None

    @property
    def written(self) -> Sequence[str]:
        """The paths that get a text."""
        return [operation.path for operation in self.operations if operation.change]


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """A call that was committed, and whether this request only told of it again."""

    call: MemoryCall
    replayed: bool


@durable
def write_memory(*, use: Use, wanted: NewCall, key: IdempotencyKey) -> CallOutcome:
    """Seal what a round's call changes as a checkpoint: version, event and receipts together.

    The same call, sent again with whatever key, tells what came of it then.

    Raises:
        PolicyDenied: principal or agent lack `write` now, or zero data retention.
        ReadOnly: the mount was not offered for writing, or Session or store are archived.
        Conflict: the round is finished or has another call, the working ref is not at the version
            that the round reads, content is not as expected, a path clashes or was redacted, or
            the key was used with another request.
        RangeTooLarge: more documents than a store may hold.
        BackendUnavailable: the version was erased.
    """
    require_offered(use)
    require_durable_bodies(use.store)
    use.session.require_active()
    receipt = receipts.claim(caller=use.store.caller, key=key, store_id=use.store.store_id)
    held = replace(use, round=hold_round(use.round.id))
    made = _call_of(held.round)
    call = _told_again(made, wanted, key) if made else _make(held, wanted, receipt)
    sealed = call.checkpoint
    receipts.keep(receipt, {"call": call.id, "version": sealed.version_id if sealed else None})
    finish = finish_write if sealed and not made else finish_unchanged
    finish(use.store, partial(_require_still, held, wanted))
    return CallOutcome(call, replayed=made is not None)


def _call_of(held: Round) -> MemoryCall | None:
    calls = MemoryCall.objects.select_related("mount", "checkpoint", "receipt")
    return calls.filter(round=held).first()


@step
def _make(use: Use, wanted: NewCall, receipt: Receipt) -> MemoryCall:
    assert receipt.id is not None
    require_open(use)
    require_writable(use.store, wanted.written)
    base = base_for_sealing(use.store.store_id, use.planned.version)
    checkpoint = _seal(use, wanted, base)
    require_active(Session.objects.get(id=use.session.session_id))
    told = {"round": use.round.id, "version": checkpoint and checkpoint.version_id}
    record_of_session(use.session.caller, use.session.session_id, "memory_call.committed", **told)
    return MemoryCall.objects.create(
        round=use.round,
        name=wanted.name,
        mount=use.planned.mount,
        base=base,
        checkpoint=checkpoint,
        receipt_id=receipt.id,
        at=now(),
    )


@step
def _seal(use: Use, wanted: NewCall, base: MemoryVersion) -> Checkpoint | None:
    """The checkpoint of a call; None when it alters nothing. A round is one turn (M5)."""
    turn = Turn(use.session.session_id, name=use.round.id)
    require_first_of_turn(turn, use.store.store_id)
    drafted = draft_operations(base, wanted.operations)
    if drafted.is_empty:
        return None
    note = Note(message=wanted.message)
    return seal_checkpoint(access=use.store, turn=turn, base=base, drafted=drafted, note=note)


def _told_again(made: MemoryCall, wanted: NewCall, key: IdempotencyKey) -> MemoryCall:
    """The round's call, for exactly the same one (contract S6).

    Raises:
        Conflict: it is another one, or what it wrote was redacted since.
    """
    if made.receipt.fingerprint is None:
        raise Conflict("What this round wrote was redacted, and is not told again.")
    if (made.name, made.receipt.fingerprint) != (wanted.name, key.fingerprint):
        raise Conflict(
            f"{made.round_id} has its call already, and a round has one. Finish it, and enter the"
            " next; nothing is rebased, and there are no batches."
        )
    return made


def _require_still(use: Use, wanted: NewCall, access: StoreAccess) -> None:
    """What to ask once more when something that governs the store changed meanwhile."""
    require_offered(use)
    require_durable_bodies(access)
    require_writable(access, wanted.written)
