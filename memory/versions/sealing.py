"""Sealing: how a set of changes on a base becomes an immutable version (contract M3, M7)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from uuid_utils.compat import uuid7

from database.rows import in_one_trip, insert_rows
from database.transactions import step
from memory.actors import Actor
from memory.documents.bodies import body_row
from memory.documents.mediatypes import default_media_type
from memory.models import (
    DocumentBody,
    DocumentVersion,
    MemoryVersion,
    VersionChange,
    VersionKind,
    VersionNote,
)
from memory.trees.editing import PagedTree, TreeEntry, directory_clashes
from memory.trees.hashing import content_sha256
from memory.trees.storage import empty_tree, load_tree, store_pages, tree_row
from memory.versions.ancestry import jump_from
from wire.errors import Conflict, RangeTooLarge, name_some
from wire.ids import id_from_uuid, new_id
from wire.times import earliest, now


@dataclass(frozen=True, slots=True)
class Put:
    """Text to write at a path.

    Attributes:
        text: at most 102,400 bytes of UTF-8 without NUL, checked where it came in.
        media_type: None picks it by the path's ending.
        provenance: as the export spells it, checked where it came in.
        expires_at: an earlier ceiling that the text brings along (contract F1).
    """

    text: str
    media_type: str | None = None
    provenance: dict[str, Any] | None = None
    provenance_sha256: bytes | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """The words beside a version, and what an import claims of its source."""

    message: str | None = None
    source_id: str | None = None
    source_time: datetime | None = None


Change = Put | None
"""A new text at a path, or None to delete what is there."""


@dataclass(slots=True)
class Draft:
    """A tree with changes applied, not yet stored; `version_id` is what it will be called."""

    base: MemoryVersion | None
    before: dict[str, TreeEntry | None]
    after: dict[str, TreeEntry | None]
    puts: dict[str, Put]
    tree: PagedTree = field(repr=False)
    base_tree: PagedTree = field(repr=False)
    version_id: str = field(default_factory=partial(new_id, "version"))

    def found(self, path: str) -> TreeEntry | None:
        """What the base holds at a path."""
        return self.base_tree.find(path)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was altered."""
        return not self.after

    @property
    def changed_paths(self) -> list[str]:
        """The altered paths in order."""
        return sorted(self.after)


def draft(
    base: MemoryVersion | None, changes: Mapping[str, Change], tree: PagedTree | None = None
) -> Draft:
    """Apply changes to a base's tree in memory.

    Writing the same text and media type again, or deleting nothing, alters nothing.

    Args:
        tree: the base's tree, for who has it at hand already.

    Raises:
        Conflict: a document would also be another's directory (contract M2).
    """
    tree = tree or _tree_of(base)
    tree.preload(changes)
    before: dict[str, TreeEntry | None] = {}
    after: dict[str, TreeEntry | None] = {}
    for path, change in changes.items():
        found = tree.find(path)
        entry = _entry(path, change) if change else None
        if not _same(found, entry):
            before[path], after[path] = found, entry
    edited = tree.edit(after) if after else tree
    _refuse_clashes(edited, [path for path, entry in before.items() if entry is None])
    puts = {path: changes[path] for path in after if after[path] is not None}
    return Draft(
        base, before, after, {path: put for path, put in puts.items() if put}, edited, tree
    )


def _tree_of(base: MemoryVersion | None) -> PagedTree:
    return load_tree(base.id) if base else empty_tree()


def _entry(path: str, put: Put) -> TreeEntry:
    raw = put.text.encode()
    media_type = put.media_type or default_media_type(path)
    return TreeEntry(path, uuid7(), content_sha256(raw), media_type, len(raw))


def _same(found: TreeEntry | None, entry: TreeEntry | None) -> bool:
    if found is None or entry is None:
        return found is entry
    return (found.content_sha256, found.media_type) == (entry.content_sha256, entry.media_type)


def _refuse_clashes(tree: PagedTree, added: list[str]) -> None:
    clashes = directory_clashes(tree, added)
    if clashes:
        named = name_some(f"{above} and {below}" for above, below in clashes)
        raise Conflict(f"A document cannot also be another's directory: {named}.")


@step
def seal(
    *,
    store_id: str,
    draft: Draft,
    kind: VersionKind,
    actor: Actor,
    note: Note | None = None,
    ceiling: datetime | None = None,
) -> MemoryVersion:
    """Store a draft as a new version, whole or not at all. Moves no ref.

    Args:
        ceiling: when the texts that the draft writes have to go, by the retention policy; one
            that brings an earlier ceiling along keeps that (contract F1).

    Raises:
        RangeTooLarge: the tree would hold more documents than a store may.
    """
    version = version_row(store_id, draft, kind, actor)
    stored = store_pages(store_id, draft.tree)
    version.tree_hash = stored.tree_hash
    documents = document_rows(version, draft, ceiling)
    with in_one_trip():
        insert_rows([version])
        insert_rows(note_rows(version, note) if note else [])
        insert_rows(documents)
        insert_rows(body_rows(documents, draft))
        insert_rows([tree_row(version, stored)])
        insert_rows(change_rows(version, draft.before, draft.after))
    return version


def version_row(store_id: str, draft: Draft, kind: VersionKind, actor: Actor) -> MemoryVersion:
    """The version that a draft makes, not yet stored and without its tree hash.

    Raises:
        RangeTooLarge: the tree would hold more documents than a store may.
    """
    count, size = require_room(draft)
    base = draft.base
    return MemoryVersion(
        id=draft.version_id,
        store_id=store_id,
        parent_id=base.id if base else None,
        jump=jump_from(base) if base else None,
        depth=base.depth + 1 if base else 0,
        kind=kind,
        document_count=count,
        total_bytes=size,
        created_at=now(),
        **actor.columns(),
    )


def require_room(draft: Draft) -> tuple[int, int]:
    """How many documents and bytes the tree has after the draft.

    Raises:
        RangeTooLarge: that is more documents than a store may hold.
    """
    count, size = _counts(draft)
    if count > settings.MAX_DOCUMENTS:
        raise RangeTooLarge(
            f"A store holds at most {settings.MAX_DOCUMENTS:,} documents;"
            f" this would make {count:,}."
        )
    return count, size


def _counts(draft: Draft) -> tuple[int, int]:
    """How many documents and bytes the tree has after the draft."""
    count = draft.base.document_count if draft.base else 0
    size = draft.base.total_bytes if draft.base else 0
    for path, entry in draft.after.items():
        found = draft.before[path]
        count += (entry is not None) - (found is not None)
        size += (entry.size if entry else 0) - (found.size if found else 0)
    return count, size


def note_rows(version: MemoryVersion, note: Note) -> list[VersionNote]:
    """The row for a version's words; none when there are no words."""
    if note.message is None and not note.source_id:
        return []
    return [
        VersionNote(
            version=version,
            message=note.message,
            source_id=note.source_id,
            source_time=note.source_time,
        )
    ]


def document_rows(
    version: MemoryVersion, draft: Draft, ceiling: datetime | None
) -> list[DocumentVersion]:
    """One row for each text that a draft writes; `ceiling` is as `seal` has it."""
    return [
        _document_version(version, entry, draft.puts[path], ceiling)
        for path, entry in draft.after.items()
        if entry is not None
    ]


def body_rows(documents: Iterable[DocumentVersion], draft: Draft) -> list[DocumentBody]:
    """The bodies of the documents that a draft writes."""
    return [
        body_row(row, draft.puts[row.path].text, draft.puts[row.path].provenance)
        for row in documents
    ]


def _document_version(
    version: MemoryVersion, entry: TreeEntry, put: Put, ceiling: datetime | None
) -> DocumentVersion:
    return DocumentVersion(
        id=id_from_uuid("document", entry.document_version),
        store_id=version.store_id,
        path=entry.path,
        content_sha256=entry.content_sha256,
        media_type=entry.media_type,
        bytes=entry.size,
        provenance_sha256=put.provenance_sha256,
        introduced_by=version,
        expires_at=earliest([put.expires_at, ceiling]),
    )


def change_rows(
    version: MemoryVersion,
    before: Mapping[str, TreeEntry | None],
    after: Mapping[str, TreeEntry | None],
) -> list[VersionChange]:
    """One row for each path that a version alters: what its parent holds there, and what it does.

    Args:
        before, after: of the same paths.
    """
    return [
        VersionChange(
            store_id=version.store_id,
            version=version,
            path=path,
            before_id=_document_id(before[path]),
            after_id=_document_id(after[path]),
        )
        for path in sorted(after)
    ]


def _document_id(entry: TreeEntry | None) -> str | None:
    return id_from_uuid("document", entry.document_version) if entry else None
