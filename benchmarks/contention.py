"""Sixteen writers on one ref, each with a document of its own, against a bare compare-and-swap."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from threading import Barrier, Thread
from typing import Final

from django.db import connection

from benchmarks import corpus
from benchmarks.figures import Figure
from benchmarks.floors import SwapLoop
from benchmarks.stage import WRITERS
from benchmarks.world import Shelf, World
from memory.actions.change_sets import ChangeSet, Operation, apply_change_set
from memory.refs import CANONICAL
from memory.versions.sealing import Put
from wire.errors import Conflict

type Attempt = Callable[[], bool]
type Entrant = Callable[[int], Attempt]

SLICE: Final = 2.0
"""Seconds that all writers run before the other side has its turn."""


@dataclass
class Tally:
    """What all writers together did in one slice."""

    wins: int = 0
    attempts: int = 0
    seconds: float = 0

    @property
    def wins_a_second(self) -> float:
        return self.wins / self.seconds


def writers_on_one_ref(world: World, size: int, slices: int) -> list[Figure]:
    """Commits a second that win, and how many attempts that takes."""
    shelf, loop = world.shelf(size), SwapLoop()
    mine, floor = [], []
    for number in range(slices + 1):
        tallies = (_race(loop.writer), _race(_writer_on(shelf)))
        if number:
            floor.append(tallies[0])
            mine.append(tallies[1])
    ratios = [b.wins_a_second / a.wins_a_second for a, b in zip(mine, floor, strict=True)]
    return [
        _figure("Bare compare-and-swap", f"{WRITERS} writers", floor),
        _figure(
            f"{WRITERS} writers on one ref",
            shelf.size,
            mine,
            floor="bare compare-and-swap",
            ratio=median(ratios),
        ),
    ]


def _figure(
    what: str, size: str, tallies: list[Tally], floor: str = "", ratio: float | None = None
) -> Figure:
    rates = [tally.wins_a_second for tally in tallies]
    won = sum(tally.wins for tally in tallies) / sum(tally.attempts for tally in tallies)
    unit = f"/s, {won:.0%} won"
    return Figure(what, size, median(rates), min(rates), max(rates), unit, floor, ratio)


def _race(entrant: Entrant) -> Tally:
    """Let all writers try for one slice."""
    tallies = [Tally() for _ in range(WRITERS)]
    barrier = Barrier(WRITERS)
    threads = [
        Thread(target=_run, args=(entrant, number, barrier, tally))
        for number, tally in enumerate(tallies)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Tally(
        sum(tally.wins for tally in tallies),
        sum(tally.attempts for tally in tallies),
        max(tally.seconds for tally in tallies),
    )


def _run(entrant: Entrant, number: int, barrier: Barrier, tally: Tally) -> None:
    try:
        attempt = entrant(number)
        barrier.wait()
        start = time.perf_counter()
        while (elapsed := time.perf_counter() - start) < SLICE:
            tally.wins += attempt()
            tally.attempts += 1
        tally.seconds = elapsed
    finally:
        connection.close()


def _writer_on(shelf: Shelf) -> Entrant:
    def entrant(number: int) -> Attempt:
        access, path = shelf.open(shelf.caller), shelf.paths[number]

        def attempt() -> bool:
            base, edition = shelf.canonical, next(shelf.numbers)
            write = Operation(path, Put(corpus.text(path, edition)), shelf.content(path))
            try:
                apply_change_set(access=access, change_set=ChangeSet(CANONICAL, base, (write,)))
            except Conflict:
                return False
            shelf.editions[path] = edition
            return True

        return attempt

    return entrant
