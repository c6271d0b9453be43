"""What an import clears away when it ends: what was received, and what it built in vain.

It goes in the batches by which a store is deleted, which take the same rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from database.transactions import step
from memory.erasure.draining import drain_batch

RECEIVED: Final = ("import_pages", "import_documents", "import_revisions")
BUILT: Final = (
    *RECEIVED,
    *("bodies", "notes", "changes", "trees", "pages", "erasures", "documents", "versions"),
    "fences",
)


@step
def discard_batch(
    store_id: str, parts: Sequence[str], position: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Delete the next rows of some parts of a pending store, or of what was received for it.

    Args:
        position: where the batch before ended; empty at the beginning.

    Returns:
        where the next batch begins; None when nothing is left.
    """
    part = position.get("part", parts[0])
    drained = drain_batch(store_id, part, position.get("after"))
    if drained.after:
        return {"part": part, "after": drained.after.hex}
    rest = parts[parts.index(part) + 1 :]
    return {"part": rest[0]} if rest else None
