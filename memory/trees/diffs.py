"""What happened to each path between two trees (contract R3), without looking at any text."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memory.trees.editing import TreeEntry
from memory.trees.hashing import Change, Content


class Status(StrEnum):
    """What happened to a path."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class PathChange:
    """One path's difference; a rename is told once, at its new path.

    Attributes:
        status: what happened.
        before: the entry in the base tree, None when added. A rename has another path here.
        after: the entry in the head tree, None when deleted.
    """

    status: Status
    before: TreeEntry | None
    after: TreeEntry | None

    @property
    def path(self) -> str:
        """Where the document is now or, when it was deleted, where it was."""
        entry = self.after or self.before
        assert entry is not None
        return entry.path

    @property
    def old_path(self) -> str | None:
        """Where a renamed document was before; None for everything else."""
        return self.before.path if self.before and self.status is Status.RENAMED else None


def by_path(entries: Iterable[TreeEntry]) -> dict[str, TreeEntry]:
    """The entries of a tree (or of the part of it that changed) by their path."""
    return {entry.path: entry for entry in entries}


def classify(
    base: Mapping[str, TreeEntry], head: Mapping[str, TreeEntry]
) -> tuple[PathChange, ...]:
    """Tell the changes between two trees, sorted by path bytes.

    Either whole trees or only the entries that may differ can be given, as long as both sides
    leave out the same unchanged paths. A document written again with the same content and
    media type is no change. A deleted and an added path with identical content are one rename.
    """
    deleted = [base[path] for path in sorted(base.keys() - head.keys())]
    added = [head[path] for path in sorted(head.keys() - base.keys())]
    renamed = _renames(deleted, added)
    moved = {entry.path for pair in renamed for entry in pair}
    changes = [
        *(PathChange(Status.RENAMED, before, after) for before, after in renamed),
        *(PathChange(Status.DELETED, each, None) for each in deleted if each.path not in moved),
        *(PathChange(Status.ADDED, None, each) for each in added if each.path not in moved),
        *(PathChange(Status.MODIFIED, *pair) for pair in _modified(base, head)),
    ]
    return tuple(sorted(changes, key=lambda change: change.path))


def hashed_changes(changes: Iterable[PathChange]) -> Iterator[Change]:
    """The changes as `diff_hash` takes them: path by path, so that a rename is two."""
    for change in changes:
        if change.status is Status.RENAMED:
            assert change.before is not None
            yield Change(change.before.path, _content(change.before), None)
            yield Change(change.path, None, _content(change.after))
        else:
            yield Change(change.path, _content(change.before), _content(change.after))


def _content(entry: TreeEntry | None) -> Content | None:
    return None if entry is None else Content(entry.content_sha256, entry.media_type)


def _modified(
    base: Mapping[str, TreeEntry], head: Mapping[str, TreeEntry]
) -> Iterator[tuple[TreeEntry, TreeEntry]]:
    for path in base.keys() & head.keys():
        if _content(base[path]) != _content(head[path]):
            yield base[path], head[path]


def _renames(
    deleted: Iterable[TreeEntry], added: Iterable[TreeEntry]
) -> list[tuple[TreeEntry, TreeEntry]]:
    """Pair deleted with added documents of identical content.

    Among several candidates those that keep their file name go together first, then the rest
    in path order: the outcome depends on the two trees only.
    """
    sources, targets = _by_content(deleted), _by_content(added)
    pairs = []
    for digest in sources.keys() & targets.keys():
        pairs += _pair(sources[digest], targets[digest])
    return pairs


def _by_content(entries: Iterable[TreeEntry]) -> dict[bytes, list[TreeEntry]]:
    grouped = defaultdict(list)
    for entry in entries:
        grouped[entry.content_sha256].append(entry)
    return grouped


def _pair(deleted: list[TreeEntry], added: list[TreeEntry]) -> list[tuple[TreeEntry, TreeEntry]]:
    waiting: defaultdict[str, list[TreeEntry]] = defaultdict(list)
    for entry in reversed(added):
        waiting[_file_name(entry)].append(entry)
    pairs, unnamed = [], []
    for entry in deleted:
        namesakes = waiting[_file_name(entry)]
        if namesakes:
            pairs.append((entry, namesakes.pop()))
        else:
            unnamed.append(entry)
    taken = {after.path for _, after in pairs}
    rest = [entry for entry in added if entry.path not in taken]
    return pairs + list(zip(unnamed, rest, strict=False))


def _file_name(entry: TreeEntry) -> str:
    return entry.path.rpartition("/")[2]
