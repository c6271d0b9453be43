"""From the commits of a history to the versions that an import seals (contract I2)."""

from collections.abc import Iterable, Iterator

from memory.git.history import SourceCommit
from memory.git.selection import Selection
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note


def next_versions(commits: Iterable[SourceCommit], selection: Selection) -> Iterator[NextVersion]:
    """One for each commit that changes a document; the selection keeps what was left out.

    The commit's ID and time become claims beside the version, its message the version's own.

    Raises:
        RepositoryError: something of the repository is missing or damaged.
    """
    for commit in commits:
        changes = selection.select(commit.changes)
        if changes:
            yield NextVersion(changes, Note(commit.message, commit.id, commit.time))
