"""Path fences: what was redacted is never written again (contract X1).

A ref that was opened at an old version may still hold such a path, and may let go of it: a deletion
writes no document, and a Session whose agent was never shown the text could not settle otherwise.
A Proposal takes neither: a redaction ends whatever is open and touches the path (P5), so nothing
that touches it is opened afterwards. Its deletion would come too late anyway, as canonical lets go
of the path with the redaction itself.
"""

from collections.abc import Collection

from memory.access import StoreAccess
from memory.models import PathFence
from wire.errors import Conflict, name_some


def refuse_fenced(access: StoreAccess, paths: Collection[str]) -> None:
    """Refuse paths that were redacted. A store without any erasure is not asked.

    Args:
        paths: what gets a text; for a Proposal all that it touches.

    Raises:
        Conflict: naming the fenced ones among the paths.
    """
    if not access.store.erasure_epoch or not paths:
        return
    fenced = PathFence.objects.filter(store=access.store_id, path__in=list(paths))
    found = sorted(fenced.values_list("path", flat=True))
    if found:
        raise Conflict(f"These paths were redacted and take no document: {name_some(found)}.")
