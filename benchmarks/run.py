"""What is measured, in which order, and for how long."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import (
    bundles,
    contention,
    exports,
    histories,
    imports,
    queues,
    reads,
    redactions,
    reviews,
    searches,
    settlements,
    starts,
    writes,
)
from benchmarks.crew import Crew
from benchmarks.figures import Figure, timed
from benchmarks.sampling import Plan, Quantity, take_turns
from benchmarks.world import World

type Tell = Callable[[str], object]


@dataclass(frozen=True)
class Extent:
    """How large and how long.

    Attributes:
        sizes: documents in the stores, ascending.
        short, long: for what takes milliseconds, and for what takes longer.
        slices: turns of the many writers.
        commits, imports: length of the git history, and how often it is imported; as often the
            largest store is exported and forked.
        versions: in the stores whose histories are read, ascending.
        redacted: in the stores of which a path is redacted, ascending.
        mounts: of Sessions that are started, ascending.
        waiting: Proposals that wait for one reviewer, ascending.
    """

    sizes: tuple[int, ...]
    short: Plan
    long: Plan
    slices: int
    commits: int
    imports: int
    versions: tuple[int, ...]
    redacted: tuple[int, ...]
    mounts: tuple[int, ...] = (8, 32)
    waiting: tuple[int, ...] = (5, 500)


QUICK = Extent(
    (100, 1_000),
    Plan(6, 10),
    Plan(2, 1),
    slices=1,
    commits=100,
    imports=1,
    versions=(100, 1_000),
    redacted=(100, 1_000),
)
FULL = Extent(
    (100, 1_000, 10_000),
    Plan(15, 20),
    Plan(7, 1),
    slices=3,
    commits=500,
    imports=3,
    versions=(100, 10_000),
    redacted=(1_000, 10_000),
)


def measure(port: int, extent: Extent, tell: Tell) -> list[Figure]:
    """Run all of it, telling what is going on."""
    tell("Making stores …")
    world = World.make(port)
    return [
        *_requests_and_actions(world, extent, tell),
        *_histories(world, extent, tell),
        *_queues(world, extent, tell),
        *_reviews(world, extent, tell),
        *_searches(world, extent, tell),
        *_sessions(world, extent, tell),
        *_many_writers(world, extent, tell),
        *_imports(world, extent, tell),
        *_redactions(world, extent, tell),
        *_exports(world, extent, tell),
        _on_disk(world, extent, tell),
    ]


def _requests_and_actions(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    # All stores first: each one changes who may what, and callers of before are looked at again.
    shelves, by_request, by_action, for_floors = (
        [world.shelf(size) for size in extent.sizes] for _ in range(4)
    )
    bare = reads.bare_view(world)
    quick = [
        Quantity("Bare Django view, HTTP", {"a kilobyte": bare}),
        reads.exact_read(world, shelves, bare),
        reads.exact_read_alone(shelves),
        writes.change_set(world, by_request, bare),
        writes.change_set_alone(by_action, for_floors),
        reads.small_diff(world, shelves, bare),
        reads.small_diff_alone(shelves),
    ]
    tell("Reading, writing, comparing …")
    take_turns(quick, extent.short)
    figures = [figure for quantity in quick for figure in timed(quantity)]
    listing = reads.full_list(world, shelves[-1], reads.bare_view(world))
    tell("Listing …")
    take_turns([listing], extent.long)
    return figures + timed(listing)


def _histories(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Looking back …")
    pasts = histories.make_pasts(world, extent.versions)
    bare = reads.bare_view(world)
    quantities = [
        histories.history(world, pasts, bare),
        histories.path_history(world, pasts, bare),
        histories.history_page(world, pasts, bare),
        histories.narrowed_page(world, pasts, bare),
    ]
    take_turns(quantities, extent.short)
    return [figure for quantity in quantities for figure in timed(quantity)]


def _queues(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Queueing …")
    desks = queues.make_desks(extent.waiting)
    bare = reads.bare_view(world)
    quantities = [
        queues.queue_page(world, desks, bare),
        queues.queue_by_path(world, desks, bare),
    ]
    take_turns(quantities, extent.short)
    return [figure for quantity in quantities for figure in timed(quantity)]


def _reviews(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Reviewing …")
    bare = reads.bare_view(world)
    pages = [reviews.review_page(world, bare), reviews.hostile_review_page(world, bare)]
    take_turns(pages, extent.short)
    return [figure for quantity in pages for figure in timed(quantity)]


def _searches(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Searching …")
    shelf = world.shelf(extent.sizes[-1])
    found = [searches.search(world, shelf, reads.bare_view(world)), searches.search_alone(shelf)]
    take_turns(found, extent.long)
    return [figure for quantity in found for figure in timed(quantity)]


def _sessions(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Starting Sessions, settling turns …")
    crew = Crew.make(world)
    turns = (extent.long.rounds + 1) * extent.long.times
    bare = reads.bare_view(world)
    quantities = starts.session_start(crew, extent.mounts, bare)
    quantities += settlements.settlement(crew, extent.sizes[-1], turns, bare)
    take_turns(quantities, extent.long)
    return [figure for quantity in quantities for figure in timed(quantity)]


def _many_writers(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Letting many writers at one ref …")
    return contention.writers_on_one_ref(world, extent.sizes[-1], extent.slices)


def _imports(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Importing a git history …")
    figures = imports.git_import(world, extent.commits, extent.imports)
    tell("Importing an export …")
    return figures + bundles.bundle_import(world, extent.sizes[1], extent.imports)


def _redactions(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Redacting a path …")
    return redactions.redaction(world, extent.redacted, extent.imports)


def _exports(world: World, extent: Extent, tell: Tell) -> list[Figure]:
    tell("Exporting and forking …")
    return exports.paged_export(world, extent.sizes[-1], extent.imports)


def _on_disk(world: World, extent: Extent, tell: Tell) -> Figure:
    tell("Weighing commits …")
    return writes.size_on_disk(world, extent.sizes[-1])
