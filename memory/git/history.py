"""A git history as a line of changes: first parents only, oldest first (contract I2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pygit2
from pygit2.enums import FileMode

from memory.git.repository import RepositoryError, reading


@dataclass(frozen=True, slots=True)
class TreeFile:
    """What a git tree has at a path."""

    mode: FileMode
    id: pygit2.Oid


@dataclass(frozen=True, slots=True)
class SourceCommit:
    """A commit, and what it changed below the prefix against its first parent.

    Attributes:
        message: all of it, or None for an empty one.
        time: when it was committed, as it claims; None for a time no calendar has.
        changes: by path below the prefix, as raw bytes; None where the path is gone.
    """

    id: str
    time: datetime | None
    message: str | None
    changes: dict[bytes, TreeFile | None]


class History:
    """The commits from the root, or from behind one, to a tip; each with its changes."""

    def __init__(
        self,
        repository: pygit2.Repository,
        tip: pygit2.Commit,
        prefix: str = "",
        after: str | None = None,
    ) -> None:
        """Find the commits; nothing of their trees is read yet.

        Args:
            prefix: a folder of the repository, without slashes around it; empty for all of it.
            after: the commit that was imported last; None to begin at the root.

        Raises:
            RepositoryError: a commit is missing or damaged, or `after` is not on the tip's line of
                first parents.
        """
        self.repository = repository
        self.prefix = prefix
        with reading():
            self._ids = _first_parents(repository, tip)
        self._after = after
        if after is not None:
            self._ids = self._ids[self._index(after) + 1 :]

    def _index(self, commit_id: str) -> int:
        for index, oid in enumerate(self._ids):
            if str(oid) == commit_id:
                return index
        raise RepositoryError(
            f"The history was rewritten, or this is another repository: commit {commit_id}, which"
            f" was imported last, is not on the line of first parents of {self._ids[-1]}."
        )

    def tree_after(self) -> pygit2.Tree | None:
        """The tree below the prefix where the line begins; None for one that begins at the root."""
        if self._after is None:
            return None
        with reading():
            commit = self.repository[self._after].peel(pygit2.Commit)
            return _folder(commit.tree, self.prefix)

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[SourceCommit]:
        """Go through the commits. Only trees that differ from the parent's are looked into.

        Raises:
            RepositoryError: a commit or a tree is missing or damaged.
        """
        tree = self.tree_after()
        for commit_id in self._ids:
            with reading():
                parent, commit = tree, self.repository[commit_id].peel(pygit2.Commit)
                tree = _folder(commit.tree, self.prefix)
                source = _source_commit(commit, _changes(parent, tree))
            yield source


def _first_parents(repository: pygit2.Repository, tip: pygit2.Commit) -> list[pygit2.Oid]:
    """The commits on the line of first parents, oldest first.

    In a shallow clone libgit2 shows the oldest commit that is there as one without parents.
    """
    ids = [tip.id]
    while parents := repository[ids[-1]].peel(pygit2.Commit).parent_ids:
        ids.append(parents[0])
    return ids[::-1]


def _folder(tree: pygit2.Tree, prefix: str) -> pygit2.Tree | None:
    """The tree at a prefix, or None when there is no folder."""
    if not prefix:
        return tree
    try:
        found = tree / prefix
    except (KeyError, UnicodeEncodeError):
        return None
    return found if isinstance(found, pygit2.Tree) else None


def _changes(parent: pygit2.Tree | None, tree: pygit2.Tree | None) -> dict[bytes, TreeFile | None]:
    if parent is None or tree is None:
        whole = tree or parent
        diff = whole.diff_to_tree(swap=tree is not None) if whole else None
    else:
        diff = parent.diff_to_tree(tree) if parent.id != tree.id else None
    changes: dict[bytes, TreeFile | None] = {}
    for delta in diff.deltas if diff else ():
        # A file that became a link is two deltas at one path: what is there wins.
        if delta.new_file.mode:
            changes[delta.new_file.raw_path] = TreeFile(delta.new_file.mode, delta.new_file.id)
        else:
            changes.setdefault(delta.old_file.raw_path, None)
    return changes


def _source_commit(commit: pygit2.Commit, changes: dict[bytes, TreeFile | None]) -> SourceCommit:
    return SourceCommit(str(commit.id), _time(commit), _message(commit), changes)


def _time(commit: pygit2.Commit) -> datetime | None:
    try:
        return datetime.fromtimestamp(commit.commit_time, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _message(commit: pygit2.Commit) -> str | None:
    try:
        return commit.message or None
    except LookupError:  # an encoding that Python does not know
        return commit.raw_message.decode(errors="replace")
