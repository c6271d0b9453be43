"""Trees of an export: built from the parent's pages, and proven by their hash (contract I1, M8)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final
from uuid import UUID

from database.rows import copy_rows
from database.transactions import step
from memory.importing.documents import derived_uuid
from memory.importing.entries import Entries, difference, read_entries
from memory.importing.faults import BundleFault
from memory.importing.reading import Reader
from memory.importing.texts import TextWriter
from memory.models import (
    ImportDocument,
    ImportRevision,
    MemoryVersion,
    TreePage,
    VersionChange,
    VersionTree,
)
from memory.trees.editing import PagedTree, TreeEntry, directory_clashes
from memory.trees.hashing import spell_hash
from memory.trees.keeping import TreeKeeper
from memory.trees.storage import StoredTree, empty_tree, load_tree, tree_row
from memory.versions.sealing import change_rows
from wire.ids import id_from_uuid, uuid_from_id

FULL_ROWS: Final = 4_000
FULL_ENTRIES: Final = 40_000
TREES_AT_HAND: Final = 4


@dataclass(frozen=True, slots=True)
class _Built:
    """The tree of a version, and what is at each path of it."""

    tree: PagedTree
    documents: Mapping[str, UUID]


@dataclass(frozen=True, slots=True)
class _Edit:
    """What a revision changes against its parent."""

    before: dict[str, TreeEntry | None]
    after: dict[str, TreeEntry | None]

    @property
    def added(self) -> list[str]:
        """The paths that the parent does not have."""
        return [path for path, entry in self.before.items() if entry is None]

    @property
    def size(self) -> int:
        """How many bytes more the tree has than the parent's."""
        return _bytes(self.after) - _bytes(self.before)


class TreeBuilder:
    """Builds the trees of revisions one after the other, and stores them when a batch ends."""

    def __init__(self, store_id: str, reader: Reader, ceiling: datetime | None) -> None:
        self._store_id = store_id
        store = uuid_from_id(store_id)
        self._named = cache(lambda source: derived_uuid(store, uuid_from_id(source)))
        self._reader = reader
        self._keeper = TreeKeeper(store_id)
        self._texts = TextWriter(store_id, ceiling)
        self._built: dict[str, _Built] = {}
        self._entries = 0
        self._pages: list[TreePage] = []
        self._trees: list[VersionTree] = []
        self._changes: list[VersionChange] = []

    @property
    def is_full(self) -> bool:
        """Whether it is time to end the batch."""
        rows = len(self._pages) + len(self._changes)
        return rows >= FULL_ROWS or self._entries >= FULL_ENTRIES or not self._texts.has_room

    def build(self, revision: ImportRevision) -> bool:
        """Build a revision's tree from the entries that come next.

        Returns:
            False when it introduces more text than fits into the batch: what fits is written, and
            the next batch has to begin with the same revision.

        Raises:
            BundleFault: the entries contradict the revision, or name what is not there.
        """
        version = revision.version
        source_id = _source_id(revision)
        entries = read_entries(self._reader, self._named, source_id, version.document_count)
        self._entries += version.document_count
        parent = self._tree_of(version.parent)
        gone, changed = difference(parent.documents, entries.documents)
        documents = self._documents(entries, changed)
        if not self._texts.write(version, documents.values()):
            return False
        edit = _edit(parent.tree, gone, changed, documents)
        tree = parent.tree.edit(edit.after) if edit.after else parent.tree
        _refuse_clashes(entries, tree, edit.added)
        self._keep(version, source_id, tree, edit)
        self._remember(version.id, _Built(tree, entries.documents))
        return True

    @step
    def store(self) -> None:
        """Store what was built since it was last called."""
        self._texts.store()
        for rows in (self._pages, self._trees, self._changes):
            copy_rows(rows)
            rows.clear()

    def _documents(
        self, entries: Entries, changed: Mapping[str, UUID]
    ) -> dict[str, ImportDocument]:
        """The document versions at the paths that change."""
        ids = {path: id_from_uuid("document", uuid) for path, uuid in changed.items()}
        rows = ImportDocument.objects.filter(store=self._store_id).defer("text", "provenance")
        found = rows.in_bulk(set(ids.values()))
        documents: dict[str, ImportDocument] = {}
        for path, document_id in ids.items():
            if document_id not in found:
                raise entries.fault(path, "the export has no such document version")
            documents[path] = found[document_id]
            if documents[path].path != path:
                raise entries.fault(path, "its document version stands at another path")
        return documents

    def _tree_of(self, version: MemoryVersion | None) -> _Built:
        if version is None:
            return _Built(empty_tree(), {})
        if version.id not in self._built:
            self.store()  # where a history branches, it may be one of this batch
            tree = load_tree(version.id)
            entries = tree.entries_from(ahead=len(tree.slots))
            documents = {entry.path: entry.document_version for entry in entries}
            self._remember(version.id, _Built(tree, documents))
        return self._built[version.id]

    def _remember(self, version_id: str, built: _Built) -> None:
        self._built[version_id] = built
        while len(self._built) > TREES_AT_HAND:
            del self._built[next(iter(self._built))]

    def _keep(self, version: MemoryVersion, source_id: str, tree: PagedTree, edit: _Edit) -> None:
        stored = self._keeper.keep(tree, self._pages)
        _prove(version, source_id, stored, edit)
        self._trees.append(tree_row(version, stored))
        self._changes += change_rows(version, edit.before, edit.after)


def _source_id(revision: ImportRevision) -> str:
    return f"mrev_{revision.source_uuid.hex}"


def _edit(
    parent: PagedTree,
    gone: Collection[str],
    changed: Mapping[str, UUID],
    documents: Mapping[str, ImportDocument],
) -> _Edit:
    after: dict[str, TreeEntry | None] = dict.fromkeys(gone)
    for path, uuid in changed.items():
        row = documents[path]
        after[path] = TreeEntry(path, uuid, row.content_sha256, row.media_type, row.bytes)
    return _Edit({path: parent.find(path) for path in after}, after)


def _refuse_clashes(entries: Entries, tree: PagedTree, added: list[str]) -> None:
    for above, below in directory_clashes(tree, added):
        raise entries.fault(below, f"a document is also its directory: {above}")


def _prove(version: MemoryVersion, source_id: str, stored: StoredTree, edit: _Edit) -> None:
    """Compare what a revision declares with what its entries amount to."""
    size = edit.size + (version.parent.total_bytes if version.parent else 0)
    if size != version.total_bytes:
        raise BundleFault(
            f"revision {source_id}: total_bytes says {version.total_bytes:,}; its entries have"
            f" {size:,}."
        )
    if stored.tree_hash != version.tree_hash:
        raise BundleFault(
            f"revision {source_id}: tree_hash says {spell_hash(version.tree_hash)}; its entries"
            f" have {spell_hash(stored.tree_hash)}."
        )


def _bytes(entries: Mapping[str, TreeEntry | None]) -> int:
    return sum(entry.size for entry in entries.values() if entry)
