"""The stores that a Session is about, as far as somebody may read them."""

from collections.abc import Iterable

from memory.access import HIDDEN, StoreAccess, listable_stores
from tenancy.caller import Caller
from tenancy.models import Permission


def readable_stores(caller: Caller, store_ids: Iterable[str]) -> dict[str, StoreAccess]:
    """Those of some stores whose content a caller may read, by their IDs. One query."""
    wanted = list(store_ids)
    if not wanted:
        return {}
    rows = listable_stores(caller).filter(id__in=wanted).exclude(lifecycle__in=HIDDEN)
    accesses = [StoreAccess(caller, row, frozenset(row.granted)) for row in rows]
    return {one.store_id: one for one in accesses if one.may(Permission.READ)}
