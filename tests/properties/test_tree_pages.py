"""Paged trees against rebuilding them from scratch (contract M8), without a database."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import count
from math import ceil
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memory.trees.editing import READ_AHEAD, Page, PagedTree, Slot, TreeEntry, directory_clashes
from memory.trees.hashing import page_hash, split_pages, tree_hash
from tests.oracle import treehash
from tests.oracle.strategies import closing, paths
from tests.oracle.values import Document

Entries = dict[str, TreeEntry]

numbered = st.integers(0, 400).map(lambda number: f"/n{number:03}.md")
closers = st.integers(0, 40).map(lambda number: closing(f"/n{number * 10:03}x"))
some_path = st.one_of(paths, numbered, closers)
some_text = st.sampled_from(("one", "two"))
trees = st.dictionaries(some_path, some_text, max_size=60)
edits = st.dictionaries(some_path, st.none() | some_text, max_size=12)


def entry(path: str, text: str) -> TreeEntry:
    return TreeEntry(path, UUID(int=0), sha256(text.encode()).digest(), "text/plain", 3)


class Shelf:
    """Stored pages in a dictionary, counting what is fetched."""

    def __init__(self) -> None:
        self.pages: dict[int, Page] = {}
        self.fetched: list[int] = []
        self.trips = 0
        self.numbers = count(1)

    def load(self, ids: Sequence[int]) -> Mapping[int, Page]:
        self.fetched += ids
        self.trips += 1
        return {page_id: self.pages[page_id] for page_id in ids}

    def store(self, tree: PagedTree) -> PagedTree:
        """The tree as it would be read back: every page by its number, none loaded."""
        slots = []
        for slot in tree.slots:
            page_id = slot.page_id or next(self.numbers)
            if slot.entries is not None:
                self.pages[page_id] = slot.entries
            slots.append(Slot(slot.first_path, page_id))
        return PagedTree(slots, self.load)

    def of(self, texts: Mapping[str, str]) -> PagedTree:
        """A stored tree of these texts."""
        empty = PagedTree([], self.load)
        return self.store(empty.edit({path: entry(path, text) for path, text in texts.items()}))


def rebuilt(before: Mapping[str, str], edit: Mapping[str, str | None]) -> Entries:
    """The tree after an edit, the naive way."""
    after = {**before, **edit}
    return {
        path: entry(path, text)
        for path in treehash.in_order(after)
        if (text := after[path]) is not None
    }


def changes(edit: Mapping[str, str | None]) -> dict[str, TreeEntry | None]:
    return {path: None if text is None else entry(path, text) for path, text in edit.items()}


def pages_of(tree: PagedTree) -> list[list[TreeEntry]]:
    return [list(tree.page(index)) for index in range(len(tree.slots))]


def naive_pages(entries: Iterable[TreeEntry]) -> list[list[TreeEntry]]:
    pages: list[list[TreeEntry]] = [[]]
    for each in entries:
        pages[-1].append(each)
        if treehash.ends_page(each.path):
            pages.append([])
    return pages if pages[-1] else pages[:-1]


@given(trees, st.lists(edits, max_size=4))
def test_editing_is_rebuilding(texts, series):
    shelf = Shelf()
    tree, expected = shelf.of(texts), dict(texts)
    for edit in series:
        tree = shelf.store(tree.edit(changes(edit)))
        expected = {path: text for path, text in {**expected, **edit}.items() if text is not None}
    assert pages_of(tree) == naive_pages(rebuilt(expected, {}).values())
    assert [slot.first_path for slot in tree.slots] == [page[0].path for page in pages_of(tree)]


@given(trees, edits)
def test_a_page_that_stays_the_same_keeps_its_slot(texts, edit):
    shelf = Shelf()
    tree = shelf.of(texts)
    stored = {tuple(page): slot for page, slot in zip(pages_of(tree), tree.slots, strict=True)}
    edited = tree.edit(changes(edit))
    for page, slot in zip(pages_of(edited), edited.slots, strict=True):
        assert slot == stored.get(tuple(page), Slot(page[0].path, None, slot.entries))


@given(trees, edits)
def test_an_edit_fetches_two_pages_a_path_at_most(texts, edit):
    shelf = Shelf()
    tree = shelf.of(texts)
    tree.edit(changes(edit))
    assert len(shelf.fetched) == len(set(shelf.fetched)) <= 2 * len(edit)


@given(trees)
def test_the_hash_of_the_pages_is_the_hash_of_the_tree(texts):
    pages = list(split_pages(rebuilt(texts, {}).values()))
    documents = {path: Document(text, "text/plain", 0) for path, text in texts.items()}
    hashed = f"sha256:{tree_hash(map(page_hash, pages)).hex()}"
    assert hashed == treehash.tree_hash(documents)


@given(trees, some_path)
def test_finding_and_scanning_agree_with_a_sorted_list(texts, path):
    tree, entries = Shelf().of(texts), rebuilt(texts, {})
    order = list(entries)
    behind = order[bisect_right(order, path) - (path in entries) :]
    assert tree.find(path) == entries.get(path)
    assert [each.path for each in tree.entries_from(path)] == behind
    assert tree.first_from(path) == (entries[behind[0]] if behind else None)


@given(trees)
def test_walking_fetches_several_pages_in_one_trip(texts):
    shelf = Shelf()
    walked, stepped = shelf.of(texts), shelf.of(texts)
    shelf.trips = 0
    assert [each.path for each in walked.entries_from()] == treehash.in_order(texts)
    assert shelf.trips == ceil(len(walked.slots) / READ_AHEAD)
    for path in treehash.in_order(texts):
        stepped.first_from(path)
    assert shelf.trips == 2 * ceil(len(walked.slots) / READ_AHEAD)


@given(trees, edits)
def test_directory_clashes_are_the_naive_ones(texts, edit):
    """Per added path: the documents above it, and the first one below it."""
    tree, after = Shelf().of(texts).edit(changes(edit)), rebuilt(texts, edit)
    added = [path for path in edit if path in after and path not in texts]
    expected = set()
    for path in added:
        expected |= {(above, path) for above in after if path.startswith(above + "/")}
        expected |= {(path, below) for below in list(_below(after, path))[:1]}
    assert directory_clashes(tree, added) == sorted(expected)


def _below(entries: Entries, path: str) -> Iterable[str]:
    return (other for other in entries if other.startswith(path + "/"))
