"""Contract P1, P3, P5: what is picked from a Proposal is one of its own, by the same authors."""

import pytest

from memory.access import open_store
from memory.actions.redactions import redact
from memory.models import CanonicalWrites
from proposals.actions.pick import pick_changes
from proposals.models import Proposal
from tests.client import Answer
from tests.factories import platform
from tests.proposals.scenario import Scenario, make_scenario, texts_at
from wire.errors import PolicyDenied

pytestmark = pytest.mark.django_db


@pytest.fixture
def scenario() -> Scenario:
    scenario = make_scenario(canonical_writes=CanonicalWrites.DIRECT)
    scenario.write({"/a.md": "one\n", "/old.md": "moves\n"})
    return scenario


@pytest.fixture
def whole(scenario) -> str:
    texts = {"/a.md": "two\n", "/b.md": "b\n", "/old.md": None, "/new.md": "moves\n"}
    return scenario.propose(texts)


def pick(scenario: Scenario, whole: str, *paths: str, by: object = None, key: str = "") -> Answer:
    api = scenario.api(by or scenario.author)  # type: ignore[arg-type]
    body = {"title": "Some of it", "paths": list(paths)}
    return api.post(scenario.path(whole, "pick"), body, key=key)


def test_P1_some_paths_become_a_proposal_and_the_other_stays_open(scenario, whole):
    scenario.write({"/else.md": "else\n"})
    api = scenario.api(scenario.author)
    sent = {"title": "Some of it", "paths": ["/b.md", "/new.md"]}
    made = api.post(scenario.path(whole, "pick"), sent, key="once").ok(201)

    assert made["picked_from"] == whole
    assert (made["base_version"], made["stale"]) == (scenario.canonical, False)
    assert texts_at(made["head_version"]) == {
        "/a.md": "one\n",
        "/b.md": "b\n",
        "/else.md": "else\n",
        "/new.md": "moves\n",
    }
    assert scenario.status(whole) == "open"
    again = api.post(scenario.path(whole, "pick"), sent, key="once").ok(201)
    assert again["id"] == made["id"]
    scenario.approve(made["id"])
    rest = scenario.view(scenario.repropose(whole).proposal_id).proposal
    assert texts_at(rest.head_id)["/a.md"] == "two\n"
    assert rest.changed_path_count == 1


def test_P3_neither_its_author_nor_who_picked_approves_it(scenario, whole):
    picker = scenario.person("Picker", "read", "write", "review")
    author = scenario.person("Second", "read", "write", "review")
    theirs = scenario.propose({"/c.md": "c\n", "/d.md": "d\n"}, by=author)
    made = pick(scenario, theirs, "/c.md", by=picker).ok(201)

    for somebody in (picker, author):
        with pytest.raises(PolicyDenied):
            scenario.approve(made["id"], by=somebody)
    scenario.approve(made["id"])


@pytest.mark.parametrize(
    "paths", [[], ["/nowhere.md"], ["/old.md"], ["/a.md", "/b.md", "/new.md"], ["b.md"]]
)
def test_P1_none_all_or_other_paths_are_refused(scenario, whole, paths):
    assert pick(scenario, whole, *paths).error == "validation.malformed"
    assert Proposal.objects.count() == 1


def test_P4_a_path_that_canonical_changed_too_is_not_picked(scenario, whole):
    scenario.write({"/a.md": "three\n"})
    answer = pick(scenario, whole, "/a.md")
    assert (answer.error, "/a.md" in answer.message) == ("memory.conflict", True)
    pick(scenario, whole, "/b.md").ok(201)


def test_P2_nothing_is_picked_from_what_is_resolved_or_without_write(scenario, whole):
    assert pick(scenario, whole, "/b.md", by=scenario.reviewer).error == "policy.denied"
    scenario.reject(whole)
    assert pick(scenario, whole, "/b.md").error == "memory.conflict"


def test_X1_words_that_came_along_go_with_a_path_of_the_other(scenario, whole):
    made = pick_changes(
        access=scenario.access(), proposal_id=whole, paths=["/b.md"], title="Some of it"
    )
    store = open_store(platform(scenario.workspace), scenario.store_id)
    redact(access=store, paths=["/a.md"])
    assert scenario.view(made.proposal_id).proposal.words_erased_at
