"""Change sets: all-or-nothing writes on one ref (contract R2, R4)."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from database.transactions import durable, step
from memory import receipts, refs
from memory.access import StoreAccess
from memory.actors import actor_of
from memory.agents import require_own_ref
from memory.canonical import CanonicalMove, require_move
from memory.erasure.fences import refuse_fenced
from memory.models import MemoryVersion, RefKind, VersionKind
from memory.queries.versions import changed_paths
from memory.receipts import Receipt
from memory.refs import RefName
from memory.retention import body_ceiling, require_durable_bodies
from memory.stores import finish_unchanged, finish_write, require_writable
from memory.trees.editing import TreeEntry
from memory.trees.hashing import spell_hash
from memory.versions.sealing import Change, Draft, Note, draft, seal
from tenancy.audit import record
from tenancy.models import Permission
from wire.errors import Conflict, NotFound, name_some
from wire.idempotency import IdempotencyKey

KINDS = {
    RefKind.CANONICAL: VersionKind.DIRECT,
    RefKind.SESSION: VersionKind.SESSION_CHECKPOINT,
    RefKind.CURATION: VersionKind.CURATION,
}
"""What a change set on each kind of ref seals (contract M3)."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One path's change and what must be there before it.

    Attributes:
        change: a Put, or None to delete.
        expected_sha256: the content now at the path; None = there must be none.
    """

    path: str
    change: Change
    expected_sha256: bytes | None


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Operations on one ref, which must still be at `base_version`.

    `base_version` is None for the document surface, which names content hashes only.
    """

    ref: RefName
    base_version: str | None
    operations: tuple[Operation, ...]
    message: str | None = None

    @property
    def written(self) -> list[str]:
        """The paths that get a text."""
        return [operation.path for operation in self.operations if operation.change]


@dataclass(frozen=True, slots=True)
class ChangeSetOutcome:
    """What a change set did.

    Attributes:
        version_id: the version it sealed; None when it altered nothing.
        at: the version that holds the outcome: the sealed one, or the base.
    """

    version_id: str | None
    at: str
    changed_paths: list[str]
    tree_hash: bytes
    replayed: bool

    @property
    def unchanged(self) -> bool:
        """Whether nothing was altered, so that no version was made."""
        return self.version_id is None


def require_write(access: StoreAccess, ref: RefName) -> None:
    """Refuse a write to `ref` that this caller or store does not allow, then a dead store.

    Raises:
        PolicyDenied, ReadOnly: the grant is missing, or canonical moves by Proposals only, or the
            agent of a Session may not write there (contract C6).
        NotFound, ReadOnly: the store is not active.
    """
    if ref.kind == RefKind.CANONICAL:
        require_move(access, CanonicalMove.DIRECT_WRITE)
    else:
        access.require(Permission.WRITE)
    require_own_ref(access, ref)
    access.require_active()


@durable
def apply_change_set(
    *, access: StoreAccess, change_set: ChangeSet, key: IdempotencyKey | None = None
) -> ChangeSetOutcome:
    """Apply a change set, whole or not at all.

    Raises:
        PolicyDenied, ReadOnly, NotFound: as `require_write` says, or no such ref.
        PolicyDenied: zero data retention forbids the texts that it writes, or wrote (X3).
        Conflict: the ref moved, content is not as expected, a path clashes or was redacted, the
            ref is a Proposal's, or the key was used with another request.
        RangeTooLarge: more documents than a store may hold.
    """
    require_write(access, change_set.ref)
    if change_set.written:
        require_durable_bodies(access)
    receipt = receipts.claim(caller=access.caller, key=key, store_id=access.store_id)
    if receipt.outcome:
        return _told_again(receipt.outcome)
    return _write(access, change_set, receipt)


def _write(access: StoreAccess, change_set: ChangeSet, receipt: Receipt) -> ChangeSetOutcome:
    if change_set.ref.kind == RefKind.PROPOSAL:
        raise Conflict("A Proposal's ref is frozen. Open a new Proposal instead.")
    refuse_fenced(access, change_set.written)
    base = _base_of(access.store_id, change_set)
    drafted = draft_operations(base, change_set.operations)
    version = None if drafted.is_empty else _advance_and_seal(access, change_set, base, drafted)
    receipts.keep(receipt, {"version": version.id if version else None, "base": base.id})
    finish = finish_write if version else finish_unchanged
    finish(access, partial(_require, change_set))
    tree = version or base
    return ChangeSetOutcome(
        version_id=version.id if version else None,
        at=tree.id,
        changed_paths=drafted.changed_paths,
        tree_hash=bytes(tree.tree_hash),
        replayed=False,
    )


def _require(change_set: ChangeSet, access: StoreAccess) -> None:
    """Refuse a change set whose grant, ref, store, policy or paths do not allow it."""
    require_write(access, change_set.ref)
    require_writable(access, change_set.written)


def _base_of(store_id: str, change_set: ChangeSet) -> MemoryVersion:
    """The version to write on; one that the caller names must be where the ref is."""
    if change_set.base_version is None:
        refs.hold(store_id=store_id, name=change_set.ref)
    base = refs.current(store_id, change_set.ref)
    if change_set.base_version not in (None, base.id):
        raise refs.moved(change_set.ref, str(change_set.base_version), base.id)
    return base


def draft_operations(base: MemoryVersion, operations: tuple[Operation, ...]) -> Draft:
    """Draft operations on a base after checking what each expects.

    Raises:
        Conflict: naming the paths whose content is not the expected one.
    """
    drafted = draft(base, {operation.path: operation.change for operation in operations})
    missed = [
        operation.path
        for operation in operations
        if _digest(drafted.found(operation.path)) != operation.expected_sha256
    ]
    if missed:
        raise Conflict(f"The content is not the expected one at: {name_some(sorted(missed))}.")
    return drafted


def _digest(entry: TreeEntry | None) -> bytes | None:
    return entry.content_sha256 if entry else None


@step
def _advance_and_seal(
    access: StoreAccess, change_set: ChangeSet, base: MemoryVersion, drafted: Draft
) -> MemoryVersion:
    """Move the ref first: of many writers, those that lose have then written nothing in vain.

    The ref's foreign key to the version is checked at COMMIT.
    """
    actor = actor_of(access.caller)
    refs.advance(
        store_id=access.store_id,
        name=change_set.ref,
        expected=base.id,
        to=drafted.version_id,
        actor=actor,
    )
    version = seal(
        store_id=access.store_id,
        draft=drafted,
        kind=KINDS[change_set.ref.kind],
        actor=actor,
        note=Note(message=change_set.message),
        ceiling=body_ceiling(access),
    )
    record(
        caller=access.caller,
        event="store.written",
        target_kind="store",
        target_id=access.store_id,
        detail={
            "ref": change_set.ref.kind,
            "version": version.id,
            "paths": len(drafted.changed_paths),
            "tree_hash": spell_hash(version.tree_hash),
        },
    )
    return version


def _told_again(outcome: dict[str, Any]) -> ChangeSetOutcome:
    told = outcome["version"] or outcome["base"]
    version = MemoryVersion.objects.filter(id=told).first()
    if version is None:
        raise NotFound("The version that this request made is gone.")
    return ChangeSetOutcome(
        version_id=outcome["version"],
        at=told,
        changed_paths=changed_paths(told) if outcome["version"] else [],
        tree_hash=bytes(version.tree_hash),
        replayed=True,
    )
