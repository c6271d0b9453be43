"""Contract P4: drift and trial, and the offered merge inside documents that both sides changed."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory.models import CanonicalWrites, DocumentVersion
from memory.versions.sealing import Put
from proposals.actions.create import NewProposal, create_proposal
from proposals.models import Proposal
from proposals.opening import Words
from tests.client import Answer, Api, random_id
from tests.proposals.scenario import Scenario, make_scenario, operations, texts_at
from tests.stores import hash_of
from wire.times import now

pytestmark = pytest.mark.django_db

BASE = "".join(f"line {number}\n" for number in range(1, 11))
OURS = BASE.replace("line 2\n", "line two\n")
THEIRS = BASE.replace("line 9\n", "line nine\n")
BOTH = OURS.replace("line 9\n", "line nine\n")


@pytest.fixture
def scenario() -> Scenario:
    scenario = make_scenario(canonical_writes=CanonicalWrites.DIRECT)
    scenario.write({"/a.md": BASE, "/b.md": "b\n", "/c.md": "c\n"})
    return scenario


@pytest.fixture
def api(scenario: Scenario) -> Api:
    return scenario.api(scenario.author)


@pytest.fixture
def opened(scenario: Scenario) -> str:
    """Modifies /a.md, deletes /b.md and adds /d.md."""
    return scenario.propose({"/a.md": OURS, "/b.md": None, "/d.md": "d\n"})


def statuses(diff: Any) -> list[tuple[str, str]]:
    return [(row["path"], row["status"]) for row in diff["data"]]


def conflicts(scenario: Scenario, api: Api, opened: str) -> dict[str, Any]:
    found = api.get(scenario.path(opened, "conflicts")).ok()
    return {row["path"]: row for row in found["data"]}


def repropose(
    scenario: Scenario, api: Api, opened: str, *resolutions: Mapping[str, Any], **more: Any
) -> Answer:
    body = {"canonical_version": scenario.canonical, "resolutions": resolutions, **more}
    return api.post(scenario.path(opened, "repropose"), body)


def test_P4_while_canonical_is_at_the_base_nothing_drifted(scenario, api, opened):
    drift = api.get(scenario.path(opened, "drift")).ok()
    trial = api.get(scenario.path(opened, "trial")).ok()
    reviewed = api.get(scenario.path(opened, "diff")).ok()

    assert (drift["data"], drift["base"], drift["head"]) == ([], scenario.canonical, drift["base"])
    assert trial["data"] == reviewed["data"]
    assert (trial["diff_hash"], trial["conflict_count"]) == (reviewed["diff_hash"], 0)
    assert conflicts(scenario, api, opened) == {}


def test_P4_drift_and_trial_tell_what_moved_and_what_still_applies(scenario, api, opened):
    moved = scenario.write({"/a.md": THEIRS, "/c.md": "C\n"})

    drift = api.get(scenario.path(opened, "drift"), {"hunks": "true"}).ok()
    trial = api.get(scenario.path(opened, "trial")).ok()

    assert statuses(drift) == [("/a.md", "modified"), ("/c.md", "modified")]
    assert "+line nine\n" in drift["data"][0]["hunks"]["text"]
    assert statuses(trial) == [("/b.md", "deleted"), ("/d.md", "added")]
    assert (trial["canonical_version"], trial["conflict_count"]) == (moved, 1)
    assert trial["proposal"] == opened


@pytest.mark.parametrize("which", ["drift", "trial", "conflicts"])
def test_P4_pages_go_on_at_the_canonical_that_they_began_with(scenario, api, opened, which):
    scenario.write(dict.fromkeys(("/a.md", "/b.md", "/d.md", "/e.md", "/f.md"), "moved\n"))
    other = scenario.propose({"/g.md": "g\n", "/h.md": "h\n"})
    about = other if which == "trial" else opened
    scenario.write({"/z.md": "z\n"})
    first = api.get(scenario.path(about, which), {"limit": 1}).ok()
    scenario.write({"/a.md": "again\n", "/e.md": None, "/g.md": "g\n", "/h.md": "h\n"})

    second = api.get(scenario.path(about, which), {"limit": 1, "page": first["next_page"]}).ok()

    at = "head" if which == "drift" else "canonical_version"
    assert first[at] == second[at] != scenario.canonical
    assert len({row["path"] for answer in (first, second) for row in answer["data"]}) == 2


def test_P4_a_conflict_comes_with_all_sides_and_the_merged_text(scenario, api, opened):
    moved = scenario.write({"/a.md": THEIRS})

    answer = api.get(scenario.path(opened, "conflicts")).ok()

    [row] = answer["data"]
    assert (answer["canonical_version"], answer["next_page"]) == (moved, None)
    sides = [row[side]["content_sha256"] for side in ("base", "canonical", "proposal")]
    assert sides == [hash_of(BASE), hash_of(THEIRS), hash_of(OURS)]
    assert row["merge"] == {
        "content": BOTH,
        "content_sha256": hash_of(BOTH),
        "media_type": "text/markdown",
        "conflicts": 0,
    }
    assert (row["blocked_by"], row["no_merge"]) == ([], None)


def test_P4_nothing_is_merged_by_itself(scenario, api, opened):
    scenario.write({"/a.md": THEIRS})

    refused = api.post(scenario.path(opened, "repropose"), {})

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert refused.message == "Changed both here and on canonical since: /a.md."


def test_P4_an_accepted_merge_is_what_the_new_head_holds(scenario, api, opened):
    moved = scenario.write({"/a.md": THEIRS})
    merge = conflicts(scenario, api, opened)["/a.md"]["merge"]
    accepted = {"take": "merge", "path": "/a.md", "content_sha256": merge["content_sha256"]}

    made = repropose(scenario, api, opened, accepted).ok(201)

    assert (made["base_version"], made["replaces"], made["status"]) == (moved, opened, "open")
    assert texts_at(made["head_version"]) == {"/a.md": BOTH, "/c.md": "c\n", "/d.md": "d\n"}
    assert scenario.status(opened) == "superseded"
    assert scenario.canonical == moved


@pytest.mark.parametrize(
    ("resolution", "held"),
    [
        ({"take": "canonical"}, THEIRS),
        ({"take": "proposal"}, OURS),
        ({"take": "content", "content": "by hand\n"}, "by hand\n"),
        ({"take": "deletion"}, None),
    ],
)
def test_P4_a_side_another_text_or_none_can_be_taken(scenario, api, opened, resolution, held):
    scenario.write({"/a.md": THEIRS})

    made = repropose(scenario, api, opened, {"path": "/a.md", **resolution}).ok(201)

    assert texts_at(made["head_version"]).get("/a.md") == held


@pytest.mark.parametrize(
    "resolution",
    [{"take": "proposal"}, {"take": "canonical"}, {"take": "content", "content": "by hand\n"}],
)
def test_P4_only_what_is_accepted_is_merged(scenario, api, opened, resolution, monkeypatch):
    scenario.write({"/a.md": THEIRS})
    monkeypatch.setattr("proposals.replays.merges.merge_lines", None)

    assert repropose(scenario, api, opened, {"path": "/a.md", **resolution}).status == 201


def test_P4_a_text_by_hand_has_the_media_type_that_the_merged_one_has(scenario, api, opened):
    [write] = operations(scenario.canonical, {"/a.md": THEIRS})
    put = Put(THEIRS, media_type="text/x-note")
    scenario.change_with((replace(write, change=put),))

    made = repropose(scenario, api, opened, {"path": "/a.md", "take": "content", "content": "x"})

    written = DocumentVersion.objects.get(introduced_by=made.ok(201)["head_version"], path="/a.md")
    assert written.media_type == "text/x-note"


def test_P4_lines_that_both_changed_stand_between_marks_and_cannot_be_accepted(
    scenario, api, opened
):
    scenario.write({"/a.md": BASE.replace("line 2\n", "line zwei\n")})
    merge = conflicts(scenario, api, opened)["/a.md"]["merge"]
    assert merge["conflicts"] == 1
    assert "<<<<<<< canonical\nline zwei\n=======\nline two\n>>>>>>> proposal\n" in merge["content"]
    accepted = {"take": "merge", "path": "/a.md", "content_sha256": merge["content_sha256"]}

    refused = repropose(scenario, api, opened, accepted)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert "do not merge by themselves: /a.md" in refused.message


def test_P4_a_canonical_that_moved_on_ends_the_preview(scenario, api, opened):
    seen = scenario.write({"/a.md": THEIRS})
    merge = conflicts(scenario, api, opened)["/a.md"]["merge"]
    scenario.write({"/c.md": "C\n"})
    accepted = {"take": "merge", "path": "/a.md", "content_sha256": merge["content_sha256"]}

    refused = repropose(scenario, api, opened, accepted, canonical_version=seen)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert scenario.canonical in refused.message
    assert Proposal.objects.count() == 1
    assert repropose(scenario, api, opened, accepted).ok(201)["replaces"] == opened


def test_P4_only_the_merged_text_that_was_seen_is_accepted(scenario, api, opened):
    scenario.write({"/a.md": THEIRS})
    other = {"take": "merge", "path": "/a.md", "content_sha256": hash_of("something else")}

    refused = repropose(scenario, api, opened, other)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert scenario.status(opened) == "open"


def test_P4_every_conflict_needs_a_resolution_and_nothing_else_takes_one(scenario, api, opened):
    scenario.write({"/a.md": THEIRS, "/d.md": "other\n"})
    one = {"take": "canonical", "path": "/a.md"}

    missing = repropose(scenario, api, opened, one)
    foreign = repropose(scenario, api, opened, one, {"take": "canonical", "path": "/c.md"})

    assert (missing.status, missing.message.endswith(": /d.md.")) == (409, True)
    assert (foreign.status, foreign.error) == (400, "validation.malformed")
    assert "/c.md" in foreign.message


@pytest.mark.parametrize(
    "resolutions",
    [
        [{"path": "/a.md"}],
        [{"path": "/a.md", "take": "theirs"}],
        [{"path": "/a.md", "take": "merge"}],
        [{"path": "/a.md", "take": "content"}],
        [{"path": "/a.md", "take": "canonical", "content": "x"}],
        [{"path": "a.md", "take": "canonical"}],
        [{"path": "/a.md", "take": "canonical"}, {"path": "/a.md", "take": "proposal"}],
    ],
)
def test_P4_resolutions_are_read_strictly(scenario, api, opened, resolutions):
    scenario.write({"/a.md": THEIRS})

    refused = repropose(scenario, api, opened, *resolutions)

    assert (refused.status, refused.error) == (400, "validation.malformed")


def test_P4_resolutions_name_the_canonical_they_were_made_on(scenario, api, opened):
    scenario.write({"/a.md": THEIRS})
    body = {"resolutions": [{"path": "/a.md", "take": "canonical"}]}

    refused = api.post(scenario.path(opened, "repropose"), body)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert "canonical_version" in refused.message


def test_P4_a_document_deleted_on_one_side_is_not_merged(scenario, api, opened):
    scenario.write({"/a.md": None, "/b.md": "B\n"})

    found = conflicts(scenario, api, opened)

    assert {row["no_merge"] for row in found.values()} == {"deleted"}
    assert (found["/a.md"]["canonical"], found["/b.md"]["proposal"]) == (None, None)
    made = repropose(
        scenario,
        api,
        opened,
        {"take": "proposal", "path": "/a.md"},
        {"take": "proposal", "path": "/b.md"},
    ).ok(201)
    assert texts_at(made["head_version"]) == {"/a.md": OURS, "/c.md": "c\n", "/d.md": "d\n"}


def test_P4_what_is_in_the_way_is_told_and_the_path_can_be_left_out(scenario, api, opened):
    scenario.write({"/d.md/deep": "x\n"})

    found = conflicts(scenario, api, opened)

    assert (found["/d.md"]["blocked_by"], found["/d.md"]["no_merge"]) == (
        ["/d.md/deep"],
        "blocked",
    )
    anyway = repropose(scenario, api, opened, {"take": "proposal", "path": "/d.md"})
    assert (anyway.status, anyway.error) == (409, "memory.conflict")
    left_out = repropose(scenario, api, opened, {"take": "canonical", "path": "/d.md"}).ok(201)
    assert statuses(api.get(scenario.path(left_out["id"], "diff")).ok()) == [
        ("/a.md", "modified"),
        ("/b.md", "deleted"),
    ]


@pytest.mark.parametrize("where", ["base", "canonical", "proposal"])
def test_P4_an_erased_text_on_any_side_is_not_merged_and_says_so(scenario, api, opened, where):
    scenario.write({"/a.md": THEIRS})
    rows = DocumentVersion.objects.filter(path="/a.md").order_by("introduced_by")
    sides = dict(zip(("base", "proposal", "canonical"), rows, strict=True))
    scenario.erase_one(sides[where])

    row = conflicts(scenario, api, opened)["/a.md"]

    assert (row["merge"], row["no_merge"]) == (None, "erased")
    assert row[where]["erased"]["reason"] == "retired"
    accepted = {"take": "merge", "path": "/a.md", "content_sha256": hash_of(BOTH)}
    refused = repropose(scenario, api, opened, accepted)
    assert (refused.status, "erased: /a.md" in refused.message) == (409, True)
    kept = repropose(scenario, api, opened, {"take": "canonical", "path": "/a.md"})
    assert kept.status == 201


def test_P4_when_canonical_is_taken_everywhere_nothing_is_left(scenario, api):
    opened = scenario.propose({"/a.md": OURS})
    scenario.write({"/a.md": THEIRS})

    for resolution in ({"take": "canonical"}, {"take": "content", "content": THEIRS}):
        refused = repropose(scenario, api, opened, {"path": "/a.md", **resolution})
        assert (refused.status, refused.error) == (409, "memory.conflict")
        assert "nothing left to propose" in refused.message


def test_F1_what_is_made_of_two_texts_outlives_neither(scenario, api):
    soon, later = (now() + timedelta(days=days) for days in (1, 2))
    base = scenario.canonical

    def expiring(text: str, moment: Any) -> tuple[Any, ...]:
        [write] = operations(base, {"/a.md": text})
        return (write.__class__(write.path, Put(text, expires_at=moment), write.expected_sha256),)

    opened = create_proposal(
        access=scenario.access(), proposal=NewProposal(Words("Two"), expiring(OURS, soon))
    ).proposal_id
    scenario.change_with(expiring(THEIRS, later))
    merge = conflicts(scenario, api, opened)["/a.md"]["merge"]
    accepted = {"take": "merge", "path": "/a.md", "content_sha256": merge["content_sha256"]}

    made = repropose(scenario, api, opened, accepted).ok(201)

    written = DocumentVersion.objects.get(introduced_by=made["head_version"])
    assert written.expires_at == soon


def test_P4_a_key_sent_twice_takes_the_same_resolutions(scenario, api, opened):
    scenario.write({"/a.md": THEIRS})
    path = scenario.path(opened, "repropose")
    body = {"canonical_version": scenario.canonical}
    mine = body | {"resolutions": [{"take": "proposal", "path": "/a.md"}]}
    theirs = body | {"resolutions": [{"take": "canonical", "path": "/a.md"}]}

    first = api.post(path, mine, key="same").ok(201)

    assert api.post(path, mine, key="same").ok(201)["id"] == first["id"]
    other = api.post(path, theirs, key="same")
    assert (other.status, other.error) == (409, "memory.conflict")


@pytest.mark.parametrize("which", ["drift", "trial", "conflicts"])
def test_P4_they_are_read_like_any_content(scenario, api, opened, which):
    stranger = scenario.api(scenario.person("Mallory"))
    elsewhere = make_scenario()

    assert stranger.get(scenario.path(opened, which)).status == 404
    assert api.get(scenario.path(random_id("proposal"), which)).status == 404
    assert api.get(elsewhere.path(opened, which)).status == 404
    assert api.get(scenario.path(opened, which), {"side": "x"}).status == 400
    assert api.get(scenario.path(opened, which), {"page": "x"}).status == 400
