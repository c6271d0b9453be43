"""The offered three-way merge inside a document that both sides changed (contract P4).

Nothing here is ever done by itself: a person looks at it and says what shall be at each path.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memory.access import StoreAccess
from memory.documents.texts import TextError, parse_text
from memory.merging.lines import MergedText, merge_lines
from memory.publication import Acquired
from memory.queries.diffs import BodyState, bodies_of
from memory.trees.editing import TreeEntry
from memory.trees.hashing import content_sha256
from proposals.replays.replaying import PathConflict
from wire.ids import id_from_uuid
from wire.times import earliest


class NoMerge(StrEnum):
    """Why there is no merged text for a path."""

    BLOCKED = "blocked"
    DELETED = "deleted"
    ERASED = "erased"
    MEDIA_TYPES = "media_types"
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class Merge:
    """A path in conflict with the texts of all three sides.

    Attributes:
        merged: both changes together; None before they were merged, and when `reason` says why
            they cannot be.
        media_type: what the merged text has; empty when `reason` is one that the texts do not tell.
    """

    conflict: PathConflict
    base: BodyState
    canonical: BodyState
    head: BodyState
    merged: MergedText | None = None
    media_type: str = ""
    reason: NoMerge | None = None

    @property
    def path(self) -> str:
        return self.conflict.path

    @property
    def is_clean(self) -> bool:
        """Whether there is a merged text in which nobody has to decide anything."""
        return self.merged is not None and not self.merged.conflicts

    @property
    def sha256(self) -> bytes | None:
        """Names the merged text: who accepts it says what it was."""
        return content_sha256(self.merged.text) if self.merged else None

    @property
    def expires_at(self) -> datetime | None:
        """The ceiling of what is made of both texts: it outlives neither (contract F1)."""
        return earliest([self.canonical.expires_at, self.head.expires_at])

    @property
    def readable(self) -> list[TreeEntry]:
        """The entries whose text is there."""
        conflict = self.conflict
        sides = (
            (conflict.base, self.base),
            (conflict.canonical, self.canonical),
            (conflict.head, self.head),
        )
        return [entry for entry, body in sides if entry and body.text is not None]


def merges_of(conflicts: Iterable[PathConflict]) -> list[Merge]:
    """Load what the sides of some conflicts hold, and merge it where that can be. One query."""
    return [merged(each) for each in unmerged(conflicts)]


def unmerged(conflicts: Iterable[PathConflict]) -> list[Merge]:
    """Load what the sides of some conflicts hold, and merge nothing yet. One query."""
    wanted = list(conflicts)
    bodies = bodies_of(entry for each in wanted for entry in each.entries)
    return [_load(each, bodies) for each in wanted]


def merged(merge: Merge) -> Merge:
    """The same with the merged text, where there can be one."""
    if merge.reason:
        return merge
    texts = (body.text or "" for body in (merge.base, merge.canonical, merge.head))
    found = merge_lines(*texts)
    try:
        parse_text(found.text)
    except TextError:
        return replace(merge, reason=NoMerge.TOO_LONG)
    return replace(merge, merged=found)


def acquire_merges(access: StoreAccess, merges: Sequence[Merge]) -> Acquired:
    """The texts that some merges were made from, for the publication recheck."""
    return Acquired(
        access,
        bodies=[
            id_from_uuid("document", entry.document_version)
            for merge in merges
            for entry in merge.readable
        ],
        expires_at=earliest(merge.expires_at for merge in merges),
    )


def _load(conflict: PathConflict, bodies: Mapping[UUID, BodyState]) -> Merge:
    base, canonical, head = (
        bodies[entry.document_version] if entry else BodyState()
        for entry in (conflict.base, conflict.canonical, conflict.head)
    )
    loaded = Merge(conflict, base, canonical, head)
    media_type = _media_type(conflict)
    reason = _reason_against(loaded, media_type)
    if reason or media_type is None:
        return replace(loaded, reason=reason)
    return replace(loaded, media_type=media_type)


def _reason_against(merge: Merge, media_type: str | None) -> NoMerge | None:
    conflict = merge.conflict
    if conflict.blocked_by:
        return NoMerge.BLOCKED
    if any(body.erasure for body in (merge.base, merge.canonical, merge.head)):
        return NoMerge.ERASED
    if conflict.canonical is None or conflict.head is None:
        return NoMerge.DELETED
    return NoMerge.MEDIA_TYPES if media_type is None else None


def _media_type(conflict: PathConflict) -> str | None:
    """The media type that the side which changed it gave; None when both did, differently."""
    base, canonical, head = (
        entry and entry.media_type for entry in (conflict.base, conflict.canonical, conflict.head)
    )
    if canonical in (base, head):
        return head
    return canonical if head == base else None
