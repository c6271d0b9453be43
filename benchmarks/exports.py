"""Exporting a store page by page, against COPY of the same rows; and forking a large one."""

import time
from collections.abc import Callable
from statistics import median
from typing import Final

from benchmarks import floors
from benchmarks.figures import Figure
from benchmarks.world import Shelf, World
from memory.actions.change_sets import apply_change_set
from memory.actions.forks import Fork, fork_store
from memory.actions.stores import Owner, StoreSettings
from memory.exporting.pages import export_page
from memory.models import OwnerKind
from wire.ids import uuid_from_id
from wire.rendering import dump_json

CHANGES: Final = 20
"""Versions of one document each, on top of the first one."""

FLOOR: Final = "COPY of the same rows"

_COPIES: Final = (
    """
    COPY (SELECT id, store_id, parent_id, kind, actor_kind, actor_uuid, document_count,
                 total_bytes, tree_hash, created_at
          FROM memory_memoryversion WHERE store_id = '{store}' ORDER BY depth, id) TO STDOUT
    """,
    """
    COPY (SELECT d.id, d.path, d.content_sha256, d.media_type, d.bytes, d.provenance_sha256,
                 d.expires_at, b.text, b.provenance
          FROM memory_documentversion d
          LEFT JOIN memory_documentbody b ON b.document_version_id = d.id
          WHERE d.store_id = '{store}' ORDER BY d.id) TO STDOUT
    """,
    """
    COPY (SELECT v.id, entry.path, entry.document
          FROM memory_memoryversion v
          JOIN memory_versiontree t ON t.version_id = v.id
          CROSS JOIN unnest(t.pages) AS page (id)
          JOIN memory_treepage p ON p.id = page.id
          CROSS JOIN unnest(p.paths, p.document_versions) AS entry (path, document)
          WHERE v.store_id = '{store}' ORDER BY v.depth, v.id, entry.path) TO STDOUT
    """,
)


def paged_export(world: World, size: int, repeats: int) -> list[Figure]:
    """Items in a second, of a store with some versions; documents in a second, of its fork."""
    shelf = world.shelf(size)
    for _ in range(CHANGES):
        change = shelf.next_change(shelf.canonical)
        apply_change_set(access=shelf.open(shelf.caller), change_set=change)
    items = export_page(shelf.open(shelf.caller), page=None).manifest.counts.total
    ours = [_seconds(lambda: _export(shelf)) for _ in range(repeats)]
    copied = [_seconds(lambda: _copy(shelf)) for _ in range(repeats)]
    forked = [_seconds(lambda: _fork(world, shelf)) for _ in range(repeats)]
    return [
        _rate("Export, items", f"{items:,} items", items, ours, median(copied)),
        _rate("Fork, documents", shelf.size, size, forked),
    ]


def _rate(
    what: str, size: str, amount: int, seconds: list[float], floor: float | None = None
) -> Figure:
    rates = [amount / each for each in seconds]
    return Figure(
        what,
        size,
        median(rates),
        min(rates),
        max(rates),
        unit="/s",
        floor=FLOOR if floor else "",
        ratio=median(seconds) / floor if floor else None,
    )


def _seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _export(shelf: Shelf) -> int:
    """All pages, rendered as they would be sent; how many bytes they are."""
    access, token, size = shelf.open(shelf.caller), None, 0
    while True:
        page = export_page(access, page=token)
        size += len(dump_json(page.answer))
        token = page.answer["next_page"]
        if token is None:
            return size


def _copy(shelf: Shelf) -> int:
    """What the same graph takes as PostgreSQL's own text."""
    store, size = uuid_from_id(shelf.id), 0
    with floors.connect() as raw, raw.cursor() as cursor:
        for statement in _COPIES:
            with cursor.copy(statement.format(store=store).encode()) as copy:
                size += sum(len(piece) for piece in copy)
    return size


def _fork(world: World, shelf: Shelf) -> str:
    settings = StoreSettings("A fork", Owner(OwnerKind.PRINCIPAL, world.owner.id))
    fork = Fork(shelf.canonical, settings)
    return fork_store(access=shelf.open(shelf.caller), fork=fork).store_id
