"""This room's answer to "who exists" (contract M6)."""

from memory.access import HIDDEN
from memory.models import MemoryStore
from tenancy.registry import register_existence


def register() -> None:
    """Answer for stores, which grants name as their target."""
    register_existence("store", _store_exists)


def _store_exists(workspace_id: str, id: str) -> bool:
    stores = MemoryStore.objects.filter(workspace=workspace_id, id=id)
    return stores.exclude(lifecycle__in=HIDDEN).exists()
