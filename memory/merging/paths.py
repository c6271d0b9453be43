"""The per-path three-way replay of a Proposal on today's canonical (contract P4).

Pure, over mappings from path to content. A path counts as a whole: two different edits of one
document always conflict, even where their lines would merge (`memory.merging.lines`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory.documents.paths import new_clashes
from memory.trees.hashing import Content

Tree = Mapping[str, Content]


@dataclass(frozen=True, slots=True)
class PathWrite:
    """A path to write on canonical.

    Attributes:
        path: where.
        before: what canonical holds there now, None for nothing; the write's expectation.
        after: what it shall hold, None to delete it.
    """

    path: str
    before: Content | None
    after: Content | None


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a change comes to on canonical, everything sorted by path.

    Attributes:
        operations: what applies. Nothing at all is left to do when there are no conflicts either.
        contested: paths that were changed on both sides, and not alike.
        blocked: paths that the change adds, each with the documents of canonical in its way: one
            would be the other's directory.
    """

    operations: tuple[PathWrite, ...]
    contested: tuple[str, ...] = ()
    blocked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def conflicts(self) -> list[str]:
        """The paths of the change that do not apply, in order."""
        return sorted([*self.contested, *self.blocked])


def replay(base: Tree, head: Tree, canonical: Tree) -> Replayed:
    """Apply what changed from `base` to `head` to `canonical`.

    A path that canonical still holds as in base is changed as in head; one that canonical holds
    as in head already needs nothing; any other conflicts. So does a document that would become
    another one's directory, or the reverse.

    Args:
        base: the whole tree that the change started from.
        head: the whole tree that it led to.
        canonical: the whole tree to apply it to.
    """
    operations: list[PathWrite] = []
    contested: list[str] = []
    for path in sorted(base.keys() | head.keys()):
        was, wanted, now = base.get(path), head.get(path), canonical.get(path)
        if wanted in (was, now):
            continue
        if now == was:
            operations.append(PathWrite(path, now, wanted))
        else:
            contested.append(path)
    blocked = _blocked(operations, canonical)
    apply = tuple(each for each in operations if each.path not in blocked)
    return Replayed(apply, tuple(contested), blocked)


def _blocked(operations: Iterable[PathWrite], canonical: Tree) -> dict[str, tuple[str, ...]]:
    added = {each.path for each in operations if each.before is None}
    removed = {each.path for each in operations if each.after is None}
    found: defaultdict[str, list[str]] = defaultdict(list)
    for above, below in new_clashes(sorted(canonical), sorted(added), removed):
        path, other = (above, below) if above in added else (below, above)
        found[path].append(other)
    return {path: tuple(sorted(others)) for path, others in sorted(found.items())}
