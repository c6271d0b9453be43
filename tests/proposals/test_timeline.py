"""Everything that happened to a Proposal, in order."""

import pytest

from proposals.queries.approvals import paths_of
from proposals.queries.timeline import Happened, timeline
from tests.proposals.scenario import Scenario, make_scenario
from wire.errors import PolicyDenied
from wire.ids import uuid_from_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def scenario() -> Scenario:
    return make_scenario()


def told(scenario: Scenario, proposal_id: str) -> list[Happened]:
    return [entry.happened for entry in timeline(scenario.view(proposal_id).proposal)]


def test_a_plain_approval(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    scenario.approve(opened, note="Good.")

    created, approved = timeline(scenario.view(opened).proposal)

    assert (created.happened, created.actor.actor_kind) == (Happened.CREATED, "principal")
    assert created.actor.actor_uuid == uuid_from_id(scenario.author.id)
    assert (approved.happened, approved.note) == (Happened.APPROVED, "Good.")
    assert approved.actor.actor_uuid == uuid_from_id(scenario.reviewer.id)


def test_refused_attempts_are_in_it(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    with pytest.raises(PolicyDenied):
        scenario.approve(opened, by=scenario.author)
    scenario.reject(opened)

    _, refused, _ = timeline(scenario.view(opened).proposal)

    assert (refused.happened, refused.response, refused.refusal) == (
        Happened.REFUSED,
        "approve",
        "review_grant",
    )
    assert told(scenario, opened) == [Happened.CREATED, Happened.REFUSED, Happened.REJECTED]


def test_a_superseded_one_names_what_replaced_it(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    scenario.advance({"/b.md": "two\n"})
    scenario.approve(opened)
    again = scenario.repropose(opened).proposal_id

    entries = timeline(scenario.view(opened).proposal)
    [created] = timeline(scenario.view(again).proposal)

    assert [entry.happened for entry in entries] == [
        Happened.CREATED,
        Happened.SUPERSEDED,
        Happened.REPLACED,
    ]
    assert (entries[1].because, entries[1].response) == ("canonical_moved", "approve")
    assert entries[2].other == again
    assert created.other == opened


def test_it_takes_five_queries(scenario, django_assert_num_queries):
    opened = scenario.propose({"/a.md": "one\n"})
    proposal = scenario.view(opened).proposal

    with django_assert_num_queries(5):
        timeline(proposal)


def test_changed_paths(scenario):
    scenario.advance({"/b.md": "1\n", "/a.md": "1\n"})
    opened = scenario.propose({"/b.md": "2\n", "/a.md": None, "/c.md": "3\n"})

    assert paths_of([opened]) == {opened: ["/a.md", "/b.md", "/c.md"]}
