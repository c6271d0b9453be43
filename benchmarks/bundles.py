"""Importing an export, against COPY of the very rows that come of it."""

import time
from collections.abc import Iterator
from statistics import median
from typing import Any, Final

from django.db import connection

from benchmarks import corpus
from benchmarks.figures import Figure
from benchmarks.world import World
from database.transactions import durable_once
from memory.actions.store_imports import begin_import, complete_import, receive_page
from memory.actions.stores import Owner, StoreSettings
from memory.importing.jobs import import_batch
from memory.importing.pages import read_page
from memory.models import OwnerKind
from tests.bundles import Bundle
from tests.factories import caller_for
from wire.ids import uuid_from_id

OF_STORE: Final = (
    *("memory_memoryversion", "memory_versiontree", "memory_versionchange"),
    *("memory_treepage", "memory_documentversion"),
)
OF_DOCUMENTS: Final = ("memory_documentbody",)

_ROWS = "SELECT * FROM {table} WHERE store_id = %s"
_ROWS_OF_DOCUMENTS = """
SELECT it.* FROM {table} it JOIN memory_documentversion d ON d.id = it.document_version_id
WHERE d.store_id = %s
"""


def bundle_import(world: World, documents: int, repeats: int) -> list[Figure]:
    """Items in a second, from pages as bytes to an open store."""
    pages = _history(documents).pages()
    items = sum(len(page["items"]) for page in pages)
    runs = [_import(world, pages) for _ in range(repeats)]
    seconds = [run[1] for run in runs]
    floors = [_copy(run[0]) for run in runs]
    size = f"{documents:,} documents, {items:,} items"
    floor = "COPY of the same rows"
    rates = [items / each for each in seconds]
    floor_rates = [items / each for each in floors]
    ratio = median(floor_rates) / median(rates)
    return [
        Figure(floor, size, median(floor_rates), min(floor_rates), max(floor_rates), unit="/s"),
        Figure(
            "Import of an export, items",
            size,
            median(rates),
            min(rates),
            max(rates),
            unit="/s",
            floor=floor,
            ratio=ratio,
        ),
    ]


def _history(documents: int) -> Bundle:
    """All documents in the first revision, then one of them anew in each of some more."""
    bundle = Bundle()
    paths = corpus.paths(documents)
    tip = bundle.seal(*(bundle.write(path, corpus.text(path)) for path in paths))
    for path in paths[:20]:
        tip = bundle.seal(bundle.write(path, corpus.text(path, 1)), parent=tip)
    bundle.point(tip)
    return bundle


def _import(world: World, pages: list[Any]) -> tuple[str, float]:
    caller = caller_for(world.owner)
    settings = StoreSettings("Imported", Owner(OwnerKind.PRINCIPAL, world.owner.id))
    start = time.perf_counter()
    store_id = begin_import(caller=caller, settings=settings).store_id
    for page in pages:
        receive_page(caller=caller, store_id=store_id, page=read_page(page))
    complete_import(caller=caller, store_id=store_id, by_worker=False)
    position: dict[str, Any] | None = {}
    while position is not None:
        _, position = durable_once(import_batch)(store_id, position)
    return store_id, time.perf_counter() - start


def _copy(store_id: str) -> float:
    """Seconds that COPY takes for the store's rows, into tables with the same indexes."""
    seconds = 0.0
    for table, rows in _rows(store_id):
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMP TABLE copied (LIKE {table} INCLUDING ALL)")
            start = time.perf_counter()
            with cursor.copy("COPY copied FROM STDIN (FORMAT BINARY)") as copy:
                copy.write(rows)
            seconds += time.perf_counter() - start
            cursor.execute("DROP TABLE copied")
    return seconds


def _rows(store_id: str) -> Iterator[tuple[str, bytes]]:
    statements = dict.fromkeys(OF_STORE, _ROWS) | dict.fromkeys(OF_DOCUMENTS, _ROWS_OF_DOCUMENTS)
    for table, statement in statements.items():
        query = statement.format(table=table)
        with connection.cursor() as cursor:
            copied = f"COPY ({query}) TO STDOUT (FORMAT BINARY)"
            with cursor.copy(copied, [uuid_from_id(store_id)]) as copy:
                rows = b"".join(copy)
        yield table, rows
