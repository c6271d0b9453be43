"""Forks: a version of one store becomes a store of its own (contract F1)."""

from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from database.transactions import durable, step
from memory import receipts, refs
from memory.access import StoreAccess, open_store
from memory.actions.stores import StoreSettings, insert_store, require_creation
from memory.actors import actor_of
from memory.forking import Copy, copy_of, require_texts, seal_copy
from memory.models import Lifecycle, MemoryVersion
from memory.queries.versions import get_version
from memory.retention import body_ceiling, require_durable_bodies
from memory.trees.hashing import spell_hash
from tenancy.audit import record
from tenancy.recheck import recheck_authority
from wire.idempotency import IdempotencyKey
from wire.ids import new_id, uuid_from_id

_HOLD: Final = "SELECT FROM memory_memorystore WHERE id = %s FOR SHARE"


@dataclass(frozen=True, slots=True)
class Fork:
    """What to fork, and what to make of it."""

    source_version: str
    settings: StoreSettings


@dataclass(frozen=True, slots=True)
class Forked:
    """A new store and its one version, or that an earlier request made it."""

    store_id: str
    version_id: str
    tree_hash: bytes
    replayed: bool


@durable
def fork_store(*, access: StoreAccess, fork: Fork, key: IdempotencyKey | None = None) -> Forked:
    """Make a store that begins with a copy of one version of another, and evolves alone.

    Raises:
        PolicyDenied: the caller may not read the source, or make stores for this owner; or zero
            data retention forbids the copies (contract X3).
        NotFound: the source has no such version, or is being deleted.
        Malformed: the owner does not exist here.
        Conflict: a text of the version is erased or has expired; or the Idempotency-Key was used
            with another request.
        RangeTooLarge: more documents than a store may hold.
    """
    _require(access, fork)
    receipt = receipts.claim(caller=access.caller, key=key)
    if receipt.outcome:
        return _told_again(access, receipt.outcome)
    copy = copy_of(get_version(access.store_id, fork.source_version))
    require_texts(copy)
    version = _make(access, fork, copy)
    made = {"store": version.store_id, "version": version.id}
    receipts.keep(receipt, made, store_id=version.store_id)
    _look_again(access, fork, copy)
    return Forked(version.store_id, version.id, version.tree_hash, replayed=False)


def _require(access: StoreAccess, fork: Fork) -> None:
    """Refuse a fork that grants, the source's lifecycle or the retention policy do not allow."""
    access.require_content()
    require_creation(access.caller, fork.settings)
    require_durable_bodies(access)


@step
def _make(access: StoreAccess, fork: Fork, copy: Copy) -> MemoryVersion:
    """Store the copy, and then the store's own row, which locks that of the Workspace."""
    actor, caller = actor_of(access.caller), access.caller
    version = seal_copy(
        store_id=new_id("store"), copy=copy, actor=actor, ceiling=body_ceiling(access)
    )
    insert_store(
        caller=caller,
        settings=fork.settings,
        lifecycle=Lifecycle.ACTIVE,
        store_id=version.store_id,
    )
    refs.create(store_id=version.store_id, name=refs.CANONICAL, at=version.id, actor=actor)
    _audit(access, version, copy)
    return version


@step
def _audit(access: StoreAccess, version: MemoryVersion, copy: Copy) -> None:
    record(
        caller=access.caller,
        event="store.forked",
        target_kind="store",
        target_id=version.store_id,
        detail={
            "source_store": access.store_id,
            "source_version": copy.source.id,
            "version": version.id,
            "documents": version.document_count,
            "tree_hash": spell_hash(version.tree_hash),
        },
    )


@step
def _look_again(access: StoreAccess, fork: Fork, copy: Copy) -> None:
    """Hold the source, last, and make sure that everything still stands that was copied.

    A redaction or deletion of the source that committed before is seen now; one that comes later
    waits until the fork is there.
    """
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [uuid_from_id(access.store_id)])
    _require(open_store(recheck_authority(access.caller), access.store_id), fork)
    require_texts(copy)


def _told_again(access: StoreAccess, outcome: dict[str, Any]) -> Forked:
    """The outcome of an earlier request, as long as the caller may know of the store it made."""
    open_store(access.caller, outcome["store"]).require_known()
    version = get_version(outcome["store"], outcome["version"])
    return Forked(version.store_id, version.id, version.tree_hash, replayed=True)
