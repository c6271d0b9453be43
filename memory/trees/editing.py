"""Editing a tree of pages without touching the pages that stay (contract M8).

Pure: pages are loaded through a function, so the same code runs over PostgreSQL and over a
dictionary in a test. Python orders text by code point, which is the order of its UTF-8 bytes.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from memory.documents.paths import ancestors
from memory.trees.hashing import closes_page, split_pages


class TreeEntry(NamedTuple):
    """One document of a tree: where it is, which write made it, and what it holds."""

    path: str
    document_version: UUID
    content_sha256: bytes
    media_type: str
    size: int


READ_AHEAD = 8
"""Pages fetched together when entries are walked in order."""

Page = Sequence[TreeEntry]
"""Entries sorted by path, never empty."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A page's place in a tree: a stored page by its ID, or the entries of a new one."""

    first_path: str
    page_id: int | None
    entries: Page | None = None


@dataclass(slots=True)
class PagedTree:
    """A tree as an ordered list of pages, loaded when they are looked at.

    Attributes:
        slots: the pages in order.
        load: returns the entries of stored pages by ID.
    """

    slots: list[Slot]
    load: Callable[[Sequence[int]], Mapping[int, Page]]
    loaded: dict[int, Page] = field(default_factory=dict)

    def preload(self, paths: Iterable[str]) -> None:
        """Fetch the pages around some paths in one go."""
        indexes = {self.index_of(path) for path in paths}
        self._fetch(sorted(indexes))

    def index_of(self, path: str) -> int:
        """The index of the slot that holds `path`, if any slot does."""
        return max(0, bisect_right(self.slots, path, key=lambda slot: slot.first_path) - 1)

    def find(self, path: str) -> TreeEntry | None:
        """The entry at a path, or None."""
        if not self.slots:
            return None
        page = self.page(self.index_of(path))
        index = bisect_left(page, path, key=lambda entry: entry.path)
        return page[index] if index < len(page) and page[index].path == path else None

    def first_from(self, path: str, *, ahead: int = READ_AHEAD) -> TreeEntry | None:
        """The first entry at `path` or after it, or None."""
        return next(self.entries_from(path, ahead=ahead), None)

    def entries_from(self, path: str = "", *, ahead: int = READ_AHEAD) -> Iterator[TreeEntry]:
        """Every entry at `path` or after it, in order; `ahead` pages are fetched together."""
        if not self.slots:
            return
        start = self.index_of(path)
        for index in range(start, len(self.slots)):
            if not self._has(index):
                self._fetch(range(index, index + ahead))
            page = self.page(index)
            first = bisect_left(page, path, key=lambda entry: entry.path) if index == start else 0
            yield from page[first:]

    def _has(self, index: int) -> bool:
        slot = self.slots[index]
        return slot.entries is not None or slot.page_id in self.loaded

    def page(self, index: int) -> Page:
        """The entries of the slot at `index`."""
        slot = self.slots[index]
        if slot.entries is not None:
            return slot.entries
        self._fetch([index])
        assert slot.page_id is not None
        return self.loaded[slot.page_id]

    def edit(self, changes: Mapping[str, TreeEntry | None]) -> "PagedTree":
        """Return the tree after some paths got a new entry (or None: were deleted).

        Pages whose entries stay the same keep their slot; the cut of pages never depends on
        the order of edits, only on the paths present.
        """
        self.preload(changes)
        edited: list[Slot] = []
        index = 0
        pending = sorted(changes)
        while index < len(self.slots) or pending:
            end = self._first_path_after(index)
            due = bisect_left(pending, end) if end is not None else len(pending)
            if due == 0:
                edited.append(self.slots[index])
                index += 1
                continue
            index, slots = self._rewrite(index, changes, pending)
            edited.extend(slots)
        return PagedTree(edited, self.load, self.loaded)

    def _rewrite(
        self, index: int, changes: Mapping[str, TreeEntry | None], pending: list[str]
    ) -> tuple[int, list[Slot]]:
        """Rewrite the region from slot `index` until a page ends where it should.

        Takes the paths it has handled from `pending`; returns the next slot's index.
        """
        entries: list[TreeEntry] = []
        while True:
            end = self._first_path_after(index)
            due = bisect_left(pending, end) if end is not None else len(pending)
            page = self.page(index) if index < len(self.slots) else ()
            entries.extend(_merge(page, {path: changes[path] for path in pending[:due]}))
            del pending[:due]
            index += 1
            if index >= len(self.slots) or not entries or closes_page(entries[-1].path):
                break
        return index, [self._slot_for(page) for page in split_pages(entries)]

    def _first_path_after(self, index: int) -> str | None:
        return self.slots[index + 1].first_path if index + 1 < len(self.slots) else None

    def _slot_for(self, entries: Page) -> Slot:
        """A stored page's slot when one has exactly these entries, else a new one."""
        index = bisect_left(self.slots, entries[0].path, key=lambda slot: slot.first_path)
        if index < len(self.slots) and self.slots[index].first_path == entries[0].path:
            known = self.slots[index]
            if list(self.page(index)) == list(entries):
                return known
        return Slot(entries[0].path, None, entries)

    def _fetch(self, indexes: Sequence[int]) -> None:
        ids = [
            slot.page_id
            for slot in (self.slots[index] for index in indexes if index < len(self.slots))
            if slot.page_id is not None and slot.page_id not in self.loaded
        ]
        if ids:
            self.loaded.update(self.load(ids))


def _merge(page: Page, changes: Mapping[str, TreeEntry | None]) -> list[TreeEntry]:
    merged: dict[str, TreeEntry | None] = {entry.path: entry for entry in page}
    merged.update(changes)
    return [entry for _, entry in sorted(merged.items()) if entry is not None]


def directory_clashes(tree: PagedTree, added: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs (document, document that would be below it) that `added` paths cause (contract M2).

    Args:
        tree: the tree with the additions in it.
        added: the paths that are new in it.
    """
    clashes: list[tuple[str, str]] = []
    added = sorted(added)
    tree.preload(place for path in added for place in (*ancestors(path), path + "/"))
    for path in added:
        clashes.extend((above, path) for above in ancestors(path) if tree.find(above))
        below = tree.first_from(path + "/", ahead=1)
        if below and below.path.startswith(path + "/"):
            clashes.append((path, below.path))
    return sorted(set(clashes))
