"""Contract P4: a change that canonical left behind, replayed path by path."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.models import CanonicalWrites, DocumentVersion, MemoryVersion, Ref, RefKind
from memory.versions.sealing import Put
from proposals.actions.create import NewProposal, create_proposal
from proposals.models import Proposal
from proposals.opening import Words
from tenancy.models import AuditEntry
from tests.client import random_id
from tests.proposals.scenario import Scenario, key, make_scenario, operations, texts_at
from wire.errors import Conflict, NotFound, PolicyDenied, ReadOnly
from wire.times import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def scenario() -> Scenario:
    scenario = make_scenario(canonical_writes=CanonicalWrites.DIRECT)
    scenario.write({"/a.md": "a\n", "/b.md": "b\n", "/c.md": "c\n"})
    return scenario


@pytest.fixture
def opened(scenario: Scenario) -> str:
    """Modifies /a.md, deletes /b.md and adds /d.md."""
    return scenario.propose({"/a.md": "A\n", "/b.md": None, "/d.md": "d\n"}, title="Tidy up")


def test_it_replays_on_todays_canonical_as_a_new_linked_proposal(scenario, opened):
    moved = scenario.write({"/c.md": "C\n"})

    again = Proposal.objects.get(id=scenario.repropose(opened).proposal_id)

    assert (again.status, again.base_id, again.replaces_id) == ("open", moved, opened)
    assert texts_at(again.head_id) == {"/a.md": "A\n", "/c.md": "C\n", "/d.md": "d\n"}
    head = MemoryVersion.objects.get(id=again.head_id)
    assert (head.kind, head.parent_id) == ("proposal", moved)
    assert again.title == "Tidy up"
    assert scenario.view(opened).replaced_by == again.id
    assert scenario.canonical == moved


def test_the_old_one_becomes_superseded_in_the_same_transaction(scenario, opened):
    scenario.write({"/c.md": "C\n"})

    again = scenario.repropose(opened).proposal_id

    old = Proposal.objects.get(id=opened)
    assert (old.status, old.response, old.superseded_because) == ("superseded", None, "reproposed")
    assert old.resolved_by_uuid.hex == scenario.author.id[5:]
    refs = Ref.objects.filter(kind=RefKind.PROPOSAL)
    assert [ref.owner_id for ref in refs] == [again]


def test_the_new_one_can_be_approved(scenario, opened):
    scenario.write({"/c.md": "C\n"})
    again = scenario.repropose(opened).proposal_id

    assert scenario.approve(again).status == "approved"
    assert texts_at(scenario.canonical) == {"/a.md": "A\n", "/c.md": "C\n", "/d.md": "d\n"}


def test_one_that_an_approval_superseded_can_be_reproposed_too(scenario, opened):
    scenario.write({"/c.md": "C\n"})
    scenario.approve(opened)
    resolved_at = Proposal.objects.get(id=opened).resolved_at

    again = scenario.repropose(opened).proposal_id

    old = Proposal.objects.get(id=opened)
    assert (old.superseded_because, old.resolved_at) == ("canonical_moved", resolved_at)
    assert scenario.view(opened).replaced_by == again


def test_a_chain_of_them_works(scenario, opened):
    scenario.write({"/c.md": "C\n"})
    second = scenario.repropose(opened).proposal_id
    scenario.write({"/c.md": "CC\n"})
    third = scenario.repropose(second).proposal_id

    assert Proposal.objects.get(id=third).replaces_id == second
    assert scenario.approve(third).status == "approved"


@pytest.mark.parametrize(
    ("meanwhile", "named"),
    [
        ({"/a.md": "elsewhere\n"}, ["/a.md"]),
        ({"/a.md": None}, ["/a.md"]),
        ({"/b.md": "elsewhere\n"}, ["/b.md"]),
        ({"/d.md": "elsewhere\n"}, ["/d.md"]),
        ({"/a.md": "x\n", "/d.md": "y\n"}, ["/a.md", "/d.md"]),
        ({"/d.md/deep": "x\n"}, ["/d.md", "/d.md/deep"]),
    ],
)
def test_paths_changed_on_both_sides_are_named(scenario, opened, meanwhile, named):
    moved = scenario.write(meanwhile)

    with pytest.raises(Conflict) as refused:
        scenario.repropose(opened)

    assert refused.value.message.endswith(f": {', '.join(named)}.")
    assert scenario.status(opened) == "open"
    assert Proposal.objects.count() == 1
    assert scenario.canonical == moved


def test_what_canonical_changed_alike_is_no_conflict(scenario, opened):
    scenario.write({"/a.md": "A\n", "/b.md": None})

    again = Proposal.objects.get(id=scenario.repropose(opened).proposal_id)

    assert again.changed_path_count == 1
    assert texts_at(again.head_id) == {"/a.md": "A\n", "/c.md": "c\n", "/d.md": "d\n"}


def test_nothing_left_to_propose_says_so(scenario, opened):
    scenario.write({"/a.md": "A\n", "/b.md": None, "/d.md": "d\n"})

    with pytest.raises(Conflict, match="nothing left to propose"):
        scenario.repropose(opened)
    assert scenario.status(opened) == "open"


def test_one_that_is_not_stale_is_refused(scenario, opened):
    with pytest.raises(Conflict, match="not stale"):
        scenario.repropose(opened)


@pytest.mark.parametrize("response", ["approve", "reject"])
def test_a_decided_one_is_refused(scenario, opened, response):
    status = scenario.respond(opened, response).status
    scenario.write({"/c.md": "C\n"})

    with pytest.raises(Conflict, match=f"already {status}"):
        scenario.repropose(opened)


def test_it_is_replaced_once(scenario, opened):
    scenario.write({"/c.md": "C\n"})
    again = scenario.repropose(opened).proposal_id

    with pytest.raises(Conflict, match=again):
        scenario.repropose(opened)


def test_an_erased_text_cannot_be_proposed_again(scenario, opened):
    scenario.write({"/c.md": "C\n"})
    scenario.erase("/d.md")

    with pytest.raises(Conflict, match=r"erased: /d\.md"):
        scenario.repropose(opened)


def test_copied_texts_keep_their_ceiling_media_type_and_provenance(scenario):
    """Contract F1: a copy does not outlive what it copies."""
    soon = now() + timedelta(days=1)
    put = Put(
        "d\n",
        media_type="text/x-notes",
        provenance={"source_refs": ["ticket 7"]},
        provenance_sha256=b"\7" * 32,
        expires_at=soon,
    )
    [write] = operations(scenario.canonical, {"/d": "d\n"})
    new = NewProposal(Words("Brief"), (replace(write, change=put),))
    opened = create_proposal(access=scenario.access(), proposal=new).proposal_id
    scenario.write({"/c.md": "C\n"})

    scenario.repropose(opened)

    first, copy = DocumentVersion.objects.filter(path="/d").order_by("id")
    assert (first.id, first.introduced_by_id) != (copy.id, copy.introduced_by_id)
    assert (copy.expires_at, copy.media_type) == (soon, "text/x-notes")
    assert bytes(copy.provenance_sha256) == b"\7" * 32
    assert copy.body.provenance == {"source_refs": ["ticket 7"]}


def test_it_needs_read_and_write(scenario, opened):
    scenario.write({"/c.md": "C\n"})

    with pytest.raises(PolicyDenied, match="`write`"):
        scenario.repropose(opened, by=scenario.reviewer)


def test_an_archived_store_takes_none(scenario, opened):
    scenario.write({"/c.md": "C\n"})
    scenario.archive()

    with pytest.raises(ReadOnly):
        scenario.repropose(opened)


def test_there_must_be_such_a_proposal(scenario):
    with pytest.raises(NotFound):
        scenario.repropose(random_id("proposal"))
    with pytest.raises(NotFound):
        scenario.repropose(make_scenario().propose({"/a.md": "one\n"}))


def test_a_key_sent_twice_re_proposes_once(scenario, opened):
    scenario.write({"/c.md": "C\n"})
    first = scenario.repropose(opened, key=key("same"))

    again = scenario.repropose(opened, key=key("same"))

    assert (again.proposal_id, again.replayed) == (first.proposal_id, True)
    assert Proposal.objects.count() == 2


def test_both_sides_are_audited_and_counted_once(scenario, opened):
    scenario.write({"/c.md": "C\n"})
    generation = scenario.store.generation

    again = scenario.repropose(opened).proposal_id

    assert scenario.store.generation == generation + 1
    events = AuditEntry.objects.filter(target_kind="proposal").order_by("id")
    told = [(entry.event, entry.target_id) for entry in events][1:]
    assert told == [("proposal.created", again), ("proposal.superseded", opened)]
