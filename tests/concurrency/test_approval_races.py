"""Contract P2, P3: approvals of which several are needed, given and taken at once."""

from collections import Counter

import pytest

from memory.actions.stores import StoreChanges, change_store
from memory.models import RefKind, RefMove
from memory.reviewrules import ReviewRule
from proposals.actions.respond import Responded
from proposals.actions.withdraw import withdraw_approval
from proposals.models import ProposalApproval
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.factories import platform
from tests.proposals.scenario import Scenario, make_scenario
from tests.race import outcomes, race
from wire.errors import ApiError, Conflict

pytestmark = pytest.mark.django_db(transaction=True)

several_times = pytest.mark.parametrize("nth", range(5))
"""Which of two wins is up to the machine: run them more than once."""


@pytest.fixture
def scenario() -> Scenario:
    scenario = make_scenario()
    scenario.change(minimum_approvals=2)
    return scenario


def canonical_moves(scenario: Scenario) -> int:
    moves = RefMove.objects.filter(store=scenario.store_id, kind=RefKind.CANONICAL)
    return moves.exclude(before=None).count()


def require_no_surprise(results: list[object]) -> None:
    """No deadlock and no integrity error."""
    surprises = [one for one in results if isinstance(one, Exception)]
    assert all(isinstance(one, ApiError) for one in surprises), surprises


@several_times
def test_two_first_approvals_at_once_are_both_kept(scenario, nth):
    opened = scenario.propose({"/a.md": "one\n"})
    carol = scenario.person("Carol", "read", "review")

    results = race(
        lambda: scenario.approve(opened),
        lambda: scenario.approve(opened, by=carol),
    )

    statuses = Counter(one.status for one in outcomes(results, Responded))
    assert statuses == {"open": 1, "approved": 1}, results
    assert canonical_moves(scenario) == 1
    assert ProposalApproval.objects.count() == 1


def test_of_many_second_approvals_at_once_one_moves_canonical(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    scenario.approve(opened)
    others = [scenario.person(f"Reviewer{n}", "read", "review") for n in range(6)]

    results = race(*(lambda by=by: scenario.approve(opened, by=by) for by in others))

    assert [one.status for one in outcomes(results, Responded)] == ["approved"] * 6, results
    assert canonical_moves(scenario) == 1


def test_one_person_approving_many_times_at_once_counts_once(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    access = scenario.access(scenario.reviewer)

    results = race(*(lambda: scenario.approve(opened, access=access) for _ in range(6)))

    assert [one.status for one in outcomes(results, Responded)] == ["open"] * 6, results
    assert ProposalApproval.objects.count() == 1


@several_times
def test_rules_that_are_tightened_meanwhile_are_not_passed_by(scenario, nth):
    """Whoever has the store's row first: the approval, or the rule that it would not meet."""
    opened = scenario.propose({"/a.md": "one\n"})
    carol = scenario.person("Carol", "read", "review")
    scenario.approve(opened)
    admin = scenario.access(scenario.person("Admin", "read", "admin"))
    tighter = StoreChanges(review_rules=(ReviewRule("/**", 3),))

    approved, tightened = race(
        lambda: scenario.approve(opened, by=carol),
        lambda: change_store(access=admin, version=scenario.store.version, changes=tighter),
    )

    require_no_surprise([approved, tightened])
    assert not isinstance(tightened, Exception)
    if isinstance(approved, Responded) and approved.status == "approved":
        assert canonical_moves(scenario) == 1
    else:
        assert scenario.status(opened) == "open"
        assert canonical_moves(scenario) == 0
        assert isinstance(approved, Responded | Conflict)


@several_times
def test_a_grant_that_is_taken_back_meanwhile_takes_the_approval_along(scenario, nth):
    opened = scenario.propose({"/a.md": "one\n"})
    carol = scenario.person("Carol", "read", "review")
    scenario.approve(opened, by=carol)
    grant = PermissionAssignment.objects.get(subject_uuid=carol.id)

    approved, revoked = race(
        lambda: scenario.approve(opened),
        lambda: revoke(caller=platform(scenario.workspace), assignment_id=grant.id),
    )

    require_no_surprise([approved, revoked])
    assert isinstance(approved, Responded)
    assert approved.status == scenario.status(opened)
    assert canonical_moves(scenario) == (approved.status == "approved")


@several_times
def test_withdrawing_and_completing_at_once(scenario, nth):
    opened = scenario.propose({"/a.md": "one\n"})
    carol = scenario.person("Carol", "read", "review")
    scenario.approve(opened, by=carol)
    theirs = scenario.access(carol)

    approved, withdrawn = race(
        lambda: scenario.approve(opened),
        lambda: withdraw_approval(access=theirs, proposal_id=opened),
    )

    require_no_surprise([approved, withdrawn])
    assert isinstance(approved, Responded)
    assert (approved.status == "approved") == isinstance(withdrawn, Conflict)
    assert canonical_moves(scenario) == (approved.status == "approved")
