"""Who is told of what: of a new Proposal, a comment, an approval, the end. Nobody else."""

import pytest

from memory.models import SelfApproval
from memory.reviewrules import ReviewRule
from notices.models import Notice
from proposals.actions.comments import NewComment, add_comment
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment, Principal, User
from tests.factories import grant, make_key, make_person, make_space, platform
from tests.notices.telling import forget, told
from tests.proposals.scenario import Scenario

pytestmark = pytest.mark.django_db


def comment(scenario: Scenario, proposal: str, by: Principal, thread: str | None = None) -> str:
    said = NewComment("Why?", thread=thread)
    access = scenario.access(by)
    return add_comment(access=access, proposal_id=proposal, comment=said).comment_id


class TestOpened:
    def test_whoever_may_approve_it(self, scenario: Scenario) -> None:
        scenario.person("Reader", "read")
        scenario.person("Writer", "read", "write")
        scenario.person("Blind", "review")
        scenario.person("Second", "read", "review")
        scenario.propose({"/a.md": "1\n"})
        assert told() == {"Bob": ("assigned", "reviewer"), "Second": ("assigned", "reviewer")}

    def test_through_a_space_or_the_workspace(self, scenario: Scenario) -> None:
        member, everywhere = scenario.person("Member"), scenario.person("Everywhere")
        grant(make_space(scenario.workspace, member), scenario.store, "read", "review")
        grant(everywhere, scenario.workspace, "read", "review")
        scenario.propose({"/a.md": "1\n"})
        assert told().keys() == {"Bob", "Member", "Everywhere"}

    def test_whom_a_rule_names_is_told_so(self, scenario: Scenario) -> None:
        named = scenario.person("Named", "read", "review")
        rule = ReviewRule("/rules/**", 1, (named.id,))
        scenario.change(review_rules=(rule,))
        scenario.propose({"/rules/a.md": "1\n"})
        assert told() == {"Named": ("assigned", "named"), "Bob": ("assigned", "reviewer")}
        forget()
        scenario.propose({"/else.md": "1\n"})
        assert told()["Named"] == ("assigned", "reviewer")

    def test_not_its_author_even_where_authors_may_approve(self, scenario: Scenario) -> None:
        scenario.change(self_approval=SelfApproval.ALLOWED)
        grant(scenario.author, scenario.store, "review")
        scenario.propose({"/a.md": "1\n"})
        assert told().keys() == {"Bob"}

    def test_not_the_author_behind_a_key(self, scenario: Scenario) -> None:
        both = scenario.person("Both", "read", "write", "review")
        scenario.propose({"/a.md": "1\n"}, by=scenario.key(bound=both))
        assert told().keys() == {"Bob"}

    def test_not_keys_services_nor_who_cannot_sign_in(self, scenario: Scenario) -> None:
        scenario.key("read", "review")
        grant(make_person(scenario.workspace, "No sign-in"), scenario.store, "read", "review")
        ended = scenario.person("Ended", "read", "review")
        User.objects.filter(principals=ended).update(is_active=False)
        disabled = scenario.person("Disabled", "read", "review")
        Principal.objects.filter(id=disabled.id).update(state=Principal.State.DISABLED)
        scenario.propose({"/a.md": "1\n"})
        assert told().keys() == {"Bob"}

    def test_not_whose_grant_was_taken_back_meanwhile(self, scenario: Scenario) -> None:
        scenario.propose({"/a.md": "1\n"})
        held = PermissionAssignment.objects.get(subject_uuid=scenario.reviewer.id)
        revoke(caller=platform(scenario.workspace), assignment_id=held.id)
        assert told() == {}

    def test_nobody_once_it_is_decided(self, scenario: Scenario) -> None:
        opened = scenario.propose({"/a.md": "1\n"})
        scenario.reject(opened)
        assert told(of=opened) == {"Alice": ("decided", "author")}

    def test_nobody_of_another_store(self, scenario: Scenario) -> None:
        from tests.proposals.scenario import make_scenario

        other = make_scenario()
        other.propose({"/a.md": "1\n"})
        told()
        assert not Notice.objects.filter(principal=scenario.reviewer).exists()


class TestCommented:
    def test_its_author(self, scenario: Scenario) -> None:
        opened = scenario.propose({"/a.md": "1\n"})
        forget()
        comment(scenario, opened, scenario.reviewer)
        assert told() == {"Alice": ("commented", "author")}

    def test_the_author_behind_a_key(self, scenario: Scenario) -> None:
        both = scenario.person("Both", "read", "write")
        key, _ = make_key(scenario.workspace, principal=both)
        opened = scenario.propose({"/a.md": "1\n"}, by=key)
        forget()
        comment(scenario, opened, scenario.reviewer)
        assert told() == {"Both": ("commented", "author")}

    def test_who_wrote_in_the_thread(self, scenario: Scenario) -> None:
        carol = scenario.person("Carol", "read", "review")
        dora = scenario.person("Dora", "read", "review")
        opened = scenario.propose({"/a.md": "1\n"})
        thread = comment(scenario, opened, scenario.reviewer)
        comment(scenario, opened, carol, thread)
        comment(scenario, opened, dora)
        forget()
        comment(scenario, opened, scenario.author, thread)
        assert told() == {"Bob": ("commented", "thread"), "Carol": ("commented", "thread")}

    def test_not_who_may_not_read_any_more(self, scenario: Scenario) -> None:
        opened = scenario.propose({"/a.md": "1\n"})
        forget()
        held = PermissionAssignment.objects.get(subject_uuid=scenario.author.id)
        revoke(caller=platform(scenario.workspace), assignment_id=held.id)
        comment(scenario, opened, scenario.reviewer)
        assert told() == {}


class TestDecided:
    def test_author_approvers_and_commenters(self, scenario: Scenario) -> None:
        scenario.change(minimum_approvals=2)
        carol = scenario.person("Carol", "read", "review")
        dora = scenario.person("Dora", "read", "review")
        scenario.person("Bystander", "read", "review")
        opened = scenario.propose({"/a.md": "1\n"})
        scenario.approve(opened, by=carol)
        comment(scenario, opened, dora)
        forget()
        scenario.approve(opened)
        assert told() == {
            "Alice": ("decided", "author"),
            "Carol": ("decided", "approver"),
            "Dora": ("decided", "commenter"),
        }

    def test_an_approval_that_is_kept(self, scenario: Scenario) -> None:
        scenario.change(minimum_approvals=2)
        opened = scenario.propose({"/a.md": "1\n"})
        forget()
        scenario.approve(opened)
        assert told() == {"Alice": ("approval_kept", "author")}

    def test_a_refused_attempt_tells_nobody(self, scenario: Scenario) -> None:
        opened = scenario.propose({"/a.md": "1\n"})
        forget()
        with pytest.raises(Exception, match="grant of `review`"):
            scenario.approve(opened, by=scenario.author)
        assert told() == {}

    def test_a_re_proposal_ends_the_old_one_and_waits_anew(self, scenario: Scenario) -> None:
        opened = scenario.propose({"/a.md": "1\n"})
        scenario.advance({"/b.md": "1\n"})
        forget()
        again = scenario.repropose(opened).proposal_id
        assert told(of=again) == {"Bob": ("assigned", "reviewer")}
        assert told(of=opened) == {}

    def test_what_waited_is_read_once_it_is_decided(self, scenario: Scenario) -> None:
        carol = scenario.person("Carol", "read", "review")
        opened = scenario.propose({"/a.md": "1\n"})
        told()
        scenario.approve(opened)
        told()
        assert Notice.objects.get(principal=carol).read_at is not None
        assert Notice.objects.get(principal=scenario.author).read_at is None
