"""Contract §0 and M9: a store's review rules over the API, and approvals on a Proposal (P2, P3)."""

import pytest

from memory.models import MemoryStore
from tenancy.models import AuditEntry, Principal
from tests.client import Api, random_id
from tests.factories import make_key, make_service
from tests.proposals.scenario import Scenario, make_scenario
from tests.stores import put_operation

pytestmark = pytest.mark.django_db

DEFAULT = {"minimum_approvals": 1, "rules": []}


@pytest.fixture
def scenario() -> Scenario:
    return make_scenario()


@pytest.fixture
def admin(scenario: Scenario) -> Api:
    return scenario.api(scenario.person("Ada", "read", "admin"))


@pytest.fixture
def address(scenario: Scenario) -> str:
    return f"/v1/memory-stores/{scenario.store_id}/review-rules"


def rule(paths: str = "/guides/**", approvals: int = 1, *reviewers: Principal) -> dict[str, object]:
    return {
        "paths": paths,
        "approvals": approvals,
        "reviewers": [reviewer.id for reviewer in reviewers],
    }


def test_a_store_begins_with_one_approval_and_no_rules(scenario, admin, address):
    answer = scenario.api(scenario.author).get(address).ok()

    assert answer == {"store": scenario.store_id, "version": 1} | DEFAULT


def test_they_are_set_whole_and_read_back(scenario, admin, address):
    wanted = {
        "minimum_approvals": 2,
        "rules": [rule("/legal/**", 1, scenario.reviewer), rule("/**/*.md", 3)],
    }

    changed = admin.put(address, {"version": 1} | wanted).ok()

    assert changed == {"store": scenario.store_id, "version": 2} | wanted
    assert admin.get(address).ok() == changed
    assert (
        admin.put(address, {"version": 2}).ok()
        == {
            "store": scenario.store_id,
            "version": 3,
        }
        | DEFAULT
    )
    told = AuditEntry.objects.filter(event="store.changed").earliest("id").detail
    assert told == {"changed": ["minimum_approvals", "review_rules"], "minimum_approvals": "2"}


def test_M9_another_version_is_a_conflict(admin, address):
    admin.put(address, {"version": 1, "minimum_approvals": 2}).ok()

    assert admin.put(address, {"version": 1}).error == "memory.conflict"


def test_0_only_admin_changes_them(scenario, address):
    for who in (scenario.author, scenario.reviewer):
        refused = scenario.api(who).put(address, {"version": 1, "minimum_approvals": 2})
        assert (refused.status, refused.error) == (403, "policy.denied")
    assert MemoryStore.objects.get(id=scenario.store_id).minimum_approvals == 1


def test_0_whoever_may_not_read_the_store_sees_none(scenario, address):
    stranger = scenario.api(scenario.person("Eve"))

    assert stranger.get(address).status == stranger.put(address, {"version": 1}).status == 404


REFUSED = {
    "minimum_approvals": {"minimum_approvals": 0},
    "minimum_approvals: at most": {"minimum_approvals": 11},
    "rules[0].paths: must begin": {"rules": [rule("guides/**")]},
    "rules[0].paths: two stars": {"rules": [rule("/guides**")]},
    "rules[0].approvals": {"rules": [rule(approvals=0)]},
    "rules[0].reviewers": {"rules": [rule() | {"reviewers": ["memstore_x"]}]},
    "rules[0].who": {"rules": [rule() | {"who": "all"}]},
    "rules": {"rules": [rule()] * 33},
}


@pytest.mark.parametrize("wrong", REFUSED.values(), ids=REFUSED)
def test_0_what_is_no_rule_is_refused_and_named(admin, address, request, wrong):
    field = request.node.callspec.id.partition(":")[0]

    refused = admin.put(address, {"version": 1} | wrong)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert field in refused.message


def test_P3_only_people_of_the_workspace_are_named(scenario, admin, address):
    elsewhere = make_scenario().reviewer
    for stranger in (make_service(scenario.workspace).id, elsewhere.id, random_id("principal")):
        refused = admin.put(address, {"version": 1, "rules": [rule() | {"reviewers": [stranger]}]})
        assert (refused.status, refused.error) == (400, "validation.malformed")
        assert stranger in refused.message


def test_more_approvals_than_reviewers_cannot_be_asked_for(scenario, admin, address):
    refused = admin.put(address, {"version": 1, "rules": [rule("/**", 2, scenario.reviewer)]})

    assert refused.status == 400
    assert refused.message.startswith("rules[0].approvals")


def test_a_proposal_tells_of_approvals_and_of_what_is_missing(scenario, admin, address):
    admin.put(address, {"version": 1, "minimum_approvals": 2, "rules": [rule()]}).ok()
    body = {"title": "A change", "operations": [put_operation("/guides/a.md", "one")]}
    opened = scenario.api(scenario.author).post(scenario.path(), body).ok(201)["id"]
    reviewer = scenario.api(scenario.reviewer)

    answer = {"response": "approve", "note": "Fine."}
    told = reviewer.post(scenario.path(opened, "respond"), answer).ok()

    [approval] = told["approvals"]
    assert (approval["note"], approval["counts"]) == ("Fine.", True)
    assert approval["actor"]["kind"] == "api_key"
    assert (told["status"], told["can_approve"], told["resolution"]) == ("open", False, None)
    counted = [each for each in told["requirements"] if each["rule"] in {"approvals", "path_rule"}]
    assert [(each["rule"], each["satisfied"]) for each in counted] == [
        ("approvals", False),
        ("path_rule", True),
    ]
    assert told == reviewer.pages(scenario.path())[0]

    assert reviewer.delete(scenario.path(opened, "approval"), key=None).status == 204
    assert reviewer.get(scenario.path(opened)).ok()["approvals"] == []
    again = reviewer.delete(scenario.path(opened, "approval"), key=None)
    assert (again.status, again.error) == (404, "memory.not_found")


def test_P3_who_is_only_named_takes_nothing_back(scenario):
    scenario.change(minimum_approvals=2)
    opened = scenario.propose({"/a.md": "one\n"})
    scenario.approve(opened)
    _, secret = make_key(scenario.workspace, may_act_for=[scenario.reviewer])

    named = Api(secret, acting=scenario.reviewer.id)
    refused = named.delete(scenario.path(opened, "approval"), key=None)

    assert (refused.status, refused.error) == (403, "policy.denied")


def test_F1_a_fork_begins_without_review_rules(scenario, admin, address):
    admin.put(address, {"version": 1, "minimum_approvals": 2, "rules": [rule()]}).ok()
    owner = {"kind": "principal", "id": scenario.author.id}
    body = {"source_version": scenario.canonical, "name": "A copy", "owner": owner}

    forked = (
        scenario.api(scenario.author)
        .post(f"/v1/memory-stores/{scenario.store_id}/fork", body)
        .ok(201)
    )

    store = MemoryStore.objects.get(id=forked["store"])
    assert (store.minimum_approvals, store.review_rules) == (1, [])
