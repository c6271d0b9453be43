"""Steps that change a store's own row inside somebody's transaction."""

from typing import Any

from django.db.models import F, QuerySet

from database.compiled import compiled_update
from database.transactions import step
from memory.access import NO_SUCH_STORE, archived
from memory.models import Lifecycle, MemoryStore
from wire.errors import NotFound


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
    raise archived() if lifecycle == Lifecycle.ARCHIVED else NotFound(NO_SUCH_STORE)


@compiled_update
def _bump(*, store_id: str) -> tuple[QuerySet[MemoryStore], dict[str, Any]]:
    active = MemoryStore.objects.filter(id=store_id, lifecycle=Lifecycle.ACTIVE)
    return active, {"generation": F("generation") + 1}
