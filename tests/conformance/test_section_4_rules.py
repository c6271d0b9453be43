"""Contract P3: who may respond, and what a Proposal says about that."""

from dataclasses import replace

import pytest

from memory.access import open_store
from memory.models import SelfApproval
from proposals.actions.create import NewProposal, Restore, create_proposal
from proposals.decisions.rules import COUNTED, Requirement, Rule
from proposals.models import Proposal, ProposalAttempt
from proposals.opening import Words
from proposals.queries.queue import review_queue
from proposals.queries.rows import ProposalView, get_proposal
from tenancy.actions.principals import PrincipalChanges, change_principal
from tenancy.models import ApiKey, PermissionAssignment, Principal
from tests.factories import caller_for, grant, make_service, platform
from tests.proposals.scenario import Scenario, make_scenario, operations
from wire.errors import PolicyDenied, ReadOnly

pytestmark = pytest.mark.django_db


@pytest.fixture
def scenario() -> Scenario:
    return make_scenario()


def requirement(view: ProposalView, rule: Rule) -> Requirement:
    return next(each for each in view.requirements if each.rule == rule)


def unsatisfied(view: ProposalView) -> set[Rule]:
    return {each.rule for each in view.requirements if not each.satisfied}


def head_of(proposal_id: str) -> str:
    return Proposal.objects.get(id=proposal_id).head_id


def waiting_for(person: Principal) -> set[str]:
    """The Proposals that the person's queue asks them to decide."""
    return {view.proposal.id for view in review_queue(caller_for(person)).waiting.views}


def grant_service(scenario: Scenario, *permissions: str) -> Principal:
    """A service with permissions that no action would give it."""
    service = make_service(scenario.workspace)
    PermissionAssignment.objects.create(
        workspace=scenario.workspace,
        subject_kind="principal",
        subject_uuid=service.id,
        target_kind="store",
        target_uuid=scenario.store_id,
        permissions=list(permissions),
        created_by_kind="platform",
    )
    return service


class TestTheGrant:
    def test_review_decides_who_may_respond(self, scenario):
        for permissions in (["read"], ["read", "write"], ["read", "admin"]):
            person = scenario.person("Carol", *permissions)
            opened = scenario.propose({"/a.md": "one\n"})
            for response in ("approve", "reject"):
                with pytest.raises(PolicyDenied, match="`review`"):
                    scenario.respond(opened, response, by=person)

    def test_review_without_read_is_not_enough(self, scenario):
        admin = scenario.person("Carol", "review")
        Principal.objects.filter(id=admin.id).update(is_admin=True)
        opened = scenario.propose({"/a.md": "one\n"})

        with pytest.raises(PolicyDenied, match="`read`"):
            scenario.approve(opened, by=admin)
        assert ProposalAttempt.objects.get().refusal == "review_grant"

    def test_an_admin_without_a_grant_may_not(self, scenario):
        admin = scenario.person("Carol")
        Principal.objects.filter(id=admin.id).update(is_admin=True)

        with pytest.raises(PolicyDenied):
            scenario.approve(scenario.propose({"/a.md": "one\n"}), by=admin)

    def test_it_may_be_held_on_the_workspace(self, scenario):
        reviewer = scenario.person("Carol")
        grant(reviewer, scenario.workspace, "review")
        grant(reviewer, scenario.store, "read")

        assert scenario.approve(scenario.propose({"/a.md": "one\n"}), by=reviewer)

    def test_a_key_may_hold_it_itself(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})

        assert scenario.approve(opened, by=scenario.key("read", "review")).status == "approved"

    def test_a_key_bound_to_a_reviewer_may(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})

        assert scenario.approve(opened, by=scenario.key(bound=scenario.reviewer))


class TestOwnCredential:
    @pytest.mark.parametrize("response", ["approve", "reject"])
    def test_a_principal_that_a_key_only_named_may_not_respond(self, scenario, response):
        opened = scenario.propose({"/a.md": "one\n"})
        named = replace(
            caller_for(scenario.key(names=scenario.reviewer)),
            named_principal_id=scenario.reviewer.id,
        )
        access = open_store(named, scenario.store_id)

        view = get_proposal(access, opened)
        with pytest.raises(PolicyDenied, match="only named"):
            scenario.respond(opened, response, access=access)

        assert unsatisfied(view) == {Rule.OWN_CREDENTIAL}
        [bob] = requirement(view, Rule.OWN_CREDENTIAL).who_can
        assert bob.id == scenario.reviewer.id

    def test_what_it_authored_is_not_the_named_persons(self, scenario):
        """The key is the recorded actor; whom it named may look at its work as a reviewer."""
        key = scenario.key(names=scenario.reviewer)
        grant(scenario.reviewer, scenario.store, "write")
        named = replace(caller_for(key), named_principal_id=scenario.reviewer.id)
        new = NewProposal(Words("By a key"), operations(scenario.canonical, {"/a": "1\n"}))
        access = open_store(named, scenario.store_id)

        opened = create_proposal(access=access, proposal=new).proposal_id

        assert scenario.approve(opened).status == "approved"


class TestPersons:
    def test_a_service_never_approves(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        service = grant_service(scenario, "read", "review")

        for who in (service, scenario.key(bound=service)):
            caller = replace(caller_for(who), principal_is_service=True)
            access = open_store(caller, scenario.store_id)
            assert unsatisfied(get_proposal(access, opened)) == {Rule.PERSON}
            with pytest.raises(PolicyDenied, match="never approve"):
                scenario.approve(opened, access=access)

    def test_nor_is_it_named_as_somebody_who_could(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        grant_service(scenario, "read", "review")

        who_can = requirement(scenario.view(opened, scenario.author), Rule.REVIEW_GRANT).who_can

        assert [holder.id for holder in who_can] == [scenario.reviewer.id]


class TestAuthors:
    @pytest.fixture
    def both(self, scenario: Scenario) -> Principal:
        """Somebody who may write and review."""
        return scenario.person("Carol", "read", "write", "review")

    def test_self_approval_is_denied_when_left_out(self, scenario, both):
        opened = scenario.propose({"/a.md": "one\n"}, by=both)

        view = scenario.view(opened, both)
        with pytest.raises(PolicyDenied, match="author"):
            scenario.approve(opened, by=both)

        assert unsatisfied(view) == {Rule.NOT_THE_AUTHOR}
        assert ProposalAttempt.objects.get().refusal == "not_the_author"

    def test_it_may_be_allowed(self, scenario, both):
        scenario.change(self_approval=SelfApproval.ALLOWED)
        opened = scenario.propose({"/a.md": "one\n"}, by=both)

        assert scenario.view(opened, both).can_approve
        assert scenario.approve(opened, by=both).status == "approved"

    def test_an_author_may_withdraw(self, scenario, both):
        opened = scenario.propose({"/a.md": "one\n"}, by=both)

        assert scenario.reject(opened, by=both).status == "rejected"

    def test_a_person_is_author_through_any_key_bound_to_them(self, scenario, both):
        opened = scenario.propose({"/a.md": "one\n"}, by=scenario.key(bound=both))

        for who in (both, scenario.key(bound=both)):
            with pytest.raises(PolicyDenied, match="author"):
                scenario.approve(opened, by=who)

    def test_who_restores_what_never_was_canonical_hides_no_author(self, scenario, both):
        """An earlier canonical is everybody's words; a rejected head is its writers' still."""
        first = scenario.advance({"/b.md": "b\n"})
        rejected = scenario.propose({"/a.md": "one\n"}, by=both)
        scenario.reject(rejected)
        scenario.advance({"/b.md": "c\n"})

        def restoring(version_id: str) -> str:
            new = NewProposal(Words("As it was"), Restore(version_id))
            return create_proposal(access=scenario.access(), proposal=new).proposal_id

        hidden = restoring(head_of(rejected))
        with pytest.raises(PolicyDenied, match="author"):
            scenario.approve(hidden, by=both)
        assert scenario.view(hidden).can_approve
        assert scenario.view(restoring(first), both).can_approve

    def test_and_so_is_each_of_their_keys(self, scenario, both):
        opened = scenario.propose({"/a.md": "one\n"}, by=both)

        with pytest.raises(PolicyDenied, match="author"):
            scenario.approve(opened, by=scenario.key(bound=both))

    def test_a_key_bound_afterwards_counts(self, scenario, both):
        key = scenario.key("read", "write")
        opened = scenario.propose({"/a.md": "one\n"}, by=key)
        assert scenario.view(opened, both).can_approve

        ApiKey.objects.filter(id=key.id).update(principal=both)

        with pytest.raises(PolicyDenied, match="author"):
            scenario.approve(opened, by=both)

    def test_a_key_unbound_afterwards_still_counts(self, scenario, both):
        key = scenario.key(bound=both)
        opened = scenario.propose({"/a.md": "one\n"}, by=key)

        ApiKey.objects.filter(id=key.id).update(principal=None)

        with pytest.raises(PolicyDenied, match="author"):
            scenario.approve(opened, by=both)

    def test_a_key_does_not_approve_its_own(self, scenario):
        key = scenario.key("read", "write", "review")
        opened = scenario.propose({"/a.md": "one\n"}, by=key)

        with pytest.raises(PolicyDenied, match="author"):
            scenario.approve(opened, by=key)
        assert scenario.approve(opened, by=scenario.key("read", "review"))

    def test_proposing_a_head_of_another_does_not_launder_authorship(self, scenario, both):
        theirs = head_of(scenario.propose({"/a.md": "one\n"}, by=scenario.key(bound=both)))
        above = head_of(scenario.propose({"/b.md": "two\n"}, base=theirs))

        for head in (theirs, above):
            new = NewProposal(Words("Look, mine"), head, scenario.canonical)
            access = scenario.access(scenario.author)
            opened = create_proposal(access=access, proposal=new).proposal_id

            assert unsatisfied(scenario.view(opened, both)) == {Rule.NOT_THE_AUTHOR}
            assert opened not in waiting_for(both)
            for who in (both, scenario.key(bound=both)):
                with pytest.raises(PolicyDenied, match="author"):
                    scenario.approve(opened, by=who)
        assert scenario.approve(opened).status == "approved"

    def test_re_proposing_does_not_launder_authorship(self, scenario, both):
        opened = scenario.propose({"/a.md": "one\n"}, by=both)
        scenario.advance({"/b.md": "two\n"})
        grant(scenario.reviewer, scenario.store, "write")

        again = scenario.repropose(opened, by=scenario.reviewer).proposal_id

        for who in (both, scenario.reviewer):
            with pytest.raises(PolicyDenied, match="author"):
                scenario.approve(again, by=who)
        assert scenario.approve(again, by=scenario.person("Dan", "read", "review"))


class TestWhatIsShown:
    def test_a_reviewer_sees_all_satisfied(self, scenario):
        view = scenario.view(scenario.propose({"/a.md": "one\n"}))

        assert view.can_approve
        assert [each.rule for each in view.requirements] == [
            rule for rule in Rule if rule not in COUNTED
        ]
        assert all(each.reason and not each.who_can for each in view.requirements)

    def test_what_is_shown_is_what_decides(self, scenario):
        """For everybody, can_approve tells whether an approval would move canonical."""
        both = scenario.person("Carol", "read", "write", "review")
        everybody = [scenario.author, scenario.reviewer, both, scenario.person("Dan", "read")]
        for who in everybody:
            opened = scenario.propose({"/a.md": f"{who.name}\n"}, by=both)
            foreseen = scenario.view(opened, who).can_approve
            try:
                happened = scenario.approve(opened, by=who).status == "approved"
            except PolicyDenied:
                happened = False
            assert foreseen == happened, who.name

    def test_who_could_review_is_named(self, scenario):
        both = scenario.person("Carol", "read", "write", "review")
        scenario.person("Dan", "read", "write")
        scenario.person("Eve", "review")
        gone = scenario.person("Finn", "read", "review")
        change_principal(
            caller=platform(scenario.workspace),
            principal_id=gone.id,
            changes=PrincipalChanges(state=Principal.State.DISABLED),
        )
        opened = scenario.propose({"/a.md": "one\n"}, by=both)

        asked = requirement(scenario.view(opened, both), Rule.NOT_THE_AUTHOR)
        unable = requirement(scenario.view(opened, scenario.author), Rule.REVIEW_GRANT)

        assert [holder.name for holder in asked.who_can] == ["Bob"]
        assert asked.who_can == unable.who_can
        assert scenario.store_id in unable.reason

    def test_the_author_is_named_where_the_store_allows_it(self, scenario):
        scenario.change(self_approval=SelfApproval.ALLOWED)
        both = scenario.person("Carol", "read", "write", "review")
        opened = scenario.propose({"/a.md": "one\n"}, by=both)

        unable = requirement(scenario.view(opened, scenario.author), Rule.REVIEW_GRANT)

        assert [holder.name for holder in unable.who_can] == ["Bob", "Carol"]

    def test_a_moved_canonical_names_who_could_re_propose(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        moved = scenario.advance({"/b.md": "two\n"})

        view = scenario.view(opened)

        assert unsatisfied(view) == {Rule.CANONICAL_UNMOVED}
        rule = requirement(view, Rule.CANONICAL_UNMOVED)
        assert moved in rule.reason
        assert [holder.name for holder in rule.who_can] == ["Alice"]

    def test_an_erased_body_names_nobody(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.erase("/a.md")

        view = scenario.view(opened)

        assert unsatisfied(view) == {Rule.BODIES_AVAILABLE}
        assert view.has_erased_body
        assert requirement(view, Rule.BODIES_AVAILABLE).who_can == ()

    def test_an_archived_store_names_who_could_open_it(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.archive()

        view = scenario.view(opened)

        assert unsatisfied(view) == {Rule.STORE_ACTIVE}
        assert [one.name for one in requirement(view, Rule.STORE_ACTIVE).who_can] == ["Admin"]
        for response in ("approve", "reject"):
            with pytest.raises(ReadOnly, match="archived"):
                scenario.respond(opened, response)

    def test_a_resolved_one_needs_nothing_that_anybody_could_do(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)

        view = scenario.view(opened)

        assert not view.can_approve
        assert not view.is_stale
        assert [(each.rule, each.who_can) for each in view.requirements] == [(Rule.OPEN, ())]
