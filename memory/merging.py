"""The per-path three-way replay of a Proposal on today's canonical (contract P4).

Pure, over mappings from path to content. A path counts as a whole: two different edits of one
document always conflict, even where their lines would merge.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from memory.paths import new_clashes
from memory.treehash import Content

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
    """The change still applies: these operations, sorted by path. None: canonical has it all."""

    operations: tuple[PathWrite, ...]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The change does not apply: the paths at fault, sorted."""

    paths: tuple[str, ...]


def replay(base: Tree, head: Tree, canonical: Tree) -> Replayed | Conflicts:
    """Apply what changed from `base` to `head` to `canonical`.

    A path that canonical still holds as in base is changed as in head; one that canonical holds
    as in head already needs nothing; any other conflicts. So does a document that would become
    another one's directory, or the reverse: both paths are named.

    Args:
        base: the whole tree that the change started from.
        head: the whole tree that it led to.
        canonical: the whole tree to apply it to.
    """
    operations: list[PathWrite] = []
    conflicts: set[str] = set()
    for path in sorted(base.keys() | head.keys()):
        was, wanted, now = base.get(path), head.get(path), canonical.get(path)
        if wanted in (was, now):
            continue
        if now == was:
            operations.append(PathWrite(path, now, wanted))
        else:
            conflicts.add(path)
    conflicts.update(_clashing(operations, canonical))
    if conflicts:
        return Conflicts(tuple(sorted(conflicts)))
    return Replayed(tuple(operations))


def _clashing(operations: list[PathWrite], canonical: Tree) -> set[str]:
    added = [each.path for each in operations if each.before is None]
    removed = {each.path for each in operations if each.after is None}
    found = new_clashes(sorted(canonical), added, removed)
    return {path for clash in found for path in clash}
