"""The stores of one owner."""

from django.db.models import QuerySet

from memory.models import MemoryStore, OwnerKind


def owned_stores(workspace_id: str, kind: OwnerKind, owner_id: str | None) -> QuerySet[MemoryStore]:
    """All stores that somebody owns in a Workspace, tombstones too, by their IDs."""
    owned = MemoryStore.objects.filter(workspace=workspace_id, owner_kind=kind, owner_uuid=owner_id)
    return owned.order_by("id")
