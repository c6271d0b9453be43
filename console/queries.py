"""Reads that only the Console's lists need, over what the rooms below offer."""

from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from memory.access import listable_stores
from memory.models import Lifecycle, Ref, RefKind
from tenancy.caller import Caller


def stores_for_list(caller: Caller, *, words: str = "", archived: bool = False) -> QuerySet[Any]:
    """The stores a person sees, with when canonical of each moved last.

    Args:
        words: a part of the name or description, in any case.
        archived: the archived ones instead of the others.
    """
    canonical = Ref.objects.filter(store=OuterRef("id"), kind=RefKind.CANONICAL)
    stores: QuerySet[Any] = listable_stores(caller).annotate(
        canonical_moved_at=Subquery(canonical.values("updated_at"))
    )
    if words:
        stores = stores.filter(Q(name__icontains=words) | Q(description__icontains=words))
    if archived:
        stores = stores.filter(lifecycle=Lifecycle.ARCHIVED)
    else:
        stores = stores.exclude(lifecycle=Lifecycle.ARCHIVED)
    return stores.order_by("-id")
