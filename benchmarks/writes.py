"""Writing: one document into stores of growing size, and what that takes on disk."""

from collections.abc import Callable, Sequence
from typing import Any, Final, LiteralString

import psycopg

from benchmarks.counting import queries_of_post
from benchmarks.figures import Figure
from benchmarks.floors import SameInserts, connect
from benchmarks.reads import BARE_VIEW
from benchmarks.sampling import Quantity, Subject
from benchmarks.world import Shelf, World
from memory.actions.change_sets import apply_change_set

INSERTS: Final = "same inserts, psycopg"
COMMITS: Final = 200
"""Commits whose size on disk is measured together."""

_SIZE = """
SELECT sum(pg_total_relation_size(oid)) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""


def change_set(world: World, shelves: Sequence[Shelf], bare: Subject) -> Quantity:
    """One document, as a request with an Idempotency-Key."""
    quantity = Quantity("Change set of one document, HTTP", floor=BARE_VIEW)
    for shelf in shelves:
        body = shelf.next_body(shelf.canonical)
        quantity.queries[shelf.size] = queries_of_post(world, f"{shelf.url}/change-sets", body)
        quantity.subjects[shelf.size] = Subject(_write_by_request(world, shelf))
        quantity.floors[shelf.size] = bare
    return quantity


def _write_by_request(world: World, shelf: Shelf) -> Callable[[], object]:
    api, base = world.api(), shelf.canonical

    def write() -> None:
        nonlocal base
        base = api.post(f"{shelf.url}/change-sets", shelf.next_body(base))["version"]

    return write


def change_set_alone(shelves: Sequence[Shelf], for_floors: Sequence[Shelf]) -> Quantity:
    """The same without a request, against its own rows written by psycopg alone."""
    return Quantity(
        "Change set of one document, action",
        {shelf.size: Subject(_write_alone(shelf)) for shelf in shelves},
        floor=INSERTS,
        floors={shelf.size: Subject(SameInserts(_write_alone(shelf))) for shelf in for_floors},
    )


def _write_alone(shelf: Shelf) -> Callable[[], object]:
    access, base = shelf.open(shelf.caller), shelf.canonical

    def write() -> None:
        nonlocal base
        base = apply_change_set(access=access, change_set=shelf.next_change(base)).at

    return write


def size_on_disk(world: World, size: int) -> Figure:
    """What a commit of one document adds to tables and indexes.

    Free space that earlier writes have left is squeezed out first, or it would take them in.
    """
    shelf = world.shelf(size)
    write = _write_alone(shelf)
    with connect() as raw:
        before = _size_after(raw, "VACUUM FULL")
        for _ in range(COMMITS):
            write()
        grown = (_size_after(raw, "VACUUM") - before) / COMMITS / 1024
    return Figure("Size on disk of a commit", shelf.size, grown, grown, grown, unit="KB")


def _size_after(raw: psycopg.Connection[Any], vacuum: LiteralString) -> int:
    raw.execute(vacuum)
    row = raw.execute(_SIZE).fetchone()
    assert row
    return int(row[0])
