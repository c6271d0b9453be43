"""Path fences: what was redacted is never written again (contract X1)."""

from collections.abc import Collection

from memory.access import StoreAccess
from memory.models import PathFence
from wire.errors import Conflict, name_some


def refuse_fenced(access: StoreAccess, paths: Collection[str]) -> None:
    """Refuse to write at a path that was redacted. A store without any erasure is not asked.

    Raises:
        Conflict: naming the fenced ones among the paths.
    """
    if not access.store.erasure_epoch or not paths:
        return
    fenced = PathFence.objects.filter(store=access.store_id, path__in=list(paths))
    found = sorted(fenced.values_list("path", flat=True))
    if found:
        raise Conflict(f"These paths were redacted and take no document: {name_some(found)}.")
