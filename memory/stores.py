"""Steps that change a store's own row inside somebody's transaction."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from django.db.models import F, QuerySet

from database.compiled import compiled_update
from database.transactions import step
from memory.access import (
    GONE,
    NO_SUCH_STORE,
    StoreAccess,
    all_reopened,
    archived,
    reopened,
)
from memory.erasure.fences import refuse_fenced
from memory.models import Lifecycle, MemoryStore
from memory.retention import require_durable_bodies
from wire.errors import ApiError, NotFound


def require_writable(access: StoreAccess, written: Collection[str]) -> None:
    """Refuse new bodies that the Workspace's policy forbids, or at a path that was redacted.

    Args:
        written: the paths that get a text.

    Raises:
        PolicyDenied: zero data retention (contract X3).
        Conflict: a path is fenced (contract X1).
    """
    if written:
        require_durable_bodies(access)
        refuse_fenced(access, written)


@step
def finish_write(access: StoreAccess, require: Callable[[StoreAccess], None]) -> None:
    """End a write to a store, last in its transaction: count it, and look once more.

    From here on the store's row is locked: a redaction, a change of policy or of grants either
    committed before, and is seen now, or waits and then sees this write.

    Args:
        require: refuses the write; asked when something that governs it has changed since.

    Raises:
        ReadOnly, NotFound: as `bump_generation` says.
        InvalidKey, DisabledTenancy: as `memory.access.reopened` says.
        and whatever `require` raises.
    """
    bump_generation(access.store_id)
    _look_once_more(access, require)


@step
def finish_unchanged(access: StoreAccess, require: Callable[[StoreAccess], None]) -> None:
    """End a write that altered nothing, as `finish_write` ends others, and count nothing.

    It leaves a receipt, which the store's deletion has to find, and a redaction to forget.

    Args:
        require: as there; it also refuses a store that is not active.

    Raises:
        InvalidKey, DisabledTenancy: as `memory.access.reopened` says.
        and whatever `require` raises.
    """
    hold_store(access.store_id)
    _look_once_more(access, require)


@step
def _look_once_more(access: StoreAccess, require: Callable[[StoreAccess], None]) -> None:
    fresh = reopened(access)
    if fresh is not access:
        require(fresh)


@step
def finish_writes(accesses: Sequence[StoreAccess], require: Callable[[StoreAccess], None]) -> None:
    """The same for writes to several stores at once, in as many statements as for two."""
    bump_generations([access.store_id for access in accesses])
    for access, fresh in zip(accesses, all_reopened(accesses), strict=True):
        if fresh is not access:
            require(fresh)


@step
def hold_store(store_id: str) -> None:
    """Lock a store's own row, so that every write still under way comes later and looks again.

    For what changes a store beneath its writers. Refs come before it, and nothing behind.
    """
    stores = MemoryStore.objects.select_for_update(no_key=True).filter(id=store_id)
    stores.values_list("id").get()


@step
def hold_living_store(store_id: str) -> bool:
    """Lock a store's own row as `hold_store` does; False when it is being deleted, or gone."""
    stores = MemoryStore.objects.select_for_update(no_key=True).exclude(lifecycle__in=GONE)
    return bool(stores.filter(id=store_id).values_list("id"))


@step
def bump_generation(store_id: str) -> None:
    """Count a structural change, last in the transaction, and only in an active store.

    The row lock this takes also orders writers against archiving: whoever commits first wins.

    Raises:
        ReadOnly: the store was archived meanwhile.
        NotFound: it is being deleted, or gone.
    """
    if _bump(store_id=store_id):
        return
    lifecycle = MemoryStore.objects.filter(id=store_id).values_list("lifecycle", flat=True).first()
    raise _closed(lifecycle)


@step
def bump_generations(store_ids: Collection[str]) -> None:
    """The same of several stores, whose rows are locked by their IDs. Two statements."""
    stores = MemoryStore.objects.filter(id__in=list(store_ids))
    held = stores.order_by("id").select_for_update(no_key=True)
    lifecycles = dict(held.values_list("id", "lifecycle"))
    for store_id in store_ids:
        if lifecycles.get(store_id) != Lifecycle.ACTIVE:
            raise _closed(lifecycles.get(store_id))
    stores.update(generation=F("generation") + 1)


def _closed(lifecycle: str | None) -> ApiError:
    return archived() if lifecycle == Lifecycle.ARCHIVED else NotFound(NO_SUCH_STORE)


@compiled_update
def _bump(*, store_id: str) -> tuple[QuerySet[MemoryStore], dict[str, Any]]:
    active = MemoryStore.objects.filter(id=store_id, lifecycle=Lifecycle.ACTIVE)
    return active, {"generation": F("generation") + 1}
