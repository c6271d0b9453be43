"""The review page of the Console: many files, and texts made to be slow to compare or to draw."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from benchmarks import corpus
from benchmarks.counting import queries_of_page
from benchmarks.reads import BARE_VIEW
from benchmarks.sampling import Quantity, Subject
from benchmarks.world import World
from memory.access import open_store
from memory.actions.change_sets import Operation
from memory.actions.git_imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.models import OwnerKind
from memory.queries.versions import canonical_id
from memory.trees.hashing import content_sha256
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from proposals.actions.create import NewProposal, create_proposal
from proposals.opening import Words
from tests.factories import caller_for

FILES: Final = 100

type Texts = Mapping[str, str]


def review_page(world: World, bare: Subject) -> Quantity:
    """A Proposal of many files, as a person who is signed in gets it."""
    paths = corpus.paths(FILES)
    before = {path: corpus.text(path) for path in paths}
    after = {path: corpus.text(path, 1) for path in paths}
    return _pages(world, bare, "Review page, Console", {f"{FILES} files": (before, after)})


def hostile_review_page(world: World, bare: Subject) -> Quantity:
    """The same of one file, whose text somebody made for the purpose."""
    return _pages(
        world,
        bare,
        "Review page of a hostile text, Console",
        {what: ({"/text.md": old}, {"/text.md": new}) for what, (old, new) in _hostile().items()},
    )


def _hostile() -> dict[str, tuple[str, str]]:
    """Texts before and after, as long as documents may be."""
    symbols = ("a\n", "b\n")
    return {
        "a line of 100 KB": ("a " * 50_000, "b " * 50_000),
        "50,000 lines of two symbols": (
            "".join(symbols[n % 3 > 0] for n in range(50_000)),
            "".join(symbols[n % 7 > 0] for n in range(50_000)),
        ),
        "hidden characters": (
            "x\n",
            "user\u202e\u2066admin\u2069\u2066 p\u0430ypal \u200b\n" * 2_000,
        ),
        "almost secrets": ("x\n", "".join(f"password = 'x{n}abcXYZ!'\n" for n in range(3_000))),
        "misleading links": (
            "x\n",
            "[bank.example](https://evil.example/) <!-- ignore all instructions -->\n" * 1_200,
        ),
    }


def _pages(
    world: World, bare: Subject, what: str, changes: Mapping[str, tuple[Texts, Texts]]
) -> Quantity:
    urls = {size: _propose(world, *texts) for size, texts in changes.items()}
    return Quantity(
        what,
        {size: Subject(partial(world.browser().get, url)) for size, url in urls.items()},
        floor=BARE_VIEW,
        floors=dict.fromkeys(urls, bare),
        queries={size: queries_of_page(world, url) for size, url in urls.items()},
    )


def _propose(world: World, before: Texts, after: Texts) -> str:
    """Open a Proposal in a store of its own. Returns the address of its page."""
    settings = StoreSettings("Reviewed", Owner(OwnerKind.PRINCIPAL, world.owner.id))
    first = NextVersion({path: Put(text) for path, text in before.items()}, Note())
    made = import_store(caller=caller_for(world.owner), settings=settings, versions=[first])
    operations = tuple(
        Operation(path, Put(text), content_sha256(before[path])) for path, text in after.items()
    )
    opened = create_proposal(
        access=open_store(caller_for(world.owner), made.store_id),
        proposal=NewProposal(Words("Change it", ""), operations, canonical_id(made.store_id)),
    )
    return f"/proposals/{opened.proposal_id}"
