"""From commits to the revisions that an import seals (contract I2)."""

from collections.abc import Iterable, Iterator

from memory.chains import Revision
from memory.git.history import SourceCommit
from memory.git.selection import Selection
from memory.versions import Note


def revisions(commits: Iterable[SourceCommit], selection: Selection) -> Iterator[Revision]:
    """One revision for each commit that changes a document; the selection keeps what was skipped.

    The commit's ID and time become claims beside the version, its message the version's own.

    Raises:
        RepositoryError: something of the repository is missing or damaged.
    """
    for commit in commits:
        changes = selection.select(commit.changes)
        if changes:
            yield Revision(changes, Note(commit.message, commit.id, commit.time))
