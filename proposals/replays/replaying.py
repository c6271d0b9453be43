"""What a Proposal's change comes to on another canonical (contract P4).

A reader may look at it as a trial; re-proposing seals it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory.merging.paths import replay
from memory.queries.diffs import tree_diff
from memory.trees import diffs as treediffs
from memory.trees.diffs import PathChange
from memory.trees.editing import TreeEntry
from memory.trees.hashing import Content
from memory.trees.storage import load_entries
from proposals.models import Proposal


@dataclass(frozen=True, slots=True)
class PathConflict:
    """A path of a Proposal's change that does not apply to canonical.

    Attributes:
        base, canonical, head: what each holds at the path, None for nothing.
        blocked_by: documents of canonical that would be its directory, or it theirs; none when
            both sides changed the path itself.
    """

    path: str
    base: TreeEntry | None
    canonical: TreeEntry | None
    head: TreeEntry | None
    blocked_by: tuple[str, ...] = ()

    @property
    def entries(self) -> list[TreeEntry]:
        """What the sides hold, where they hold something."""
        return [entry for entry in (self.base, self.canonical, self.head) if entry]


@dataclass(frozen=True, slots=True)
class Trial:
    """A Proposal's change replayed on some canonical.

    Attributes:
        changes: what applies, from canonical's side.
        conflicts: what does not, sorted by path.
    """

    proposal: Proposal = field(repr=False)
    canonical_id: str
    changes: tuple[PathChange, ...]
    conflicts: tuple[PathConflict, ...]

    @property
    def written(self) -> list[TreeEntry]:
        """The entries of the head that the applying part writes."""
        return [change.after for change in self.changes if change.after]

    @property
    def deleted(self) -> list[str]:
        """The paths that the applying part deletes."""
        written = {entry.path for entry in self.written}
        before = (change.before.path for change in self.changes if change.before)
        return [path for path in before if path not in written]


def replay_on(proposal: Proposal, canonical_id: str) -> Trial:
    """Replay what changed from base to head, path by path, on `canonical_id`. Four queries."""
    changes = tree_diff(proposal.base_id, proposal.head_id)
    base = treediffs.by_path(change.before for change in changes if change.before)
    head = treediffs.by_path(change.after for change in changes if change.after)
    canonical = treediffs.by_path(load_entries(canonical_id))
    outcome = replay(_contents(base), _contents(head), _contents(canonical))
    paths = [operation.path for operation in outcome.operations]
    return Trial(
        proposal,
        canonical_id,
        treediffs.classify(_among(canonical, paths), _among(head, paths)),
        tuple(
            PathConflict(
                path,
                base.get(path),
                canonical.get(path),
                head.get(path),
                outcome.blocked.get(path, ()),
            )
            for path in outcome.conflicts
        ),
    )


def _contents(entries: Mapping[str, TreeEntry]) -> dict[str, Content]:
    return {
        path: Content(entry.content_sha256, entry.media_type) for path, entry in entries.items()
    }


def _among(entries: Mapping[str, TreeEntry], paths: Iterable[str]) -> dict[str, TreeEntry]:
    return {path: entries[path] for path in paths if path in entries}
