"""Histories: a page of one, and of one path, of stores with ever more versions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final

from django.db import connection

from benchmarks import corpus
from benchmarks.counting import queries_of_get, queries_of_page
from benchmarks.reads import BARE_VIEW
from benchmarks.sampling import Quantity, Subject
from benchmarks.world import World
from memory.actions.git_imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.models import OwnerKind
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from tests.factories import caller_for

DOCUMENTS: Final = 100
OFTEN_WRITTEN: Final = "/log.md"
"""A path that every version writes, so that its history is as long as the store's."""


@dataclass(frozen=True)
class Past:
    """A store with many versions."""

    id: str
    versions: int

    @property
    def size(self) -> str:
        """How long it is, for a table."""
        return f"{self.versions:,} versions"

    @property
    def url(self) -> str:
        return f"/v1/memory-stores/{self.id}"


def make_pasts(world: World, lengths: Sequence[int]) -> list[Past]:
    """Stores of these many versions, which the planner knows about as it soon does by itself."""
    pasts = [_make_past(world, versions) for versions in lengths]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return pasts


def _make_past(world: World, versions: int) -> Past:
    """A store of some documents, of which each version writes one anew, and its log."""
    settings = StoreSettings(f"{versions} versions", Owner(OwnerKind.PRINCIPAL, world.owner.id))
    made = import_store(caller=caller_for(world.owner), settings=settings, versions=_line(versions))
    return Past(made.store_id, made.versions)


def _line(versions: int) -> Iterator[NextVersion]:
    paths = corpus.paths(DOCUMENTS)
    first = {path: Put(corpus.text(path)) for path in (OFTEN_WRITTEN, *paths)}
    yield NextVersion(first, Note())
    for edition, number in zip(range(1, versions), count()):
        written = (OFTEN_WRITTEN, paths[number % DOCUMENTS])
        puts = {path: Put(corpus.text(path, edition)) for path in written}
        yield NextVersion(puts, Note(message=f"Edition {edition}"))


def history(world: World, pasts: Sequence[Past], bare: Subject) -> Quantity:
    """The first page of a store's versions, as a request."""
    return _by_request(world, pasts, bare, "Versions of a store, HTTP", "versions", {})


def path_history(world: World, pasts: Sequence[Past], bare: Subject) -> Quantity:
    """The first page of what happened to the path that every version writes, as a request."""
    query = {"path": OFTEN_WRITTEN}
    return _by_request(world, pasts, bare, "Path history, HTTP", "history", query)


def history_page(world: World, pasts: Sequence[Past], bare: Subject) -> Quantity:
    """The history page of the Console, as a person who is signed in gets it."""
    return _page(world, pasts, bare, "History page, Console", {})


def narrowed_page(world: World, pasts: Sequence[Past], bare: Subject) -> Quantity:
    """The same, narrowed to a path and to words that no version has: it looks through them all."""
    query = {"path": OFTEN_WRITTEN, "words": "nothing like it"}
    return _page(world, pasts, bare, "History page, narrowed", query)


def _page(
    world: World, pasts: Sequence[Past], bare: Subject, what: str, query: dict[str, str]
) -> Quantity:
    return Quantity(
        what,
        {
            past.size: Subject(partial(world.browser().get, f"/stores/{past.id}/history", query))
            for past in pasts
        },
        floor=BARE_VIEW,
        floors={past.size: bare for past in pasts},
        queries={
            past.size: queries_of_page(world, f"/stores/{past.id}/history", **query)
            for past in pasts
        },
    )


def _by_request(
    world: World, pasts: Sequence[Past], bare: Subject, what: str, route: str, query: dict[str, str]
) -> Quantity:
    return Quantity(
        what,
        {
            past.size: Subject(partial(world.api().get, f"{past.url}/{route}", query))
            for past in pasts
        },
        floor=BARE_VIEW,
        floors={past.size: bare for past in pasts},
        queries={
            past.size: queries_of_get(world, f"{past.url}/{route}", **query) for past in pasts
        },
    )
