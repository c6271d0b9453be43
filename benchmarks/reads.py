"""Reading: one document, a whole list, a difference, in stores of growing size."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from benchmarks.counting import queries_of_get
from benchmarks.sampling import Quantity, Subject
from benchmarks.urls import BARE
from benchmarks.world import Shelf, World
from memory.actions.change_sets import apply_change_set
from memory.publication import Acquired, recheck
from memory.queries.diffs import sides_of, tree_diff
from memory.queries.documents import read_document

PAGE: Final = 200
BARE_VIEW: Final = "bare view"


def bare_view(world: World) -> Subject:
    """The floor of every request: the server, the middleware, a view that only answers."""
    return Subject(partial(world.api().get, f"/{BARE}"))


def exact_read(world: World, shelves: Sequence[Shelf], bare: Subject) -> Quantity:
    """One document at an exact version, as a request."""
    return Quantity(
        "Exact read, HTTP",
        {shelf.size: Subject(_read_by_request(world, shelf)) for shelf in shelves},
        floor=BARE_VIEW,
        floors={shelf.size: bare for shelf in shelves},
        queries={
            shelf.size: queries_of_get(
                world, f"{shelf.url}/document", path=shelf.paths[0], version=shelf.canonical
            )
            for shelf in shelves
        },
    )


def _read_by_request(world: World, shelf: Shelf) -> Callable[[], object]:
    api, version = world.api(), shelf.canonical
    return lambda: api.get(f"{shelf.url}/document", {"path": next(shelf.order), "version": version})


def exact_read_alone(shelves: Sequence[Shelf]) -> Quantity:
    """The same without a request: open the store, read, look once more."""
    return Quantity(
        "Exact read, action", {shelf.size: Subject(_read_alone(shelf)) for shelf in shelves}
    )


def _read_alone(shelf: Shelf) -> Callable[[], object]:
    caller, version = shelf.caller, shelf.canonical

    def read() -> None:
        access = shelf.open(caller)
        document = read_document(shelf.id, next(shelf.order), version)
        recheck(Acquired(access, [document.document_id], whole=True))

    return read


def full_list(world: World, shelf: Shelf, bare: Subject) -> Quantity:
    """Every document of a store, by pages of as many as a page may have."""
    listing = Quantity("List all, HTTP", floor=f"{BARE_VIEW}, once")
    listing.subjects[shelf.size] = Subject(_list_all(world, shelf))
    listing.floors[shelf.size] = bare
    listing.queries[f"{PAGE} of them"] = queries_of_get(world, f"{shelf.url}/documents", limit=PAGE)
    listing.subjects[f"{PAGE} of them"] = Subject(_list_page(world, shelf))
    listing.floors[f"{PAGE} of them"] = bare
    return listing


def _list_page(world: World, shelf: Shelf) -> Callable[[], object]:
    return partial(world.api().get, f"{shelf.url}/documents", {"limit": PAGE})


def _list_all(world: World, shelf: Shelf) -> Callable[[], object]:
    api = world.api()

    def walk() -> None:
        found, query = 0, {"limit": str(PAGE)}
        while True:
            body = json.loads(api.get(f"{shelf.url}/documents", query))
            found += len(body["data"])
            if body["next_page"] is None:
                break
            query["page"] = body["next_page"]
        assert found == len(shelf.paths)

    return walk


def small_diff(world: World, shelves: Sequence[Shelf], bare: Subject) -> Quantity:
    """The difference that one change makes, with its line counts, as a request."""
    ends = {shelf.size: _ends_of_a_change(shelf) for shelf in shelves}
    return Quantity(
        "Diff of one change, HTTP",
        {shelf.size: Subject(_diff(world, shelf, ends[shelf.size])) for shelf in shelves},
        floor=BARE_VIEW,
        floors={shelf.size: bare for shelf in shelves},
        queries={
            shelf.size: queries_of_get(world, f"{shelf.url}/diff", **ends[shelf.size])
            for shelf in shelves
        },
    )


def _ends_of_a_change(shelf: Shelf) -> dict[str, str]:
    base = shelf.canonical
    apply_change_set(access=shelf.open(shelf.caller), change_set=shelf.next_change(base))
    return {"base": base, "head": shelf.canonical}


def _diff(world: World, shelf: Shelf, ends: dict[str, str]) -> Callable[[], object]:
    return partial(world.api().get, f"{shelf.url}/diff", ends)


def small_diff_alone(shelves: Sequence[Shelf]) -> Quantity:
    """The same without a request: compare the trees, load both texts."""
    quantity = Quantity("Diff of one change, action")
    for shelf in shelves:
        ends = _ends_of_a_change(shelf)
        quantity.subjects[shelf.size] = Subject(partial(_compare, **ends))
    return quantity


def _compare(base: str, head: str) -> None:
    (side,) = sides_of(tree_diff(base, head))
    assert side.before != side.after
