"""Versions in a row, each on the one before it: sealed in memory, stored in bulk (contract I2).

One write at a time costs ten statements, which is right for a request and slow for a history
of thousands of versions. A chain keeps the tree at its tip in memory, so that sealing the next
version asks the database nothing; what was sealed is stored some hundred versions at a time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db import connection

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
from memory.treehash import tree_hash
from memory.treepages import PagedTree, Slot
from memory.trees import StoredTree, empty_tree, page_row, tree_row
from memory.versions import (
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
RESERVED_AT_ONCE: Final = 256

_RESERVE = """
SELECT nextval(pg_get_serial_sequence('memory_treepage', 'id')) FROM generate_series(1, %s)
"""


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
    """A line of versions of a new store, from its first one on."""

    def __init__(
        self, store_id: str, kind: VersionKind, actor: Actor, ceiling: datetime | None = None
    ) -> None:
        """Begin with no version; each one will be of `kind` and made by `actor`.

        Args:
            ceiling: as `memory.versions.seal` has it.
        """
        self.store_id = store_id
        self.kind = kind
        self.actor = actor
        self.ceiling = ceiling
        self.tip: MemoryVersion | None = None
        self.length = 0
        self.batch = Batch()
        self._tree = empty_tree()
        self._page_hashes: dict[int, bytes] = {}
        self._page_ids = _page_ids()

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
        self._keep_tree(version, drafted.tree)
        documents = document_rows(version, drafted, self.ceiling)
        self.batch.versions.append(version)
        self.batch.notes += note_rows(version, next_version.note)
        self.batch.documents += documents
        self.batch.bodies += body_rows(documents, drafted)
        self.batch.changes += change_rows(version, drafted)
        self.batch.bytes += sum(document.bytes for document in documents)
        self.tip = version
        self.length += 1

    @step
    def store(self) -> None:
        """Store what is sealed and not stored yet; forget pages that the tip has no more."""
        self.batch.store()
        self.batch = Batch()
        current = {slot.page_id for slot in self._tree.slots}
        for page_id in self._page_hashes.keys() - current:
            del self._page_hashes[page_id], self._tree.loaded[page_id]

    def _keep_tree(self, version: MemoryVersion, tree: PagedTree) -> None:
        """Give the pages that are new their IDs, and the version its tree and hash."""
        tree.slots = [self._keep_page(tree, slot) for slot in tree.slots]
        ids = [slot.page_id for slot in tree.slots if slot.page_id is not None]
        stored = StoredTree(
            pages=ids,
            first_paths=[slot.first_path for slot in tree.slots],
            tree_hash=tree_hash(self._page_hashes[page_id] for page_id in ids),
        )
        version.tree_hash = stored.tree_hash
        self.batch.trees.append(tree_row(version, stored))
        self._tree = tree

    def _keep_page(self, tree: PagedTree, slot: Slot) -> Slot:
        if slot.entries is None:
            return slot
        row = page_row(self.store_id, slot.entries)
        row.id = next(self._page_ids)
        self.batch.pages.append(row)
        self._page_hashes[row.id] = row.page_hash
        tree.loaded[row.id] = slot.entries
        return Slot(slot.first_path, row.id)


def _page_ids() -> Iterator[int]:
    """Page IDs of our own, taken from the database's sequence some at a time."""
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_RESERVE, [RESERVED_AT_ONCE])
            reserved = cursor.fetchall()
        yield from (page_id for (page_id,) in reserved)
