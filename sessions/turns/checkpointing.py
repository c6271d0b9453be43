"""Sealing what a turn of a Session changed in one store (contract M5, C2, C7).

All ways to write from within a Session come here: checkpoint calls, settlements, native calls.
"""

from dataclasses import dataclass

from database.transactions import step
from memory import refs
from memory.access import StoreAccess
from memory.actors import actor_of
from memory.models import MemoryVersion, OwnerKind, VersionKind
from memory.queries.versions import canonical_id
from memory.retention import body_ceiling
from memory.trees.editing import TreeEntry
from memory.trees.hashing import Change, Content, diff_hash
from memory.versions.sealing import Draft, Note, seal
from sessions.auditing import record_of_session
from sessions.events.entries import change_checkpointed
from sessions.events.log import append
from sessions.models import Checkpoint
from sessions.turns.workingrefs import ref_of
from wire.errors import Conflict
from wire.times import now


@dataclass(frozen=True, slots=True)
class Turn:
    """What a checkpoint ends: a Run's turn, a round, or a checkpoint call.

    Attributes:
        name: unique in its Session; None for a call that is a turn of its own.
        run_id: the Run that it belongs to, if any.
    """

    session_id: str
    name: str | None = None
    run_id: str | None = None


@step
def require_first_of_turn(turn: Turn, store_id: str) -> None:
    """Refuse a second version of a store in one turn (contract M5).

    Raises:
        Conflict: there is one; names it.
    """
    if turn.name is None:
        return
    made = Checkpoint.objects.filter(session=turn.session_id, store=store_id, turn=turn.name)
    found = made.values_list("version", flat=True).first()
    if found:
        raise Conflict(f"This turn has sealed {found} in the store already.")


@step
def seal_checkpoint(
    *,
    access: StoreAccess,
    turn: Turn,
    base: MemoryVersion,
    drafted: Draft,
    note: Note | None = None,
) -> Checkpoint:
    """Seal a draft that changes something, and move the Session's working ref to it.

    Canonical of the Session's own store follows while it is at the base (contract C2). The
    caller has checked who may write, and ends the transaction with `finish_write`.

    Raises:
        Conflict: the working ref is not at `base` any more.
        RangeTooLarge: more documents than a store may hold.
    """
    follows = _holds_canonical_at(access, turn.session_id, base)
    actor = actor_of(access.caller)
    refs.advance(
        store_id=access.store_id,
        name=ref_of(turn.session_id),
        expected=base.id,
        to=drafted.version_id,
        actor=actor,
    )
    version = seal(
        store_id=access.store_id,
        draft=drafted,
        kind=VersionKind.SESSION_CHECKPOINT,
        actor=actor,
        note=note,
        ceiling=body_ceiling(access),
    )
    if follows:
        _follow(access, base, version)
    checkpoint = Checkpoint.objects.create(
        session_id=turn.session_id,
        store_id=access.store_id,
        turn=turn.name or version.id,
        base=base,
        version=version,
        canonical_advanced=follows,
        at=now(),
    )
    _tell(access, turn, checkpoint, drafted)
    return checkpoint


def _holds_canonical_at(access: StoreAccess, session_id: str, base: MemoryVersion) -> bool:
    """Whether canonical is to follow; it stays where it is until the transaction ends, then."""
    store = access.store
    if store.owner_kind != OwnerKind.SESSION or store.owner_id != session_id:
        return False
    refs.hold(store_id=access.store_id, name=refs.CANONICAL)
    return canonical_id(access.store_id) == base.id


@step
def _follow(access: StoreAccess, base: MemoryVersion, version: MemoryVersion) -> None:
    """Let canonical of a Session's own store follow its checkpoint (contract C2)."""
    refs.advance(
        store_id=access.store_id,
        name=refs.CANONICAL,
        expected=base.id,
        to=version.id,
        actor=actor_of(access.caller),
    )


def _tell(access: StoreAccess, turn: Turn, checkpoint: Checkpoint, drafted: Draft) -> None:
    """Write the event and the audit row of a checkpoint."""
    entry = change_checkpointed(
        checkpoint,
        diff_hash=diff_of(drafted),
        changed_paths=len(drafted.changed_paths),
        run_id=turn.run_id,
    )
    append(checkpoint.session_id, [entry])
    record_of_session(
        access.caller,
        checkpoint.session_id,
        "session.checkpointed",
        store=checkpoint.store_id,
        version=checkpoint.version_id,
        paths=len(drafted.changed_paths),
        canonical_advanced=checkpoint.canonical_advanced,
    )


def diff_of(drafted: Draft) -> bytes:
    """The diff hash of a draft against its base (contract M8)."""
    return diff_hash(
        Change(path, _content(drafted.before[path]), _content(after))
        for path, after in drafted.after.items()
    )


def _content(entry: TreeEntry | None) -> Content | None:
    return Content(entry.content_sha256, entry.media_type) if entry else None
