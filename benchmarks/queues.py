"""The review queue: the home page of a person for whom ever more Proposals wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.reads import BARE_VIEW
from benchmarks.sampling import Quantity, Subject
from benchmarks.world import World
from memory.access import open_store
from memory.actions.change_sets import Operation
from memory.versions.sealing import Put
from proposals.actions.create import NewProposal, create_proposal
from proposals.opening import Words
from tenancy.models import Principal, Workspace
from tests.factories import caller_for, grant, make_person, make_store, make_workspace

STORES = 5
"""Stores that the Proposals are spread over."""

REVIEWERS = 10
"""People who could decide on each of them, whom the page names."""


@dataclass(frozen=True)
class Desk:
    """A Workspace of its own, in which Proposals wait for a reviewer."""

    reviewer: Principal
    proposals: int

    @property
    def size(self) -> str:
        """How much waits, for a table."""
        return f"{self.proposals:,} open"


def make_desks(lengths: Sequence[int]) -> list[Desk]:
    """Workspaces with so many open Proposals, which the planner knows about."""
    desks = [_make_desk(proposals) for proposals in lengths]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return desks


def _make_desk(proposals: int) -> Desk:
    workspace = make_workspace(f"queue-of-{proposals}")
    author = make_person(workspace, "Author")
    people = [make_person(workspace, f"Reviewer {n}") for n in range(REVIEWERS - 1)]
    reviewer = make_person(workspace, "Reviewer", username=f"reviewer-of-{proposals}")
    stores = [_make_store(workspace, number, author) for number in range(STORES)]
    for store in stores:
        for person in (reviewer, *people):
            grant(person, store, "read", "review")
    caller = caller_for(author)
    for number in range(proposals):
        change = (Operation(f"/notes/{number}.md", Put(f"Note {number}\n"), None),)
        new = NewProposal(Words(f"Change {number}"), change)
        create_proposal(access=open_store(caller, stores[number % STORES]), proposal=new)
    return Desk(reviewer, proposals)


def _make_store(workspace: Workspace, number: int, author: Principal) -> str:
    store = make_store(workspace, f"store-{number}")
    grant(author, store, "read", "write")
    return store


def queue_page(world: World, desks: Sequence[Desk], bare: Subject) -> Quantity:
    """The whole page, as a person who is signed in gets it."""
    return _pages(world, desks, bare, "Review queue, Console", "/")


def queue_by_path(world: World, desks: Sequence[Desk], bare: Subject) -> Quantity:
    """The same filtered by a path, which looks at what each Proposal changes."""
    return _pages(world, desks, bare, "Review queue by path, Console", "/?path=notes/1")


def _pages(world: World, desks: Sequence[Desk], bare: Subject, what: str, address: str) -> Quantity:
    subjects = {
        desk.size: Subject(partial(world.browser(desk.reviewer).get, address)) for desk in desks
    }
    return Quantity(
        what,
        subjects,
        floor=BARE_VIEW,
        floors={desk.size: bare for desk in desks},
        queries={desk.size: _queries(desk, address) for desk in desks},
    )


def _queries(desk: Desk, address: str) -> int:
    client = Client(SERVER_NAME="localhost")
    assert desk.reviewer.user is not None
    client.force_login(desk.reviewer.user)
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)
