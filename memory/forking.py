"""A version of one store as the first version of another: its tree, texts of their own (F1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection
from uuid_utils.compat import uuid7

from database.arrays import array_literal
from database.rows import copy_rows, insert_rows
from database.transactions import step
from memory.actors import Actor
from memory.models import MemoryVersion, VersionKind
from memory.search.vectors import store_lexeme
from memory.trees.editing import PagedTree, Slot, TreeEntry
from memory.trees.hashing import split_pages
from memory.trees.storage import empty_tree, load_entries, load_pages, store_pages, tree_row
from memory.versions.sealing import Draft, change_rows, version_row
from wire.errors import Conflict, name_some
from wire.ids import uuid_from_id
from wire.times import now

_DOCUMENTS: Final = """
INSERT INTO memory_documentversion (id, store_id, path, content_sha256, media_type, bytes,
                                    provenance_sha256, introduced_by_id, expires_at)
SELECT pair.made, %(store)s, d.path, d.content_sha256, d.media_type, d.bytes,
       d.provenance_sha256, %(version)s, least(d.expires_at, %(ceiling)s)
FROM unnest(%(found)s::uuid[], %(made)s::uuid[]) AS pair (found, made)
JOIN memory_documentversion d ON d.id = pair.found
"""
_BODIES: Final = """
INSERT INTO memory_documentbody (document_version_id, text, provenance, search_vector)
SELECT pair.made, b.text, b.provenance,
       ts_delete(b.search_vector, %(old_mark)s) || array_to_tsvector(ARRAY[%(new_mark)s])
FROM unnest(%(found)s::uuid[], %(made)s::uuid[]) AS pair (found, made)
JOIN memory_documentversion d ON d.id = pair.found
JOIN memory_documentbody b ON b.document_version_id = d.id
WHERE sha256(convert_to(b.text, 'UTF8')) = d.content_sha256
"""
_GONE: Final = """
SELECT d.path
FROM memory_documentversion d
LEFT JOIN memory_documentbody b ON b.document_version_id = d.id
WHERE d.id = ANY(%s::uuid[])
  AND (b.document_version_id IS NULL OR d.expires_at <= %s)
ORDER BY d.path
"""


class UnfaithfulCopy(Exception):
    """The copy is not what its source says: somebody edited the source's rows behind our back."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A version's tree for another store, not stored yet: the same documents, made anew."""

    source: MemoryVersion
    found: Sequence[TreeEntry]
    made: Sequence[TreeEntry]

    @property
    def draft(self) -> Draft:
        """The copy as a draft on nothing."""
        pages = [Slot(page[0].path, None, page) for page in split_pages(self.made)]
        return Draft(
            base=None,
            before={entry.path: None for entry in self.made},
            after={entry.path: entry for entry in self.made},
            puts={},
            tree=PagedTree(pages, load_pages),
            base_tree=empty_tree(),
        )


def copy_of(version: MemoryVersion) -> Copy:
    """What a version holds, with identifiers of its own for each document."""
    found = load_entries(version.id)
    return Copy(version, found, [entry._replace(document_version=uuid7()) for entry in found])


def erased_paths(copy: Copy) -> list[str]:
    """The paths whose texts are erased, or have expired, by now. One query."""
    ids = array_literal([entry.document_version for entry in copy.found])
    with connection.cursor() as cursor:
        cursor.execute(_GONE, [ids, now()])
        return [path for (path,) in cursor.fetchall()]


def require_texts(copy: Copy) -> None:
    """Refuse to copy what is erased, or has expired, by now.

    Raises:
        Conflict: naming the paths.
    """
    gone = erased_paths(copy)
    if gone:
        raise Conflict(f"Texts of this version are erased and cannot be copied: {name_some(gone)}.")


@step
def seal_copy(
    *, store_id: str, copy: Copy, actor: Actor, ceiling: datetime | None
) -> MemoryVersion:
    """Store a copy as the first version of a store, and prove that its tree is the source's.

    Args:
        ceiling: when the texts have to go at the latest; each keeps an earlier one of its own.

    Raises:
        RangeTooLarge: more documents than a store may hold.
        UnfaithfulCopy: the tree hash, or a text, is not what the source says.
    """
    draft = copy.draft
    version = version_row(store_id, draft, VersionKind.INITIAL, actor)
    stored = store_pages(store_id, draft.tree)
    version.tree_hash = stored.tree_hash
    if bytes(stored.tree_hash) != bytes(copy.source.tree_hash):
        raise UnfaithfulCopy(f"the tree of {copy.source.id} has another hash than its version")
    insert_rows([version])
    _copy_texts(version, copy, ceiling)
    insert_rows([tree_row(version, stored)])
    copy_rows(change_rows(version, draft.before, draft.after))
    return version


@step
def _copy_texts(version: MemoryVersion, copy: Copy, ceiling: datetime | None) -> None:
    """Copy documents and bodies inside the database; the words of a text stay as they are.

    Only the mark that tells whose words they are is another store's now.
    """
    values: dict[str, Any] = {
        "store": uuid_from_id(version.store_id),
        "version": uuid_from_id(version.id),
        "ceiling": ceiling,
        "found": array_literal([entry.document_version for entry in copy.found]),
        "made": array_literal([entry.document_version for entry in copy.made]),
        "old_mark": store_lexeme(uuid_from_id(copy.source.store_id)),
        "new_mark": store_lexeme(uuid_from_id(version.store_id)),
    }
    with connection.cursor() as cursor:
        cursor.execute(_DOCUMENTS, values)
        cursor.execute(_BODIES, values)
        if cursor.rowcount != len(copy.made):
            require_texts(copy)
            raise UnfaithfulCopy(f"a text of {copy.source.id} is not what its hash says")
