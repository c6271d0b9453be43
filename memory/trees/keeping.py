"""Keeping edited trees: new pages get their IDs and hashes before they are stored in bulk."""

from collections.abc import Iterator
from typing import Final

from django.db import connection

from memory.models import TreePage
from memory.trees.editing import PagedTree, Slot
from memory.trees.hashing import tree_hash
from memory.trees.storage import StoredTree, page_hashes, page_row

RESERVED_AT_ONCE: Final = 256

_RESERVE = """
SELECT nextval(pg_get_serial_sequence('memory_treepage', 'id')) FROM generate_series(1, %s)
"""


class TreeKeeper:
    """Makes rows of the pages that are new in one tree after another of a store."""

    def __init__(self, store_id: str) -> None:
        self._store_id = store_id
        self._hashes: dict[int, bytes] = {}
        self._ids = _page_ids()

    def keep(self, tree: PagedTree, rows: list[TreePage]) -> StoredTree:
        """Give the pages that are new their IDs; the tree has stored pages only from then on.

        Args:
            rows: where the rows of new pages are put.
        """
        tree.slots = [self._keep_page(tree, slot, rows) for slot in tree.slots]
        ids = [slot.page_id for slot in tree.slots if slot.page_id is not None]
        unknown = [page_id for page_id in ids if page_id not in self._hashes]
        if unknown:
            self._hashes.update(page_hashes(unknown))
        return StoredTree(
            pages=ids,
            first_paths=[slot.first_path for slot in tree.slots],
            tree_hash=tree_hash(self._hashes[page_id] for page_id in ids),
        )

    def forget_all_but(self, tree: PagedTree) -> None:
        """Forget pages that a tree does not have, so that memory stays flat."""
        current = {slot.page_id for slot in tree.slots}
        for page_id in self._hashes.keys() - current:
            del self._hashes[page_id]
            tree.loaded.pop(page_id, None)

    def _keep_page(self, tree: PagedTree, slot: Slot, rows: list[TreePage]) -> Slot:
        if slot.entries is None:
            return slot
        row = page_row(self._store_id, slot.entries)
        row.id = next(self._ids)
        rows.append(row)
        self._hashes[row.id] = row.page_hash
        tree.loaded[row.id] = slot.entries
        return Slot(slot.first_path, row.id)


def _page_ids() -> Iterator[int]:
    """Page IDs of our own, taken from the database's sequence some at a time."""
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_RESERVE, [RESERVED_AT_ONCE])
            reserved = cursor.fetchall()
        yield from (page_id for (page_id,) in reserved)
