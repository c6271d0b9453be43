"""What brings back the tree of an earlier version (contract C3: a restore opens a Proposal)."""

from typing import Final

from memory.queries.diffs import tree_diff
from memory.versions.sealing import Change
from proposals.replays.copying import copies_of
from wire.errors import RangeTooLarge

MAX_RESTORED_BYTES: Final = 64 * 1024 * 1024
"""Bytes of text that one restore writes again."""


def restoring_changes(base_id: str, version_id: str) -> dict[str, Change]:
    """The changes that turn one version's tree into another's; none where they agree.

    Raises:
        Conflict: naming the paths whose text is erased.
        RangeTooLarge: more text differs than MAX_RESTORED_BYTES.
    """
    changes = tree_diff(base_id, version_id)
    written = [change.after for change in changes if change.after]
    size = sum(entry.size for entry in written)
    if size > MAX_RESTORED_BYTES:
        raise RangeTooLarge(
            f"A restore writes at most {MAX_RESTORED_BYTES:,} bytes; this one would write {size:,}."
        )
    gone: dict[str, Change] = {change.before.path: None for change in changes if change.before}
    return gone | copies_of(written)
