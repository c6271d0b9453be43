"""Contract §4 on the wire: routes, shapes, replays and the order of checks."""

from collections.abc import Iterable
from operator import itemgetter
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import MemoryStore
from memory.queries.diffs import Sides, sides_of
from memory.trees.diffs import PathChange
from memory.trees.hashing import spell_hash
from proposals.models import Proposal, ProposalAttempt
from tests.client import Api, random_id
from tests.factories import make_admin_key, make_key, make_workspace
from tests.proposals.scenario import Scenario, make_scenario

pytestmark = pytest.mark.django_db


@pytest.fixture
def scenario() -> Scenario:
    return make_scenario()


@pytest.fixture
def apis(scenario) -> SimpleNamespace:
    """A client of the author, and one of the reviewer."""
    return SimpleNamespace(
        author=scenario.api(scenario.author), reviewer=scenario.api(scenario.reviewer)
    )


def put(path: str, content: str) -> dict[str, object]:
    return {"kind": "put", "path": path, "content": content, "expected_sha256": None}


def change(**fields: object) -> dict[str, object]:
    return {"title": "A change", "operations": [put("/a.md", "one\n")]} | fields


def test_the_shape_of_a_proposal(scenario, apis):
    created = apis.author.post(scenario.path(), change(description="Because.")).ok(201)

    proposal = Proposal.objects.get()
    key = created["author"].pop("key")
    assert key.startswith("akey_")
    assert created["author"] == {"kind": "api_key"}
    requirements = created.pop("requirements")
    safety = created.pop("text_safety")
    assert safety.pop("complete") is True
    assert set(safety.values()) == {0}
    times = created.pop("created_at"), created.pop("updated_at")
    assert times[0] == times[1]
    assert created == {
        "id": proposal.id,
        "store": scenario.store_id,
        "title": "A change",
        "description": "Because.",
        "words_erased": None,
        "base_version": scenario.canonical,
        "head_version": proposal.head_id,
        "diff_hash": spell_hash(proposal.diff_hash),
        "status": "open",
        "stale": False,
        "author": {"kind": "api_key"},
        "changed_paths": 1,
        "added_lines": 1,
        "removed_lines": 0,
        "comments": 0,
        "unresolved_threads": 0,
        "can_approve": False,
        "approvals": [],
        "resolution": None,
        "replaces": None,
        "replaced_by": None,
        "picked_from": None,
    }
    missing = [each for each in requirements if not each["satisfied"]]
    assert [each["rule"] for each in missing] == ["review_grant", "not_the_author"]
    assert missing[0]["who_can"] == [{"id": scenario.reviewer.id, "name": "Bob"}]


def test_the_whole_way_to_canonical(scenario, apis):
    created = apis.author.post(scenario.path(), change()).ok(201)
    shown = apis.reviewer.get(scenario.path(created["id"])).ok()
    assert shown["can_approve"]

    decided = apis.reviewer.post(
        scenario.path(created["id"], "respond"),
        {
            "response": "approve",
            "note": "Good.",
            "base_version": shown["base_version"],
            "head_version": shown["head_version"],
            "diff_hash": shown["diff_hash"],
        },
    ).ok()

    assert decided["status"] == "approved"
    resolution = decided["resolution"]
    assert (resolution["note"], resolution["reason"]) == ("Good.", None)
    assert resolution["by"]["kind"] == "api_key"
    assert scenario.canonical == shown["head_version"]


def test_a_head_version_instead_of_operations(scenario, apis):
    first = apis.author.post(scenario.path(), change()).ok(201)
    spelled = first["head_version"].replace("memver_", "mrev_")

    again = apis.author.post(scenario.path(), {"title": "Again", "head_version": spelled}).ok(201)

    assert again["head_version"] == first["head_version"]
    assert again["diff_hash"] == first["diff_hash"]


def test_a_stale_approval_and_its_re_proposal(scenario, apis):
    created = apis.author.post(scenario.path(), change()).ok(201)
    moved = scenario.advance({"/b.md": "two\n"})
    assert apis.reviewer.get(scenario.path(created["id"])).ok()["stale"]

    decided = apis.reviewer.post(
        scenario.path(created["id"], "respond"), {"response": "approve"}
    ).ok()
    again = apis.author.post(scenario.path(created["id"], "repropose"), {}).ok(201)

    assert decided["status"] == "superseded"
    assert decided["resolution"]["reason"] == "canonical_moved"
    assert scenario.canonical == moved
    assert (again["replaces"], again["base_version"]) == (created["id"], moved)
    assert apis.author.get(scenario.path(created["id"])).ok()["replaced_by"] == again["id"]


def test_re_proposing_needs_no_body(scenario, apis):
    created = apis.author.post(scenario.path(), change()).ok(201)
    scenario.advance({"/b.md": "two\n"})

    assert apis.author.post(scenario.path(created["id"], "repropose")).ok(201)


class TestDiffs:
    def test_it_is_the_frozen_difference(self, scenario, apis):
        opened = scenario.propose({"/a.md": "one\n", "/b.md": "two\n"})
        scenario.advance({"/c.md": "three\n"})

        diff = apis.reviewer.get(scenario.path(opened, "diff"), {"hunks": "true"}).ok()

        shown = apis.reviewer.get(scenario.path(opened)).ok()
        for field, of_proposal in (
            ("base", "base_version"),
            ("head", "head_version"),
            ("diff_hash", "diff_hash"),
        ):
            assert diff[field] == shown[of_proposal]
        assert [(row["path"], row["status"]) for row in diff["data"]] == [
            ("/a.md", "added"),
            ("/b.md", "added"),
        ]
        assert diff["data"][0]["lines"] == {"added": 1, "removed": 0}
        assert "+one\n" in diff["data"][0]["hunks"]["text"]

    def test_an_erased_side_says_so(self, scenario, apis):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.erase("/a.md")

        [row] = apis.reviewer.get(scenario.path(opened, "diff")).ok()["data"]

        assert row["after"]["erased"]["reason"] == "retired"
        assert row["lines"] is None

    def test_it_takes_no_versions_of_its_own(self, scenario, apis):
        opened = scenario.propose({"/a.md": "one\n"})

        answer = apis.reviewer.get(scenario.path(opened, "diff"), {"base": scenario.canonical})

        assert (answer.status, answer.error) == (400, "validation.malformed")

    def test_it_is_looked_at_again_before_it_leaves(self, scenario, apis, monkeypatch):
        """Contract R5: an erasure that wins is a 409."""
        opened = scenario.propose({"/a.md": "one\n"})

        def erase_once_read(changes: Iterable[PathChange]) -> list[Sides]:
            sides = sides_of(changes)
            scenario.erase("/a.md")
            MemoryStore.objects.filter(id=scenario.store_id).update(erasure_epoch=1)
            return sides

        monkeypatch.setattr("memory.api.diffs.sides_of", erase_once_read)
        answer = apis.reviewer.get(scenario.path(opened, "diff"))

        assert (answer.status, answer.error) == (409, "memory.conflict")


class TestReplays:
    def test_each_is_told_by_a_header(self, scenario, apis):
        created = apis.author.post(scenario.path(), change(), key="create")
        opened = created.ok(201)["id"]
        scenario.advance({"/b.md": "two\n"})
        reproposed = apis.author.post(scenario.path(opened, "repropose"), {}, key="repropose")
        route = scenario.path(reproposed.ok(201)["id"], "respond")
        responded = apis.reviewer.post(route, {"response": "approve"}, key="respond")

        for answer in (created, reproposed, responded):
            assert "Checkfu-Replayed" not in answer.headers
        again = [
            apis.author.post(scenario.path(), change(), key="create"),
            apis.author.post(scenario.path(opened, "repropose"), {}, key="repropose"),
            apis.reviewer.post(route, {"response": "approve"}, key="respond"),
        ]
        assert [answer.headers["Checkfu-Replayed"] for answer in again] == ["true"] * 3
        assert [answer.status for answer in again] == [201, 201, 200]
        assert again[0].body["id"] == opened
        assert again[1].body["id"] == reproposed.body["id"]
        assert again[2].body["status"] == "approved"
        assert Proposal.objects.count() == 3

    def test_other_input_with_the_same_key_is_a_conflict(self, scenario, apis):
        created = apis.author.post(scenario.path(), change(), key="same").ok(201)
        other = apis.author.post(scenario.path(), change(title="Another"), key="same")
        route = scenario.path(created["id"], "respond")
        apis.reviewer.post(route, {"response": "reject"}, key="same").ok()

        again = apis.reviewer.post(route, {"response": "reject", "note": "x"}, key="same")

        assert (other.status, again.status) == (409, 409)
        assert other.error == again.error == "memory.conflict"

    @pytest.mark.parametrize("verb", ["", "respond", "repropose"])
    def test_a_key_is_required(self, scenario, apis, verb):
        created = apis.author.post(scenario.path(), change()).ok(201)
        bodies = {"": change(), "respond": {"response": "reject"}, "repropose": {}}
        path = scenario.path(created["id"] if verb else "", verb)

        answer = apis.author.post(path, bodies[verb], key=None)

        assert (answer.status, answer.error) == (400, "validation.malformed")
        assert "Idempotency-Key" in answer.message


class TestInput:
    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"title": ""}, "title"),
            ({"title": "x" * 201}, "title"),
            ({"title": 7}, "title"),
            ({"description": None}, "description"),
            ({"description": "x" * 4_097}, "description"),
            ({"base_version": "mprop_" + "0" * 32}, "base_version"),
            ({"operations": []}, "operations"),
            ({"operations": [put("a.md", "one\n")]}, "path"),
            ({"operations": [put("/a.md", "1"), put("/a.md", "2")]}, "operations"),
            ({"operations": [put("/a.md", "x" * 102_401)]}, "content"),
            ({"operations": None}, "head_version or operations"),
            ({"head_version": "memver_" + "0" * 32}, "head_version or operations"),
            ({"note": "x"}, "note"),
        ],
    )
    def test_a_malformed_proposal_is_400_and_names_the_field(self, scenario, apis, fields, named):
        answer = apis.author.post(scenario.path(), change(**fields))

        assert (answer.status, answer.error) == (400, "validation.malformed")
        assert named in answer.message

    @pytest.mark.parametrize(
        ("body", "named"),
        [
            ({}, "response"),
            ({"response": "superseded"}, "response"),
            ({"response": "approved"}, "response"),
            ({"response": "approve", "note": "x" * 4_097}, "note"),
            ({"response": "approve", "diff_hash": "sha256:"}, "diff_hash"),
            ({"response": "approve", "base_version": "here"}, "base_version"),
            ({"response": "approve", "status": "open"}, "status"),
        ],
    )
    def test_a_malformed_response_is_400(self, scenario, apis, body, named):
        created = apis.author.post(scenario.path(), change()).ok(201)

        answer = apis.reviewer.post(scenario.path(created["id"], "respond"), body)

        assert (answer.status, answer.error) == (400, "validation.malformed")
        assert named in answer.message
        assert not ProposalAttempt.objects.exists()

    def test_an_empty_proposal_is_400(self, scenario, apis):
        head = scenario.canonical

        answer = apis.author.post(scenario.path(), {"title": "None", "head_version": head})

        assert (answer.status, answer.error) == (400, "validation.malformed")
        assert "empty" in answer.message

    @pytest.mark.parametrize("query", [{"status": "pending"}, {"author": "bob"}, {"colour": "red"}])
    def test_a_malformed_query_is_400(self, scenario, apis, query):
        answer = apis.author.get(scenario.path(), query)

        assert (answer.status, answer.error) == (400, "validation.malformed")
        assert next(iter(query)) in answer.message

    def test_re_proposing_takes_nothing(self, scenario, apis):
        created = apis.author.post(scenario.path(), change()).ok(201)

        answer = apis.author.post(scenario.path(created["id"], "repropose"), {"title": "x"})

        assert (answer.status, answer.error) == (400, "validation.malformed")


class TestOrderOfChecks:
    """Contract §0: fetch 404, then syntax 400, then the grant 403, then the lifecycle 403."""

    @pytest.mark.parametrize("verb", ["respond", "repropose"])
    def test_a_proposal_of_another_store_is_404_before_400(self, scenario, apis, verb):
        foreign = make_scenario().propose({"/a.md": "one\n"})

        for unknown in (foreign, random_id("proposal")):
            answer = apis.author.post(scenario.path(unknown, verb), {"colour": "red"})
            assert (answer.status, answer.error) == (404, "memory.not_found")

    def test_a_store_one_may_not_read_answers_like_none(self, scenario):
        created = scenario.propose({"/a.md": "one\n"})
        stranger = scenario.api(scenario.person("Carol"))
        elsewhere = Api(make_key(make_workspace())[1])

        for api in (stranger, elsewhere):
            for answer in (
                api.get(scenario.path()),
                api.get(scenario.path(created)),
                api.post(scenario.path(), change()),
                api.post(scenario.path(created, "respond"), {"response": "approve"}),
            ):
                assert (answer.status, answer.error) == (404, "memory.not_found")
        assert not ProposalAttempt.objects.exists()

    def test_an_admin_key_has_no_content_access(self, scenario):
        created = scenario.propose({"/a.md": "one\n"})
        admin = Api(make_admin_key(scenario.workspace)[1])

        for answer in (
            admin.get(scenario.path()),
            admin.get(scenario.path(created)),
            admin.post(scenario.path(), change()),
            admin.post(scenario.path(created, "respond"), {"response": "approve"}),
            admin.post(scenario.path(created, "repropose"), {}),
        ):
            assert (answer.status, answer.error) == (403, "policy.denied")

    def test_syntax_comes_before_the_grant(self, scenario, apis):
        created = scenario.propose({"/a.md": "one\n"})

        answer = apis.author.post(scenario.path(created, "respond"), {"response": 1})

        assert answer.status == 400

    def test_the_grant_comes_before_the_lifecycle(self, scenario, apis):
        created = scenario.propose({"/a.md": "one\n"})
        scenario.archive()
        route = scenario.path(created, "respond")

        denied = apis.author.post(route, {"response": "approve"})
        read_only = apis.reviewer.post(route, {"response": "approve"})

        assert (denied.status, denied.error) == (403, "policy.denied")
        assert (read_only.status, read_only.error) == (403, "memory.read_only")
        assert apis.reviewer.get(scenario.path(created)).ok()["status"] == "open"

    def test_the_fence_closes_all_of_it(self, scenario, apis, settings):
        created = scenario.propose({"/a.md": "one\n"})
        settings.VERSIONED_SURFACE = False

        for answer in (
            apis.reviewer.get(scenario.path()),
            apis.reviewer.get(scenario.path(created)),
            apis.reviewer.get(scenario.path(created, "diff")),
            apis.reviewer.post(scenario.path(random_id("proposal"), "respond"), {}),
            apis.author.post(scenario.path(created, "repropose"), {}),
            apis.author.post(scenario.path(), change()),
        ):
            assert (answer.status, answer.error) == (503, "memory.backend_unavailable")


class TestLists:
    def test_newest_first_and_page_by_page(self, scenario, apis):
        opened = [scenario.propose({"/a.md": f"{number}\n"}) for number in range(5)]

        rows = apis.reviewer.pages(scenario.path(), {"limit": 2})

        assert [row["id"] for row in rows] == opened[::-1]
        assert all(row["can_approve"] for row in rows)

    def test_a_row_is_what_the_resource_is(self, scenario, apis):
        opened = scenario.propose({"/a.md": "one\n"})

        [row] = apis.reviewer.get(scenario.path()).ok()["data"]

        assert row == apis.reviewer.get(scenario.path(opened)).ok()

    def test_by_status(self, scenario, apis):
        rejected, opened = (scenario.propose({"/a.md": text}) for text in ("1\n", "2\n"))
        scenario.reject(rejected)

        def ids(status: str) -> list[str]:
            rows = apis.reviewer.get(scenario.path(), {"status": status}).ok()["data"]
            return list(map(itemgetter("id"), rows))

        assert ids("open") == [opened]
        assert ids("rejected") == [rejected]
        assert ids("superseded") == []

    def test_by_author_through_their_keys(self, scenario, apis):
        by_person = scenario.propose({"/a.md": "1\n"})
        by_key = apis.author.post(scenario.path(), change()).ok(201)
        scenario.propose({"/a.md": "3\n"}, by=scenario.key("read", "write"))

        def ids(author: str) -> set[str]:
            return {row["id"] for row in apis.reviewer.pages(scenario.path(), {"author": author})}

        assert ids(scenario.author.id) == {by_person, by_key["id"]}
        assert ids(by_key["author"]["key"]) == {by_key["id"]}
        assert ids(scenario.reviewer.id) == set()

    def test_proposals_of_other_stores_are_elsewhere(self, scenario, apis):
        make_scenario().propose({"/a.md": "one\n"})

        assert apis.reviewer.get(scenario.path()).ok() == {"data": [], "next_page": None}

    def test_its_queries_do_not_grow(self, scenario, apis):
        def queries_of(length: int) -> int:
            with CaptureQueriesContext(connection) as queries:
                assert len(apis.reviewer.get(scenario.path()).ok()["data"]) == length
            return len(queries)

        scenario.propose({"/a.md": "0\n"})
        of_one = queries_of(1)
        for number in range(1, 6):
            scenario.propose({"/a.md": f"{number}\n"}, by=scenario.key("read", "write"))

        assert queries_of(6) == of_one
