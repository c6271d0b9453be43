"""Versions in a row, each on the one before it: sealed in memory, stored in bulk (contract I2).

One write at a time costs ten statements, which is right for a request and slow for a history
of thousands of versions. A chain keeps the tree at its tip in memory, so that sealing the next
version asks the database nothing; what was sealed is stored some hundred versions at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from database.rows import copy_rows
from database.transactions import step
from memory.actors import Actor
from memory.models import (
    DocumentBody,
    DocumentVersion,
    MemoryVersion,
    TreePage,
    VersionChange,
    VersionKind,
    VersionNote,
    VersionTree,
)
from memory.trees.keeping import TreeKeeper
from memory.trees.storage import empty_tree, load_tree, tree_row
from memory.versions.sealing import (
    Change,
    Note,
    body_rows,
    change_rows,
    document_rows,
    draft,
    note_rows,
    version_row,
)

FULL_ROWS: Final = 4_000
FULL_BYTES: Final = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class NextVersion:
    """What the next version of a line changes, and the words beside it."""

    changes: Mapping[str, Change]
    note: Note


@dataclass(slots=True)
class Batch:
    """Rows of versions that are sealed and not stored yet."""

    versions: list[MemoryVersion] = field(default_factory=list)
    notes: list[VersionNote] = field(default_factory=list)
    documents: list[DocumentVersion] = field(default_factory=list)
    bodies: list[DocumentBody] = field(default_factory=list)
    pages: list[TreePage] = field(default_factory=list)
    trees: list[VersionTree] = field(default_factory=list)
    changes: list[VersionChange] = field(default_factory=list)
    bytes: int = 0

    @property
    def is_full(self) -> bool:
        """Whether it is time to store it, before it takes much memory."""
        rows = len(self.changes) + len(self.pages) + len(self.versions)
        return rows >= FULL_ROWS or self.bytes >= FULL_BYTES

    @step
    def store(self) -> None:
        """Insert all rows."""
        copy_rows(self.versions)
        copy_rows(self.notes)
        copy_rows(self.documents)
        copy_rows(self.bodies)
        copy_rows(self.pages)
        copy_rows(self.trees)
        copy_rows(self.changes)


class Chain:
    """A line of versions of a store, from its first one on or from one that is there."""

    def __init__(
        self,
        store_id: str,
        kind: VersionKind,
        actor: Actor,
        ceiling: datetime | None = None,
        tip: MemoryVersion | None = None,
    ) -> None:
        """Begin; each version will be of `kind` and made by `actor`.

        Args:
            ceiling: as `memory.versions.sealing.seal` has it.
            tip: the version that the line goes on from, with the ancestors that sealing a child
                reads; None for a new store.
        """
        self.store_id = store_id
        self.kind = kind
        self.actor = actor
        self.ceiling = ceiling
        self.tip = tip
        self.length = 0
        self.batch = Batch()
        self._tree = load_tree(tip.id) if tip else empty_tree()
        self._keeper = TreeKeeper(store_id)

    def seal(self, next_version: NextVersion) -> None:
        """Seal the next version in memory; do nothing when it alters nothing.

        Raises:
            Conflict: a document would also be another's directory (contract M2).
            RangeTooLarge: the tree would hold more documents than a store may.
        """
        drafted = draft(self.tip, next_version.changes, self._tree)
        if drafted.is_empty:
            return
        version = version_row(self.store_id, drafted, self.kind, self.actor)
        stored = self._keeper.keep(drafted.tree, self.batch.pages)
        version.tree_hash = stored.tree_hash
        self._tree = drafted.tree
        documents = document_rows(version, drafted, self.ceiling)
        self.batch.versions.append(version)
        self.batch.trees.append(tree_row(version, stored))
        self.batch.notes += note_rows(version, next_version.note)
        self.batch.documents += documents
        self.batch.bodies += body_rows(documents, drafted)
        self.batch.changes += change_rows(version, drafted.before, drafted.after)
        self.batch.bytes += sum(document.bytes for document in documents)
        self.tip = version
        self.length += 1

    @step
    def store(self) -> None:
        """Store what is sealed and not stored yet; forget pages that the tip has no more."""
        self.batch.store()
        self.batch = Batch()
        self._keeper.forget_all_but(self._tree)
