"""Refs and the reflog (contract R3, M4)."""

from django.db.models import QuerySet

from memory.models import Ref, RefMove


def refs_of(store_id: str) -> QuerySet[Ref]:
    """A store's refs in a stable order: canonical first, then by kind and owner."""
    return Ref.objects.filter(store=store_id).order_by("id")


def reflog_of(store_id: str) -> QuerySet[RefMove]:
    """Every movement of a store's refs, newest first."""
    return RefMove.objects.filter(store=store_id).order_by("-id")
