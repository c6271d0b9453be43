"""Searching the largest store: a word of one document, and words that are in every one."""

from collections.abc import Callable
from functools import partial
from typing import Final

from benchmarks.counting import queries_of_post
from benchmarks.reads import BARE_VIEW
from benchmarks.sampling import Quantity, Subject
from benchmarks.world import Shelf, World
from memory.search.pages import Asked, search_page

RARE: Final = "rare word"
COMMON: Final = {"common word": "decided", "two common words": "team decided"}
"""Words of every document."""


def search(world: World, shelf: Shelf, bare: Subject) -> Quantity:
    """The first page of results, as a request."""
    address = f"{shelf.url}/search"
    return Quantity(
        "Search, HTTP",
        {
            what: Subject(partial(world.api().post, address, {"query": query}))
            for what, query in _queries(shelf).items()
        },
        floor=BARE_VIEW,
        floors=dict.fromkeys(_queries(shelf), bare),
        queries={
            what: queries_of_post(world, address, {"query": query})
            for what, query in _queries(shelf).items()
        },
    )


def search_alone(shelf: Shelf) -> Quantity:
    """The same without a request: open the store, search, cut the snippets."""
    return Quantity(
        "Search, action",
        {what: Subject(_search(shelf, query)) for what, query in _queries(shelf).items()},
    )


def _search(shelf: Shelf, query: str) -> Callable[[], object]:
    caller = shelf.caller
    return lambda: search_page(shelf.open(caller), Asked(query))


def _queries(shelf: Shelf) -> dict[str, str]:
    """What is looked for in a store: the number that one path has, and common words."""
    number = shelf.paths[0].rpartition("-")[2].removesuffix(".md")
    return {RARE: number, **COMMON}
