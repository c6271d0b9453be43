"""Contract P2, P3 and §0: approvals of which a store's review rules want several, and by whom.

The rules are the store's settings; whoever decides is held to them in the transaction that moves
canonical.
"""

import pytest
from django.db import IntegrityError, transaction

from memory.models import SelfApproval
from memory.reviewrules import ReviewRule
from proposals.actions.withdraw import withdraw_approval
from proposals.decisions.rules import Requirement, Rule
from proposals.models import Proposal, ProposalApproval
from proposals.queries.queue import review_queue, waiting_count
from proposals.queries.rows import ProposalView
from tenancy.actions.permissions import revoke
from tenancy.actions.principals import PrincipalChanges, change_principal
from tenancy.models import ApiKey, AuditEntry, PermissionAssignment, Principal
from tests.factories import caller_for, grant, make_space, platform
from tests.proposals.scenario import Scenario, key, make_scenario
from wire.errors import Conflict, NotFound, PolicyDenied, ReadOnly
from wire.ids import uuid_from_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def scenario() -> Scenario:
    return make_scenario()


@pytest.fixture
def carol(scenario: Scenario) -> Principal:
    return scenario.person("Carol", "read", "review")


@pytest.fixture
def dan(scenario: Scenario) -> Principal:
    return scenario.person("Dan", "read", "review")


def of(view: ProposalView, rule: Rule) -> Requirement:
    """The one requirement of a kind."""
    [found] = [each for each in view.requirements if each.rule == rule]
    return found


def take_back_grants(scenario: Scenario, who: Principal) -> None:
    for each in PermissionAssignment.objects.filter(subject_uuid=who.id):
        revoke(caller=platform(scenario.workspace), assignment_id=each.id)


class TestMinimum:
    def test_P2_an_approval_that_does_not_complete_moves_nothing(self, scenario, carol):
        scenario.change(minimum_approvals=2)
        canonical, opened = scenario.canonical, scenario.propose({"/a.md": "one\n"})

        first = scenario.approve(opened, note="Fine.")

        assert (first.status, first.replayed, scenario.status(opened)) == ("open", False, "open")
        assert scenario.canonical == canonical
        [row] = ProposalApproval.objects.all()
        assert (row.note, row.approver_uuid) == ("Fine.", uuid_from_id(scenario.reviewer.id))
        assert AuditEntry.objects.filter(event="proposal.approval_given").count() == 1

    def test_P2_the_one_that_completes_moves_canonical_to_the_head(self, scenario, carol):
        scenario.change(minimum_approvals=2)
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)

        second = scenario.approve(opened, by=carol, note="Mine too.")

        proposal = Proposal.objects.get(id=opened)
        assert (second.status, scenario.canonical) == ("approved", proposal.head_id)
        assert proposal.resolved_by_uuid == uuid_from_id(carol.id)
        assert ProposalApproval.objects.count() == 1, "the last one is the resolution"

    def test_P2_approving_again_changes_nothing(self, scenario):
        scenario.change(minimum_approvals=2)
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened, note="First.")

        again = scenario.approve(opened, note="Second.", by=scenario.key(bound=scenario.reviewer))

        assert (again.status, again.replayed) == ("open", False)
        assert ProposalApproval.objects.get().note == "First."

    def test_a_replay_tells_what_was_recorded(self, scenario, carol):
        scenario.change(minimum_approvals=2)
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened, key=key("yes"))
        scenario.approve(opened, by=carol)

        again = scenario.approve(opened, key=key("yes"))

        assert (again.status, again.replayed, scenario.status(opened)) == ("open", True, "approved")

    def test_P2_a_rejection_still_ends_it_alone(self, scenario, carol):
        scenario.change(minimum_approvals=3)
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)

        assert scenario.reject(opened, by=carol).status == "rejected"
        assert scenario.reject(opened).status == "rejected", "who approved may think again"

    def test_P2_a_moved_canonical_supersedes_at_the_first_approval(self, scenario, carol):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.advance({"/b.md": "two\n"})
        scenario.change(minimum_approvals=2)

        assert scenario.approve(opened).status == "superseded"

    def test_P5_an_erased_body_refuses_the_first_one_too(self, scenario):
        scenario.change(minimum_approvals=2)
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.erase("/a.md")

        with pytest.raises(Conflict, match="erased"):
            scenario.approve(opened)
        assert not ProposalApproval.objects.exists()

    def test_P4_a_re_proposal_begins_without_approvals(self, scenario, carol):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.advance({"/b.md": "two\n"})
        scenario.change(minimum_approvals=2)
        other = scenario.propose({"/c.md": "three\n"})
        scenario.approve(other)
        new = scenario.repropose(opened).proposal_id

        assert scenario.view(new).tally.approvals == ()
        assert scenario.approve(new).status == "open"

    def test_a_key_with_grants_of_its_own_counts_as_one(self, scenario):
        scenario.change(minimum_approvals=2)
        opened = scenario.propose({"/a.md": "one\n"})
        own = scenario.key("read", "review")

        assert scenario.approve(opened, by=own).status == "open"
        assert scenario.approve(opened).status == "approved"

    def test_a_key_bound_to_a_person_afterwards_is_that_person(self, scenario):
        scenario.change(minimum_approvals=2)
        opened = scenario.propose({"/a.md": "one\n"})
        own = scenario.key("read", "review")
        scenario.approve(opened, by=own)
        ApiKey.objects.filter(id=own.id).update(principal=scenario.reviewer)

        assert scenario.approve(opened).status == "open"
        assert scenario.approve(opened, by=scenario.key("read", "review")).status == "approved"


class TestPaths:
    def test_a_rule_holds_for_changed_paths_that_match(self, scenario, carol):
        scenario.change(review_rules=(ReviewRule("/guides/**", 2),))
        guide = scenario.propose({"/guides/a.md": "one\n"})
        other = scenario.propose({"/notes.md": "one\n"})

        assert scenario.approve(guide).status == "open"
        assert scenario.approve(other).status == "approved"

    def test_both_sides_of_a_renaming_count(self, scenario, carol):
        scenario.advance({"/guides/a.md": "one\n"})
        scenario.change(review_rules=(ReviewRule("/guides/**", 2),))

        out = scenario.propose({"/guides/a.md": None, "/elsewhere.md": "one\n"})

        assert scenario.approve(out).status == "open"

    def test_P3_named_reviewers_have_to_be_among_them(self, scenario, carol, dan):
        rule = ReviewRule("/legal/**", 1, (carol.id,))
        scenario.change(review_rules=(rule,))
        opened = scenario.propose({"/legal/terms.md": "one\n"})

        assert scenario.approve(opened).status == "open"
        assert scenario.approve(opened, by=dan).status == "open", "nor is Dan named"
        assert scenario.approve(opened, by=carol).status == "approved"

    def test_every_rule_that_matches_has_to_be_met(self, scenario, carol, dan):
        rules = (ReviewRule("/a/**", 1, (carol.id,)), ReviewRule("/**/*.md", 1, (dan.id,)))
        scenario.change(review_rules=rules)
        opened = scenario.propose({"/a/x.md": "one\n"})

        assert scenario.approve(opened, by=carol).status == "open"
        assert scenario.approve(opened, by=dan).status == "approved"

    def test_the_panel_names_who_approved_and_who_can(self, scenario, carol, dan):
        scenario.change(minimum_approvals=2, review_rules=(ReviewRule("/legal/**", 1, (dan.id,)),))
        opened = scenario.propose({"/legal/terms.md": "one\n"})
        scenario.approve(opened)

        view = scenario.view(opened, carol)
        minimum, rule = of(view, Rule.APPROVALS), of(view, Rule.PATH_RULE)

        assert not minimum.satisfied
        assert minimum.reason == "This store wants 2 approvals: 1 given."
        assert minimum.given == {uuid_from_id(scenario.reviewer.id)}
        assert [holder.name for holder in minimum.who_can] == ["Carol", "Dan"]
        assert [holder.name for holder in rule.who_can] == ["Dan"]
        assert "`/legal/**`" in rule.reason
        assert view.can_approve, "one of several"
        assert not view.tally.is_completed_by_mine
        assert scenario.view(opened, dan).tally.is_completed_by_mine
        assert not scenario.view(opened).can_approve, "given already"

    def test_a_rule_that_nobody_can_satisfy_is_told(self, scenario, carol):
        scenario.change(review_rules=(ReviewRule("/**", 1, (carol.id,)),))
        opened = scenario.propose({"/a.md": "one\n"})
        assert "Not enough" not in of(scenario.view(opened), Rule.PATH_RULE).reason

        take_back_grants(scenario, carol)

        told = of(scenario.view(opened), Rule.PATH_RULE)
        assert "Not enough others could approve" in told.reason
        assert told.who_can == ()


class TestWhoseCount:
    @pytest.fixture(autouse=True)
    def _two(self, scenario: Scenario) -> None:
        scenario.change(minimum_approvals=2)

    def test_P3_not_of_somebody_who_lost_review_since(self, scenario, carol, dan):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened, by=carol)
        take_back_grants(scenario, carol)

        assert scenario.approve(opened).status == "open"
        view = scenario.view(opened)
        assert len(view.tally.approvals) == 2
        assert view.tally.counted == {uuid_from_id(scenario.reviewer.id)}
        assert scenario.approve(opened, by=dan).status == "approved"

    def test_P3_nor_of_somebody_disabled(self, scenario, carol):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened, by=carol)
        change_principal(
            caller=platform(scenario.workspace),
            principal_id=carol.id,
            changes=PrincipalChanges(state=Principal.State.DISABLED),
        )

        assert scenario.approve(opened).status == "open"

    def test_a_grant_given_again_brings_it_back(self, scenario, carol):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened, by=carol)
        take_back_grants(scenario, carol)
        scenario.approve(opened)
        grant(carol, scenario.store, "read", "review")

        assert scenario.approve(opened).status == "approved", "given again, it completes"

    def test_P3_an_authors_only_where_the_store_allows_it(self, scenario, carol):
        both = scenario.person("Eve", "read", "write", "review")
        opened = scenario.propose({"/a.md": "one\n"}, by=both)
        with pytest.raises(PolicyDenied, match="author"):
            scenario.approve(opened, by=both)

        scenario.change(self_approval=SelfApproval.ALLOWED)
        assert scenario.approve(opened, by=both).status == "open"
        scenario.change(self_approval=SelfApproval.DENIED)

        assert scenario.approve(opened).status == "open", "the author's counts no more"
        assert scenario.approve(opened, by=carol).status == "approved"

    def test_members_of_a_space_count(self, scenario):
        member = scenario.person("Finn")
        grant(make_space(scenario.workspace, member), scenario.store, "read", "review")
        opened = scenario.propose({"/a.md": "one\n"})

        assert "Finn" in [one.name for one in of(scenario.view(opened), Rule.APPROVALS).who_can]
        assert scenario.approve(opened, by=member).status == "open"
        assert scenario.approve(opened).status == "approved"

    def test_rules_that_were_loosened_are_met_by_the_next_approval(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)

        scenario.change(minimum_approvals=1)

        assert scenario.status(opened) == "open", "nothing moves by itself"
        assert scenario.view(opened).can_approve
        assert scenario.approve(opened).status == "approved"


class TestWithdrawing:
    @pytest.fixture(autouse=True)
    def _two(self, scenario: Scenario) -> None:
        scenario.change(minimum_approvals=2)

    def test_an_approval_may_be_taken_back_and_given_again(self, scenario, carol):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)
        withdraw_approval(access=scenario.access(scenario.reviewer), proposal_id=opened)

        assert scenario.approve(opened, by=carol).status == "open"
        assert scenario.approve(opened).status == "approved"
        assert AuditEntry.objects.filter(event="proposal.approval_withdrawn").count() == 1

    def test_only_ones_own_and_only_while_open(self, scenario, carol):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)

        with pytest.raises(NotFound, match="not approved"):
            withdraw_approval(access=scenario.access(carol), proposal_id=opened)
        scenario.approve(opened, by=carol)
        with pytest.raises(Conflict, match="already approved"):
            withdraw_approval(access=scenario.access(scenario.reviewer), proposal_id=opened)

    def test_not_in_an_archived_store(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)
        scenario.archive()

        with pytest.raises(ReadOnly):
            withdraw_approval(access=scenario.access(scenario.reviewer), proposal_id=opened)

    def test_also_without_review_by_now(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)
        take_back_grants(scenario, scenario.reviewer)
        grant(scenario.reviewer, scenario.store, "read")

        withdraw_approval(access=scenario.access(scenario.reviewer), proposal_id=opened)

        assert scenario.view(opened).tally.approvals == ()

    def test_the_database_keeps_what_was_given(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened, note="Mine.")
        rows = ProposalApproval.objects.filter(proposal=opened)
        other = scenario.author.id

        for change in ({"approver_uuid": other}, {"note": "Not what I said."}):
            with pytest.raises(IntegrityError), transaction.atomic():
                rows.update(**change)
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.delete()
        withdraw_approval(access=scenario.access(scenario.reviewer), proposal_id=opened)
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.update(withdrawn_at=None)


class TestQueue:
    def test_what_one_approved_waits_for_others(self, scenario, carol):
        scenario.change(minimum_approvals=2)
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)

        mine, theirs = caller_for(scenario.reviewer), caller_for(carol)

        assert (waiting_count(mine), waiting_count(theirs)) == (0, 1)
        queue = review_queue(mine)
        assert [view.proposal.id for view in queue.others.views] == [opened]
        assert not queue.waiting.views

    def test_rules_for_paths_cost_a_query(self, scenario, django_assert_num_queries):
        scenario.change(review_rules=(ReviewRule("/**"),))
        for number in range(3):
            scenario.propose({f"/{number}.md": "one\n"})
        caller = caller_for(scenario.reviewer)

        with django_assert_num_queries(9):
            assert len(review_queue(caller).waiting.views) == 3
