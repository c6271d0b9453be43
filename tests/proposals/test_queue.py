"""The review queue: what waits for whom, in which order, narrowed how, by how many queries."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.actions.stores import Owner, StoreSettings, create_store
from memory.models import CanonicalWrites, OwnerKind, SelfApproval
from proposals.models import ProposalStatus
from proposals.queries.filters import Filters
from proposals.queries.queue import (
    Section,
    open_counts,
    review_queue,
    visible_proposals,
    waiting_count,
)
from proposals.queries.rows import get_proposal
from tenancy.models import ApiKey, Principal
from tests.factories import caller_for, grant, make_person
from tests.proposals.scenario import Scenario, make_scenario

pytestmark = pytest.mark.django_db


@pytest.fixture
def scenario() -> Scenario:
    return make_scenario(canonical_writes=CanonicalWrites.DIRECT)


def ids(section: Section) -> list[str]:
    return [view.proposal.id for view in section.views]


def another_store(scenario: Scenario) -> Scenario:
    """A second store of the same Workspace, where nobody holds anything yet."""
    owner = make_person(scenario.workspace, "Owner", is_admin=True)
    settings = StoreSettings("other", Owner(OwnerKind.WORKSPACE, scenario.workspace.id))
    created = create_store(caller=caller_for(owner), settings=settings)
    return replace(scenario, store_id=created.store_id)


class TestSections:
    def test_what_waits_for_a_reviewer_comes_oldest_first(self, scenario):
        first, second = (scenario.propose({"/a.md": text}) for text in ("1\n", "2\n"))

        queue = review_queue(caller_for(scenario.reviewer))

        assert ids(queue.waiting) == [first, second]
        assert ids(queue.mine) == ids(queue.others) == ids(queue.decided) == []
        assert all(view.can_approve for view in queue.waiting.views)

    def test_what_an_author_waits_for_is_theirs(self, scenario):
        first, second = (scenario.propose({"/a.md": text}) for text in ("1\n", "2\n"))

        queue = review_queue(caller_for(scenario.author))

        assert ids(queue.mine) == [second, first]
        assert ids(queue.waiting) == ids(queue.others) == []

    def test_a_reader_sees_others(self, scenario):
        opened = scenario.propose({"/a.md": "1\n"})

        queue = review_queue(caller_for(scenario.person("Carol", "read")))

        assert ids(queue.others) == [opened]
        assert ids(queue.waiting) == ids(queue.mine) == []

    def test_the_last_decided_comes_first(self, scenario):
        first, second = (scenario.propose({f"/{n}.md": "1\n"}) for n in range(2))
        scenario.reject(second)
        scenario.approve(first)

        queue = review_queue(caller_for(scenario.reviewer))

        assert ids(queue.decided) == [first, second]
        assert ids(queue.waiting) == []

    def test_a_stale_one_still_waits(self, scenario):
        opened = scenario.propose({"/a.md": "1\n"})
        scenario.write({"/b.md": "2\n"})

        [view] = review_queue(caller_for(scenario.reviewer)).waiting.views

        assert (view.proposal.id, view.is_stale, view.can_approve) == (opened, True, False)

    def test_a_long_section_says_that_there_is_more(self, scenario):
        opened = [scenario.propose({"/a.md": f"{n}\n"}) for n in range(3)]

        two = review_queue(caller_for(scenario.reviewer), length=2).waiting
        three = review_queue(caller_for(scenario.reviewer), length=3).waiting

        assert (ids(two), two.has_more) == (opened[:2], True)
        assert (ids(three), three.has_more) == (opened, False)


class TestWhoseDecision:
    @pytest.fixture
    def both(self, scenario: Scenario) -> Principal:
        return scenario.person("Carol", "read", "write", "review")

    def test_not_ones_own(self, scenario, both):
        scenario.propose({"/a.md": "1\n"}, by=both)

        assert waiting_count(caller_for(both)) == 0
        assert waiting_count(caller_for(scenario.reviewer)) == 1

    def test_but_where_the_store_allows_it(self, scenario, both):
        scenario.change(self_approval=SelfApproval.ALLOWED)
        scenario.propose({"/a.md": "1\n"}, by=both)

        assert waiting_count(caller_for(both)) == 1

    def test_not_those_of_ones_keys(self, scenario, both):
        scenario.propose({"/a.md": "1\n"}, by=scenario.key(bound=both))
        late = scenario.key("read", "write")
        scenario.propose({"/a.md": "2\n"}, by=late)
        ApiKey.objects.filter(id=late.id).update(principal=both)

        assert waiting_count(caller_for(both)) == 0
        assert len(review_queue(caller_for(both)).mine.views) == 2

    def test_not_what_was_re_proposed_from_one(self, scenario, both):
        opened = scenario.propose({"/a.md": "1\n"}, by=both)
        scenario.write({"/b.md": "2\n"})
        scenario.repropose(opened)

        assert waiting_count(caller_for(both)) == 0

    def test_not_in_an_archived_store(self, scenario):
        scenario.propose({"/a.md": "1\n"})
        scenario.archive()

        assert waiting_count(caller_for(scenario.reviewer)) == 0
        assert len(review_queue(caller_for(scenario.reviewer)).others.views) == 1

    def test_not_for_a_service_nor_a_named_principal(self, scenario):
        scenario.propose({"/a.md": "1\n"})
        caller = caller_for(scenario.reviewer)

        assert waiting_count(replace(caller, principal_is_service=True)) == 0
        assert waiting_count(replace(caller, named_principal_id=scenario.reviewer.id)) == 0

    def test_the_count_is_that_of_the_section_and_of_the_rules(self, scenario, both):
        for who in (scenario.author, both, scenario.key(bound=both), scenario.key("read", "write")):
            scenario.propose({"/a.md": f"{who.id}\n"}, by=who)
        everybody = (scenario.author, scenario.reviewer, both, scenario.key("read", "review"))
        for who in everybody:
            caller = caller_for(who)
            waiting = review_queue(caller).waiting.views
            could = [
                one for one in visible_proposals(caller) if scenario.view(one.id, who).can_approve
            ]
            assert len(waiting) == waiting_count(caller) == len(could), who
            assert all(view.can_approve for view in waiting)


class TestVisibility:
    def test_only_stores_that_one_may_read(self, scenario):
        scenario.propose({"/a.md": "1\n"})
        stranger = scenario.person("Carol")
        admin = make_person(scenario.workspace, "Dora", is_admin=True)
        blind = scenario.person("Eve", "review")

        for who in (stranger, admin, blind, make_scenario().reviewer):
            queue = review_queue(caller_for(who))
            assert not any(section.views for section in (queue.waiting, queue.mine, queue.others))
            assert waiting_count(caller_for(who)) == 0

    def test_a_grant_on_the_workspace_shows_every_store(self, scenario):
        other = another_store(scenario)
        grant(scenario.author, scenario.workspace, "read", "write")
        here, there = scenario.propose({"/a.md": "1\n"}), other.propose({"/a.md": "1\n"})
        reviewer = scenario.person("Carol")
        grant(reviewer, scenario.workspace, "read", "review")

        assert ids(review_queue(caller_for(reviewer)).waiting) == [here, there]
        assert ids(review_queue(caller_for(scenario.reviewer)).waiting) == [here]

    def test_read_here_and_review_everywhere_add_up(self, scenario):
        other = another_store(scenario)
        grant(scenario.author, other.store, "read", "write")
        here = scenario.propose({"/a.md": "1\n"})
        other.propose({"/a.md": "1\n"})
        reviewer = scenario.person("Carol", "read")
        grant(reviewer, scenario.workspace, "review")

        assert ids(review_queue(caller_for(reviewer)).waiting) == [here]


class TestFilters:
    def shown(self, scenario: Scenario, **filters: object) -> set[str]:
        queue = review_queue(caller_for(scenario.reviewer), Filters(**filters))  # type: ignore[arg-type]
        return {one for section in (queue.waiting, queue.decided) for one in ids(section)}

    def test_by_store(self, scenario):
        other = another_store(scenario)
        grant(scenario.author, other.store, "read", "write")
        grant(scenario.reviewer, other.store, "read", "review")
        here, there = scenario.propose({"/a.md": "1\n"}), other.propose({"/a.md": "1\n"})

        assert self.shown(scenario, store=scenario.store_id) == {here}
        assert self.shown(scenario, store=other.store_id) == {there}

    def test_by_author(self, scenario):
        carol = scenario.person("Carol", "read", "write")
        opened = scenario.propose({"/a.md": "1\n"}, by=carol)
        by_key = scenario.propose({"/a.md": "2\n"}, by=scenario.key(bound=carol))
        scenario.propose({"/a.md": "3\n"})

        assert self.shown(scenario, author=carol.id) == {opened, by_key}

    def test_by_status(self, scenario):
        opened, rejected = (scenario.propose({"/a.md": text}) for text in ("1\n", "2\n"))
        scenario.reject(rejected)

        assert self.shown(scenario, status=ProposalStatus.OPEN) == {opened}
        assert self.shown(scenario, status=ProposalStatus.REJECTED) == {rejected}

    def test_by_words(self, scenario):
        opened = scenario.propose({"/a.md": "1\n"}, title="Explain retries")
        scenario.propose({"/a.md": "2\n"}, title="100% other")

        assert self.shown(scenario, text="RETRIES") == {opened}
        assert self.shown(scenario, text="100%") != {opened}
        assert self.shown(scenario, text="%") == self.shown(scenario, text="other")

    def test_by_a_changed_path(self, scenario):
        scenario.write({"/old/name.md": "1\n", "/kept.md": "2\n"})
        moved = scenario.propose({"/old/name.md": None, "/new/name.md": "1\n"})
        edited = scenario.propose({"/kept.md": "3\n"})

        assert self.shown(scenario, path="/OLD/") == {moved}
        assert self.shown(scenario, path="/new/name.md") == {moved}
        assert self.shown(scenario, path="kept") == {edited}
        assert self.shown(scenario, path="nowhere") == set()

    def test_by_staleness(self, scenario):
        stale = scenario.propose({"/a.md": "1\n"})
        scenario.write({"/b.md": "1\n"})
        fresh = scenario.propose({"/a.md": "2\n"})
        scenario.reject(scenario.propose({"/a.md": "3\n"}))

        assert self.shown(scenario, stale=True) == {stale}
        assert self.shown(scenario, stale=False) == {fresh}


class TestCost:
    def test_the_queue_takes_as_many_queries_however_long_it_is(self, scenario):
        def queries_of_queue() -> int:
            caller = caller_for(scenario.reviewer)
            with CaptureQueriesContext(connection) as queries:
                review_queue(caller)
            return len(queries)

        scenario.reject(scenario.propose({"/a.md": "0\n"}))
        scenario.propose({"/a.md": "1\n"})
        short = queries_of_queue()
        for n in range(5):
            scenario.propose({"/a.md": f"{n}\n"}, by=scenario.key("read", "write"))
            scenario.reject(scenario.propose({"/b.md": f"{n}\n"}))

        assert queries_of_queue() == short == 8

    def test_a_proposal_takes_four(self, scenario, django_assert_num_queries):
        opened = scenario.propose({"/a.md": "1\n"})
        access = scenario.access(scenario.reviewer)
        with django_assert_num_queries(4):
            view = get_proposal(access, opened)
            assert view.proposal.base.created_at <= view.proposal.head.created_at
            assert view.proposal.store.name

    def test_counts_take_one(self, scenario, django_assert_num_queries):
        other = another_store(scenario)
        scenario.propose({"/a.md": "1\n"})
        caller = caller_for(scenario.reviewer)

        with django_assert_num_queries(1):
            assert waiting_count(caller) == 1
        with django_assert_num_queries(1):
            counts = open_counts([scenario.store_id, other.store_id])
        assert counts == {scenario.store_id: 1}
