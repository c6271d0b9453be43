"""Contract P2, P4: decisions at once, on a real database, with a connection a thread."""

from collections import Counter
from collections.abc import Sequence
from threading import Event, Timer

import pytest

from memory.actions.stores import StoreChanges, change_store
from memory.models import CanonicalWrites, Lifecycle, MemoryVersion, Ref, RefKind, RefMove
from memory.stores import bump_generation
from proposals.actions.repropose import Reproposed
from proposals.actions.respond import Responded
from proposals.models import Proposal, ProposalAttempt
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.factories import platform
from tests.proposals.scenario import Scenario, key, make_scenario, texts_at
from tests.race import PATIENCE, outcomes, race
from wire.errors import ApiError, Conflict, NotFound, ReadOnly

pytestmark = pytest.mark.django_db(transaction=True)

several_times = pytest.mark.parametrize("nth", range(5))
"""Which of two wins is up to the machine: run them more than once."""


def canonical_moves(scenario: Scenario) -> int:
    """How often canonical moved since the store was made."""
    moves = RefMove.objects.filter(store=scenario.store_id, kind=RefKind.CANONICAL)
    return moves.exclude(before=None).count()


def require_no_surprise(results: Sequence[object]) -> None:
    """Only what the contract names may be raised: no deadlock, no integrity error."""
    surprises = [
        one for one in results if isinstance(one, Exception) and not isinstance(one, ApiError)
    ]
    assert not surprises, surprises


def require_sound(scenario: Scenario) -> None:
    """Whatever won: refs of open Proposals only, and canonical moved once an approval."""
    open_ones = Proposal.objects.filter(store=scenario.store_id, status="open")
    refs = Ref.objects.filter(store=scenario.store_id, kind=RefKind.PROPOSAL)
    assert {ref.owner_id for ref in refs} == {one.id for one in open_ones}


def test_many_approvals_at_once_move_canonical_once():
    scenario = make_scenario()
    opened = scenario.propose({"/a.md": "one\n"})
    reviewers = [scenario.person(f"Reviewer{n}", "read", "review") for n in range(8)]

    results = race(*(lambda by=by: scenario.approve(opened, by=by) for by in reviewers))

    done = outcomes(results, Responded)
    assert [one.status for one in done] == ["approved"] * 8, results
    assert canonical_moves(scenario) == 1
    proposal = Proposal.objects.get(id=opened)
    assert scenario.canonical == proposal.head_id
    assert proposal.resolved_by_uuid.hex in {by.id[5:] for by in reviewers}
    assert not ProposalAttempt.objects.exists(), "the others responded the same"
    require_sound(scenario)


def test_of_many_proposals_on_one_base_exactly_one_is_approved():
    scenario = make_scenario()
    opened = [scenario.propose({f"/{n}.md": "x\n"}) for n in range(8)]
    access = scenario.access(scenario.reviewer)

    results = race(*(lambda one=one: scenario.approve(one, access=access) for one in opened))

    statuses = Counter(one.status for one in outcomes(results, Responded))
    assert statuses == {"approved": 1, "superseded": 7}, results
    assert canonical_moves(scenario) == 1
    [approved] = Proposal.objects.filter(status="approved")
    assert scenario.canonical == approved.head_id
    require_sound(scenario)


@several_times
def test_an_approval_and_a_rejection_at_once(nth):
    scenario = make_scenario()
    opened = scenario.propose({"/a.md": "one\n"})
    other = scenario.person("Carol", "read", "review")

    results = race(
        lambda: scenario.approve(opened),
        lambda: scenario.reject(opened, by=other),
    )

    [won] = outcomes(results, Responded)
    [lost] = outcomes(results, Conflict)
    assert lost.message == f"The Proposal is already {won.status}."
    assert scenario.status(opened) == won.status
    assert canonical_moves(scenario) == (won.status == "approved")
    assert ProposalAttempt.objects.filter(proposal=opened, refusal="open").count() == 1
    require_sound(scenario)


@several_times
def test_an_approval_and_a_direct_write_at_once(nth):
    scenario = make_scenario(canonical_writes=CanonicalWrites.DIRECT)
    opened = scenario.propose({"/a.md": "one\n"})
    base = scenario.canonical

    results = race(
        lambda: scenario.approve(opened),
        lambda: scenario.write({"/b.md": "two\n"}),
    )

    require_no_surprise(results)
    status = scenario.status(opened)
    wrote = not isinstance(results[1], Exception)
    assert (status, canonical_moves(scenario)) in {
        ("approved", 1 + wrote),  # the writer lost, or wrote on what was approved
        ("superseded", 1),
    }
    texts = texts_at(scenario.canonical)
    assert ("/a.md" in texts) == (status == "approved")
    assert ("/b.md" in texts) == wrote
    assert scenario.canonical != base
    require_sound(scenario)


@several_times
def test_an_approval_and_archiving_at_once(nth):
    scenario = make_scenario()
    opened = scenario.propose({"/a.md": "one\n"})
    admin = scenario.access(scenario.person("Carol", "read", "admin"))
    access = scenario.access(scenario.reviewer)
    archived = StoreChanges(lifecycle=Lifecycle.ARCHIVED)

    results = race(
        lambda: scenario.approve(opened, access=access),
        lambda: change_store(access=admin, version=1, changes=archived),
    )

    require_no_surprise(results)
    status = scenario.status(opened)
    assert (status == "approved") == isinstance(results[0], Responded), results
    assert canonical_moves(scenario) == (status == "approved")
    if status == "open":
        assert isinstance(results[0], (ReadOnly, Conflict)), results
        assert ProposalAttempt.objects.filter(proposal=opened).count() == 1
    require_sound(scenario)


@several_times
def test_an_approval_and_taking_back_the_grant_at_once(nth):
    """Either the approval came first, or it is refused: never is it carried out afterwards."""
    scenario = make_scenario()
    opened = scenario.propose({"/a.md": "one\n"})
    access = scenario.access(scenario.reviewer)
    review = PermissionAssignment.objects.get(subject_uuid=scenario.reviewer.id)

    def take_back() -> str:
        revoke(caller=platform(scenario.workspace), assignment_id=review.id)
        return scenario.status(opened)

    approval, status_then = race(lambda: scenario.approve(opened, access=access), take_back)

    assert status_then == scenario.status(opened), "nothing happens once it is taken back"
    if isinstance(approval, Responded):
        assert (approval.status, canonical_moves(scenario)) == ("approved", 1)
    else:
        assert isinstance(approval, NotFound), approval
        assert (scenario.status(opened), canonical_moves(scenario)) == ("open", 0)


def test_taking_back_the_grant_waits_for_a_decision_that_came_first(monkeypatch):
    scenario = make_scenario()
    opened = scenario.propose({"/a.md": "one\n"})
    review = PermissionAssignment.objects.get(subject_uuid=scenario.reviewer.id)
    nearly_done, may_finish = Event(), Event()

    def bump_when_told(store_id: str) -> None:
        nearly_done.set()
        assert may_finish.wait(PATIENCE)
        bump_generation(store_id)

    monkeypatch.setattr("proposals.actions.respond.bump_generation", bump_when_told)

    def take_back() -> str:
        assert nearly_done.wait(PATIENCE)
        Timer(0.5, may_finish.set).start()
        revoke(caller=platform(scenario.workspace), assignment_id=review.id)
        return scenario.status(opened)

    approval, status_then = race(lambda: scenario.approve(opened), take_back)

    assert isinstance(approval, Responded), approval
    assert status_then == "approved"


@several_times
def test_re_proposing_and_approving_at_once(nth):
    scenario = make_scenario()
    opened = scenario.propose({"/a.md": "one\n"})
    moved = scenario.advance({"/b.md": "two\n"})

    results = race(lambda: scenario.approve(opened), lambda: scenario.repropose(opened))

    require_no_surprise(results)
    [again] = outcomes(results, Reproposed)
    old = Proposal.objects.get(id=opened)
    assert old.status == "superseded"
    assert (old.response == "approve") == isinstance(results[0], Responded)
    assert Proposal.objects.get(id=again.proposal_id).status == "open"
    assert scenario.canonical == moved
    require_sound(scenario)


def test_re_proposing_many_times_at_once_makes_one():
    scenario = make_scenario()
    opened = scenario.propose({"/a.md": "one\n"})
    scenario.advance({"/b.md": "two\n"})
    before = MemoryVersion.objects.count()

    results = race(*[lambda: scenario.repropose(opened)] * 6)

    [made] = outcomes(results, Reproposed)
    assert len(outcomes(results, Conflict)) == 5, results
    assert Proposal.objects.filter(replaces=opened).get().id == made.proposal_id
    assert MemoryVersion.objects.count() == before + 1
    require_sound(scenario)


class TestOneKeyTwiceAtOnce:
    """Contract §0: one writes, the others replay."""

    def test_opening(self):
        scenario = make_scenario()
        access_texts = {"/a.md": "one\n"}

        results = race(*[lambda: scenario.propose(access_texts, key=key("same"))] * 6)

        assert len(set(results)) == 1, results
        assert Proposal.objects.count() == 1

    def test_responding(self):
        scenario = make_scenario()
        opened = scenario.propose({"/a.md": "one\n"})

        results = race(*[lambda: scenario.approve(opened, key=key("same"))] * 6)

        done = outcomes(results, Responded)
        assert Counter(one.replayed for one in done) == {False: 1, True: 5}, results
        assert {one.status for one in done} == {"approved"}
        assert canonical_moves(scenario) == 1

    def test_re_proposing(self):
        scenario = make_scenario()
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.advance({"/b.md": "two\n"})

        results = race(*[lambda: scenario.repropose(opened, key=key("same"))] * 6)

        done = outcomes(results, Reproposed)
        assert Counter(one.replayed for one in done) == {False: 1, True: 5}, results
        assert len({one.proposal_id for one in done}) == 1

    def test_other_input(self):
        scenario = make_scenario()
        opened = scenario.propose({"/a.md": "one\n"})

        results = race(
            lambda: scenario.approve(opened, key=key("same", "approve")),
            lambda: scenario.approve(opened, key=key("same", "with a note"), note="x"),
        )

        assert len(outcomes(results, Responded)) == 1
        assert len(outcomes(results, Conflict)) == 1
        assert not ProposalAttempt.objects.exists()


def test_opening_and_deciding_at_once_do_not_block_each_other():
    scenario = make_scenario()
    opened = [scenario.propose({f"/{n}.md": "x\n"}) for n in range(3)]

    results = race(
        *(lambda one=one: scenario.reject(one) for one in opened),
        *(lambda n=n: scenario.propose({f"/new-{n}.md": "x\n"}) for n in range(3)),
    )

    require_no_surprise(results)
    assert len(outcomes(results, Responded)) == 3
    assert len(outcomes(results, str)) == 3
    require_sound(scenario)
