"""Redacting a path that every version of a store holds."""

import time
from collections.abc import Sequence
from statistics import median

from benchmarks.figures import Figure
from benchmarks.histories import OFTEN_WRITTEN, make_pasts
from benchmarks.world import World
from memory.access import open_store
from memory.actions.redactions import redact
from tenancy.caller import platform_caller


def redaction(world: World, lengths: Sequence[int], repeats: int) -> list[Figure]:
    """Milliseconds to erase a path from stores of so many versions, each of which wrote it."""
    return [_redaction(world, versions, repeats) for versions in lengths]


def _redaction(world: World, versions: int, repeats: int) -> Figure:
    times = [_redact(world, versions) * 1000 for _ in range(repeats)]
    size = f"{versions:,} versions"
    return Figure("Redaction of a path", size, median(times), min(times), max(times))


def _redact(world: World, versions: int) -> float:
    past = make_pasts(world, [versions])[0]
    access = open_store(platform_caller(world.owner.workspace), past.id)
    start = time.perf_counter()
    redacted = redact(access=access, paths=[OFTEN_WRITTEN])
    seconds = time.perf_counter() - start
    assert redacted.counts.version_count == versions
    return seconds
