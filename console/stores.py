"""The stores that a person sees, as the Console lists them."""

from collections import defaultdict
from collections.abc import Collection
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


def ref_owners(store_ids: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Whose refs some stores have, by store and kind. One query."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    refs = Ref.objects.filter(store__in=list(store_ids)).exclude(kind=RefKind.CANONICAL)
    for ref in refs.order_by("-id") if store_ids else ():
        found[ref.store_id, ref.kind].append(ref.owner_id or "")
    return found
