"""Trees in PostgreSQL: loading their pages, storing the ones that a write made."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from database.compiled import compiled
from database.rows import insert_rows
from database.transactions import step
from memory.models import MemoryVersion, TreePage, VersionTree
from memory.trees.editing import READ_AHEAD, Page, PagedTree, Slot, TreeEntry
from memory.trees.hashing import page_hash, tree_hash

_PAGES = """
SELECT id, paths, document_versions, content_hashes, media_types, sizes
FROM memory_treepage WHERE id = ANY(%s)
"""


@dataclass(frozen=True, slots=True)
class StoredTree:
    """What a new version needs to say of its tree."""

    pages: list[int]
    first_paths: list[str]
    tree_hash: bytes


def empty_tree() -> PagedTree:
    """The tree of no documents."""
    return PagedTree([], load_pages)


def load_tree(version_id: str) -> PagedTree:
    """A version's tree; its pages are fetched when they are looked at. One query."""
    (pages, first_paths), *_ = _tree(version_id=version_id)
    return PagedTree(_slots(pages, first_paths), load_pages)


def load_entries(version_id: str) -> list[TreeEntry]:
    """All that a version holds, by path. Two queries."""
    tree = load_tree(version_id)
    return list(tree.entries_from(ahead=len(tree.slots)))


def walk_entries(version_id: str) -> Iterator[TreeEntry]:
    """All that a version holds, by path, with no more than a few pages of it at hand."""
    for slots in batched(load_tree(version_id).slots, READ_AHEAD):
        yield from PagedTree(list(slots), load_pages).entries_from(ahead=READ_AHEAD)


@compiled
def _tree(*, version_id: str) -> QuerySet[VersionTree, Any]:
    return VersionTree.objects.filter(version=version_id).values_list("pages", "first_paths")


def load_trees(version_ids: Sequence[str], *, at_once: int) -> dict[str, PagedTree]:
    """The trees of some versions by their ID. Two queries.

    Pages that trees share are fetched once.

    Args:
        at_once: trees of at most so many pages come with their pages.
    """
    loaded: dict[int, Page] = {}
    rows = VersionTree.objects.filter(version__in=version_ids)
    trees = {
        version_id: PagedTree(_slots(pages, first_paths), load_pages, loaded)
        for version_id, pages, first_paths in rows.values_list("version", "pages", "first_paths")
    }
    small = [tree.slots for tree in trees.values() if len(tree.slots) <= at_once]
    page_ids = {slot.page_id for slots in small for slot in slots if slot.page_id is not None}
    if page_ids:
        loaded.update(load_pages(list(page_ids)))
    return trees


def _slots(pages: Sequence[int], first_paths: Sequence[str]) -> list[Slot]:
    return [
        Slot(first_path, page_id) for page_id, first_path in zip(pages, first_paths, strict=True)
    ]


def load_pages(page_ids: Sequence[int]) -> dict[int, Page]:
    """The entries of stored pages. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_PAGES, [list(page_ids)])
        return {row[0]: entries_of_page(*row[1:]) for row in cursor.fetchall()}


def entries_of_page(
    paths: list[str],
    document_versions: list[UUID],
    content_hashes: list[bytes],
    media_types: list[str],
    sizes: list[int],
) -> Page:
    """Turn a page's parallel arrays into entries."""
    return [
        TreeEntry(*entry)
        for entry in zip(paths, document_versions, content_hashes, media_types, sizes, strict=True)
    ]


@step
def store_pages(store_id: str, tree: PagedTree) -> StoredTree:
    """Insert the pages of `tree` that are new, and hash the whole (contract M8)."""
    fresh = [page_row(store_id, slot.entries) for slot in tree.slots if slot.entries is not None]
    insert_rows(fresh)
    rows = iter(fresh)
    ids = [slot.page_id if slot.page_id is not None else next(rows).id for slot in tree.slots]
    hashes = page_hashes(ids)
    return StoredTree(
        pages=ids,
        first_paths=[slot.first_path for slot in tree.slots],
        tree_hash=tree_hash([hashes[page_id] for page_id in ids]),
    )


def page_hashes(page_ids: Sequence[int]) -> Mapping[int, bytes]:
    """The hashes of stored pages by ID. One query over an index."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, page_hash FROM memory_treepage WHERE id = ANY(%s)", [list(page_ids)]
        )
        return dict(cursor.fetchall())


def page_row(store_id: str, page: Page) -> TreePage:
    """A page as its row, not yet stored."""
    return TreePage(
        store_id=store_id,
        page_hash=page_hash(page),
        paths=[entry.path for entry in page],
        document_versions=[entry.document_version for entry in page],
        content_hashes=[entry.content_sha256 for entry in page],
        media_types=[entry.media_type for entry in page],
        sizes=[entry.size for entry in page],
    )


def tree_row(version: MemoryVersion, stored: StoredTree) -> VersionTree:
    """A version's tree as its row, not yet stored."""
    return VersionTree(
        version=version,
        store_id=version.store_id,
        pages=stored.pages,
        first_paths=stored.first_paths,
    )
