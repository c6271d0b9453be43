"""Search at 10,000 documents: `python -m tests.cluster .venv/bin/python -m benchmarks.search`.

The documents are made of words as unevenly used as those of a language, and a tenth of them were
written twice, so that bodies that the version does not hold are in the index too.
"""

import random
import statistics
import sys
from collections.abc import Callable, Iterator
from itertools import accumulate, batched
from time import perf_counter
from typing import Final

from memory.access import open_store
from memory.actions.imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.chains import NextVersion
from memory.models import CanonicalWrites, OwnerKind
from memory.searching import Asked, search_page
from memory.versions import Note, Put
from tenancy.actions.workspaces import create_workspace
from tenancy.caller import Caller, platform_caller

DOCUMENTS: Final = 10_000
WORDS: Final = 200
"""Words of a document, about 1.2 KB: a note of a page."""

VOCABULARY: Final = 20_000
REPEATS: Final = 31
LIMITS: Final = {"rare": 30.0, "common": 80.0}
"""Milliseconds that the median may take."""


def _word(rank: int) -> str:
    """A word of its own for each rank, of letters that say the number."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{rank:05}")


_VOCABULARY: Final = [_word(rank) for rank in range(VOCABULARY)]
_WEIGHTS: Final = list(accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))

QUERIES: Final = {
    "rare": (
        _word(19_876),
        f"{_word(15_000)} {_word(42)}",
        f'"{_word(70)} {_word(80)}"',
        "markedOnce",
    ),
    "common": (_word(0), f"{_word(0)} {_word(1)}", "notes", f"{_word(2)} -{_word(19_876)}"),
}


def main() -> int:
    """Print a line for each query; return 1 when a median is above its limit."""
    workspace = create_workspace(name="search-benchmark")
    caller = platform_caller(workspace)
    store_id = _make_store(caller, workspace.id)
    slow = [
        query
        for kind, queries in QUERIES.items()
        for query in queries
        if _report(kind, query, _searcher(caller, store_id, query)) > LIMITS[kind]
    ]
    return 1 if slow else 0


def _make_store(caller: Caller, workspace_id: str) -> str:
    settings = StoreSettings(
        name="Search",
        owner=Owner(OwnerKind.WORKSPACE, workspace_id),
        canonical_writes=CanonicalWrites.DIRECT,
    )
    begun = perf_counter()
    made = import_store(caller=caller, settings=settings, versions=_versions())
    print(f"{DOCUMENTS * 1.1:,.0f} texts stored in {perf_counter() - begun:.1f} s")
    return made.store_id


def _versions() -> Iterator[NextVersion]:
    dice = random.Random(7)  # noqa: S311
    again = range(0, DOCUMENTS, 10)
    for numbers in (*batched(range(DOCUMENTS), 500), *batched(again, 500)):
        yield NextVersion({_path(number): _text(dice, number) for number in numbers}, Note())


def _path(number: int) -> str:
    return f"/notes/{number % 100:02}/n{number:05}.md"


def _text(dice: random.Random, number: int) -> Put:
    words = dice.choices(_VOCABULARY, cum_weights=_WEIGHTS, k=WORDS)
    return Put(" ".join(words) + (" markedOnce" if number == 77 else ""))


def _searcher(caller: Caller, store_id: str, query: str) -> Callable[[], int]:
    return lambda: len(search_page(open_store(caller, store_id), Asked(query)).results)


def _report(kind: str, query: str, ask: Callable[[], int]) -> float:
    shown = ask()
    times = []
    for _ in range(REPEATS):
        begun = perf_counter()
        ask()
        times.append((perf_counter() - begun) * 1_000)
    median = statistics.median(times)
    print(f"{kind:7}{query:20}{shown:4} shown {median:7.1f} ms, of {LIMITS[kind]:.0f}")
    return median


if __name__ == "__main__":
    sys.exit(main())
