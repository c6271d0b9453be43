"""The queue, the review page, and decisions on exactly what was seen."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.models import RefMove
from memory.queries.versions import canonical_id
from memory.trees.hashing import spell_hash
from proposals.models import Proposal
from tests.browser.world import decide, erase_body
from tests.console.conftest import Reader, Scene


@pytest.fixture
def proposal(scene: Scene) -> str:
    return scene.propose(
        "On Wednesdays", {"/guides/releases.md": "# Releasing\n\nWe release on Wednesdays.\n"}
    )


def _seen(proposal: str, response: str = "approve", **changed: str) -> dict[str, str]:
    row = Proposal.objects.get(id=proposal)
    return {
        "response": response,
        "base_version": row.base_id,
        "head_version": row.head_id,
        "diff_hash": spell_hash(bytes(row.diff_hash)),
        "note": "",
    } | changed


def _respond(reader: Reader, proposal: str, response: str = "approve", **changed: str) -> Any:
    return reader.post(f"/proposals/{proposal}/respond", _seen(proposal, response, **changed))


def test_the_queue_of_each_person(
    scene: Scene, proposal: str, author: Reader, reviewer: Reader
) -> None:
    waiting = reviewer.text("/").split('id="waiting-head"')[1].split("</section>")[0]
    assert "On Wednesdays" in waiting
    page = author.text("/")
    assert "Nothing waits for you" in page
    assert "On Wednesdays" in page.split('id="mine-head"')[1]
    assert "Recently decided" in page


def test_the_queue_is_filtered(scene: Scene, proposal: str, reviewer: Reader) -> None:
    assert "On Wednesdays" in reviewer.text("/", q="wednes")
    assert "On Wednesdays" in reviewer.text("/", path="releases")
    assert "On Wednesdays" in reviewer.text("/", store=scene.store)
    assert "On Wednesdays" not in reviewer.text("/", q="sundays")
    assert "Nothing that waits for you matches" in reviewer.text("/", path="/nowhere")


def test_the_queue_costs_the_same_however_long_it_is(
    scene: Scene, reviewer: Reader, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        scene.propose(f"Number {number}", {f"/n{number}.md": "n\n"})
    with django_assert_max_num_queries(24):
        page = reviewer.text("/")
    assert "Number 11" in page


def test_the_review_page(
    scene: Scene,
    proposal: str,
    reviewer: Reader,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_max_num_queries(28):
        page = reviewer.text(f"/proposals/{proposal}")
    assert "Approving moves canonical of <strong>team-memory</strong> from" in page
    assert "We release on <mark>Wednesdays</mark>." in page
    assert "All of it is met" in page
    for value in filter(None, _seen(proposal).values()):
        assert f'value="{value}"' in page
    assert "Ada Author" in page.split('id="timeline-head"')[1]


def test_approving_moves_canonical_to_the_reviewed_head(
    scene: Scene, proposal: str, reviewer: Reader
) -> None:
    answer = _respond(reviewer, proposal, note="Good.\r\nThanks.")
    assert (answer.status_code, answer["Location"]) == (303, f"/proposals/{proposal}")
    assert canonical_id(scene.store) == Proposal.objects.get(id=proposal).head_id
    page = reviewer.text(f"/proposals/{proposal}")
    assert "Canonical is exactly the reviewed head now." in page
    assert "Good.\nThanks." in page
    assert "/respond" not in page


def test_rejecting_leaves_canonical(scene: Scene, proposal: str, reviewer: Reader) -> None:
    before = canonical_id(scene.store)
    assert _respond(reviewer, proposal, "reject", note="No.").status_code == 303
    assert canonical_id(scene.store) == before
    assert "Rejected" in reviewer.text(f"/proposals/{proposal}")


@pytest.mark.parametrize("field", ["base_version", "head_version", "diff_hash"])
def test_what_was_seen_must_be_what_is_decided(
    scene: Scene, proposal: str, reviewer: Reader, field: str
) -> None:
    other = scene.propose("Something else", {"/else.md": "else\n"})
    moved = canonical_id(scene.store)
    wrong = {"base_version": "memver_" + "0" * 32} | {
        name: _seen(other)[name] for name in ("head_version", "diff_hash")
    }
    answer = _respond(reviewer, proposal, **{field: wrong[field]})
    assert answer.status_code == 409
    page = answer.content.decode()
    assert f"it differs in {field}" in page
    assert f'href="/proposals/{proposal}?layout=split#diff"' in page
    assert "tried to approve and was refused" in page
    assert canonical_id(scene.store) == moved


def test_a_stale_approval_becomes_superseded(scene: Scene, proposal: str, reviewer: Reader) -> None:
    scene.approve(scene.propose("First", {"/first.md": "first\n"}))
    page = reviewer.text(f"/proposals/{proposal}")
    assert "Canonical moved since this Proposal" in page
    assert "/first.md" in page
    assert f"/proposals/{proposal}/repropose" in page
    before = canonical_id(scene.store)
    assert _respond(reviewer, proposal).status_code == 303
    assert canonical_id(scene.store) == before
    after = reviewer.text(f"/proposals/{proposal}")
    assert "Superseded" in after
    assert "nothing was changed" in after

    answer = reviewer.post(f"/proposals/{proposal}/repropose")
    new = answer["Location"].rpartition("/")[2]
    page = reviewer.text(answer["Location"])
    assert "We release on <mark>Wednesdays</mark>." in page
    assert f"/proposals/{proposal}" in page
    assert Proposal.objects.get(id=new).base_id == before
    assert f"/proposals/{new}" in reviewer.text(f"/proposals/{proposal}")


def test_conflicting_changes_are_named_when_reproposed(
    scene: Scene, proposal: str, reviewer: Reader
) -> None:
    scene.approve(scene.propose("Other", {"/guides/releases.md": "# Nothing alike\n"}))
    assert "changed here too" in reviewer.text(f"/proposals/{proposal}")
    answer = reviewer.post(f"/proposals/{proposal}/repropose")
    assert answer.status_code == 409
    assert b"/guides/releases.md" in answer.content


def test_authors_do_not_approve_their_own(scene: Scene, reviewer: Reader) -> None:
    own = scene.propose("Mine", {"/mine.md": "mine\n"}, by=scene.reviewer)
    page = reviewer.text(f"/proposals/{own}")
    assert "You are an author of this Proposal" in page
    assert 'id="approve"' not in page
    answer = _respond(reviewer, own)
    assert answer.status_code == 403
    assert b"authors do not approve their own here" in answer.content
    assert _respond(reviewer, own, "reject").status_code == 303


def test_without_review_nothing_is_offered(scene: Scene, proposal: str, author: Reader) -> None:
    page = author.text(f"/proposals/{proposal}")
    assert "This needs a grant of <code>review</code>" in page
    assert "Can: Robin Reviewer" in page
    assert "Reject…" not in page
    assert _respond(author, proposal).status_code == 403


def test_words_do_not_hide_anything_either(scene: Scene, reviewer: Reader) -> None:
    title = "On \N{RIGHT-TO-LEFT OVERRIDE}sdrawkcab"
    proposal = scene.propose(title, {"/notes.txt": "three\n"})
    _respond(reviewer, proposal, note="Fine\N{ZERO WIDTH SPACE}ly")
    version = canonical_id(scene.store)

    for page in (
        "/",
        f"/proposals/{proposal}",
        f"{scene.path}/proposals",
        f"{scene.path}/history",
        f"{scene.path}/versions/{version}",
        f"{scene.path}/document?path=/notes.txt",
    ):
        body = reviewer.text(page).partition("<main")[2]
        assert "U+202E" in body, page
        assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in body, page
    assert "U+200B" in reviewer.text(f"/proposals/{proposal}")


def test_an_incomplete_form_decides_nothing(scene: Scene, proposal: str, reviewer: Reader) -> None:
    for missing in ("response", "base_version", "head_version", "diff_hash"):
        form = {name: value for name, value in _seen(proposal).items() if name != missing}
        answer = reviewer.post(f"/proposals/{proposal}/respond", form)
        assert answer.status_code == 400, missing
    assert _respond(reviewer, proposal, diff_hash="sha256:x").status_code == 400
    assert Proposal.objects.get(id=proposal).status == "open"


def test_an_erased_body_cannot_be_approved(scene: Scene, reviewer: Reader) -> None:
    proposal = scene.propose("Edit notes", {"/notes.txt": "other\n"})
    erase_body(scene.store, "/notes.txt")
    page = reviewer.text(f"/proposals/{proposal}")
    assert "The body before was erased." in page
    assert "Touches an erased path" in reviewer.text("/")
    assert _respond(reviewer, proposal).status_code == 409


def test_the_state_is_polled(scene: Scene, proposal: str, reviewer: Reader) -> None:
    page = reviewer.text(f"/proposals/{proposal}")
    poll = page.split('hx-get="')[1].split('"')[0].replace("&amp;", "&")
    assert reviewer.get(poll, htmx=True).status_code == 204
    scene.approve(scene.propose("First", {"/first.md": "first\n"}))
    moved = reviewer.get(poll, htmx=True)
    assert moved.status_code == 200
    assert b'hx-swap-oob="true"' in moved.content
    assert b"Re-propose" in moved.content
    decide(scene.reviewer, scene.store, proposal, "reject")
    ended = reviewer.get(poll, htmx=True)
    assert ended.status_code == 286
    assert b"Reload the page" in ended.content
    assert "<html" in reviewer.text(f"/proposals/{proposal}/state", answers=286)


def test_a_store_lists_its_proposals(scene: Scene, proposal: str, author: Reader) -> None:
    page = author.text(f"{scene.path}/proposals")
    assert "On Wednesdays" in page
    assert "Begin" in page
    assert "Begin" not in author.text(f"{scene.path}/proposals", status="open")
    assert "No Proposal matches" in author.text(f"{scene.path}/proposals", status="rejected")


def test_two_reviewers_at_once(
    scene: Scene, proposal: str, reviewer: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _respond(reviewer, proposal).status_code == 303
    moves = RefMove.objects.count()
    assert _respond(reviewer, proposal).status_code == 303
    late = _respond(reviewer, proposal, "reject")
    assert late.status_code == 409
    assert b"already approved" in late.content
    assert RefMove.objects.count() == moves
