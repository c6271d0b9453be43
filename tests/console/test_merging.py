"""The three diffs of a Proposal, and deciding what both sides changed."""

from typing import Any

import pytest

from memory.models import BodyErasure, DocumentBody, DocumentVersion
from memory.queries.documents import read_document
from memory.queries.versions import canonical_id
from memory.trees.hashing import spell_hash
from proposals.models import Proposal
from tests.console.conftest import Reader, Scene
from tests.stores import hash_of
from wire.times import now

BASE = "".join(f"line {number}\n" for number in range(1, 11))
OURS = BASE.replace("line 2\n", "line two\n")
THEIRS = BASE.replace("line 9\n", "line nine\n")
BOTH = OURS.replace("line 9\n", "line nine\n")


@pytest.fixture
def proposal(scene: Scene) -> str:
    scene.approve(scene.propose("Lines", {"/lines.txt": BASE}))
    return scene.propose("Two", {"/lines.txt": OURS, "/other.txt": "other\n"})


@pytest.fixture
def stale(scene: Scene, proposal: str) -> str:
    scene.approve(scene.propose("Nine", {"/lines.txt": THEIRS, "/moved.txt": "moved\n"}))
    return proposal


def _form(scene: Scene, *, path: str = "/lines.txt", **values: str) -> Any:
    fields = {"path": path, "content_sha256": hash_of(BOTH), "take": "merge"} | values
    named = {f"path-1-{name}": value for name, value in fields.items()}
    return {"canonical_version": canonical_id(scene.store)} | named


def _text(scene: Scene, proposal: Proposal, path: str = "/lines.txt") -> str | None:
    return read_document(scene.store, path, proposal.head_id).text


def _made(answer: Any) -> Proposal:
    assert answer.status_code == 303, answer.content.decode()
    made = Proposal.objects.order_by("-id")[0]
    assert answer["Location"] == f"/proposals/{made.id}"
    return made


def test_what_is_stale_says_whether_it_still_applies(
    scene: Scene, stale: str, author: Reader
) -> None:
    assert "1 path is in conflict" in author.text(f"/proposals/{stale}")
    other = scene.propose("Elsewhere", {"/elsewhere.txt": "here\n"})
    scene.approve(scene.propose("More", {"/more.txt": "more\n"}))
    assert "where all of it still applies" in author.text(f"/proposals/{other}")


def test_three_diffs_while_canonical_is_at_the_base(
    scene: Scene, proposal: str, reviewer: Reader
) -> None:
    page = reviewer.text(f"/proposals/{proposal}")
    assert "show=drift" in page
    assert "show=trial" in page
    assert "Nothing drifted" in reviewer.text(f"/proposals/{proposal}", show="drift")
    trial = reviewer.text(f"/proposals/{proposal}", show="trial")
    assert "so this is the reviewed diff" in trial
    assert "line <mark>two</mark>" in trial
    assert reviewer.get(f"/proposals/{proposal}", show="other").status_code == 400


def test_three_diffs_when_canonical_moved(scene: Scene, stale: str, reviewer: Reader) -> None:
    drift = reviewer.text(f"/proposals/{stale}", show="drift")
    assert "line <mark>nine</mark>" in drift
    assert "/moved.txt" in drift
    assert "line <mark>two</mark>" not in drift
    trial = reviewer.text(f"/proposals/{stale}", show="trial")
    assert 'aria-label="/other.txt"' in trial
    assert 'aria-label="/lines.txt"' not in trial
    assert "1 path does not apply" in trial
    assert f"/proposals/{stale}/merge" in trial


def test_only_the_reviewed_diff_is_decided_on(
    scene: Scene, proposal: str, reviewer: Reader
) -> None:
    for show in ("drift", "trial"):
        page = reviewer.text(f"/proposals/{proposal}", show=show)
        assert 'id="approve"' not in page
        assert 'id="reject"' not in page
        assert "Open the reviewed one to decide" in page
    poll = reviewer.text(f"/proposals/{proposal}", show="trial").split('hx-get="')[1]
    assert "show=trial" in poll.split('"')[0]


def test_what_is_decided_shows_the_reviewed_diff(
    scene: Scene, proposal: str, reviewer: Reader
) -> None:
    scene.approve(proposal)
    page = reviewer.text(f"/proposals/{proposal}", show="trial")
    assert "show=drift" not in page
    assert "line <mark>two</mark>" in page


def test_re_proposing_a_conflict_leads_to_it(scene: Scene, stale: str, reviewer: Reader) -> None:
    answer = reviewer.post(f"/proposals/{stale}/repropose")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Canonical changed the same documents meanwhile." in page
    assert "Refused" not in page
    assert "/lines.txt" in page
    assert "Merges cleanly" in page
    assert f'action="/proposals/{stale}/merge"' in page
    assert Proposal.objects.get(id=stale).status == "open"


def test_the_merge_is_shown_and_nothing_is_chosen(
    scene: Scene, stale: str, reviewer: Reader
) -> None:
    page = reviewer.text(f"/proposals/{stale}/merge")
    assert f'value="{canonical_id(scene.store)}"' in page
    assert f'value="{hash_of(BOTH)}"' in page
    assert "What canonical changed since the base" in page
    assert "line <mark>two</mark>" in page
    assert "checked" not in page
    assert BOTH in page.partition("<textarea")[2]
    answer = reviewer.post(f"/proposals/{stale}/merge", _form(scene, take=""))
    assert answer.status_code == 422
    assert Proposal.objects.get(id=stale).status == "open"


def test_accepting_the_merged_text(scene: Scene, stale: str, reviewer: Reader) -> None:
    before = canonical_id(scene.store)
    made = _made(reviewer.post(f"/proposals/{stale}/merge", _form(scene)))
    assert (_text(scene, made), made.replaces_id, made.base_id) == (BOTH, stale, before)
    assert _text(scene, made, "/other.txt") == "other\n"
    assert "as you resolved it" in reviewer.text(f"/proposals/{made.id}")
    assert canonical_id(scene.store) == before


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"take": "proposal"}, OURS),
        ({"take": "canonical"}, THEIRS),
        ({"take": "content", "text": "by\r\nhand\r\n"}, "by\nhand\n"),
    ],
)
def test_taking_something_else(
    scene: Scene, stale: str, reviewer: Reader, values: dict[str, str], text: str
) -> None:
    made = _made(reviewer.post(f"/proposals/{stale}/merge", _form(scene, **values)))
    assert _text(scene, made) == text


def test_looking_at_what_was_written_first(scene: Scene, stale: str, reviewer: Reader) -> None:
    form = _form(scene, take="content", text=THEIRS.replace("line 1\n", "<b>one</b>\n"))
    answer = reviewer.post(f"/proposals/{stale}/merge", form | {"preview": "yes"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "What you wrote changes this on canonical" in page
    assert "&lt;b&gt;one&lt;/b&gt;" in page
    assert Proposal.objects.get(id=stale).status == "open"


def test_the_same_lines_are_shown_as_contested(
    scene: Scene, proposal: str, reviewer: Reader
) -> None:
    scene.approve(scene.propose("Zwei", {"/lines.txt": BASE.replace("line 2\n", "line zwei\n")}))
    url = f"/proposals/{proposal}/merge"
    page = reviewer.text(url)
    assert "Both changed the same lines" in page
    assert "Conflict 1 of 1: canonical has" in page
    assert "lines that are not contested" in page
    assert 'value="merge"' not in page
    marked = page.partition("<textarea")[2]
    assert "&lt;&lt;&lt;&lt;&lt;&lt;&lt; canonical" in marked

    refused = reviewer.post(url, _form(scene))
    assert refused.status_code == 422
    left = "line 1\n<<<<<<< canonical\nline zwei\n=======\nline two\n>>>>>>> proposal\n"
    refused = reviewer.post(url, _form(scene, take="content", text=left))
    assert refused.status_code == 422
    assert b"marks of a conflict are still in the text" in refused.content
    made = _made(reviewer.post(url, _form(scene, take="content", text="line 1\nline both\n")))
    assert _text(scene, made) == "line 1\nline both\n"


def test_windows_lines_are_kept(scene: Scene, reviewer: Reader) -> None:
    base = BASE.replace("\n", "\r\n")
    scene.approve(scene.propose("Lines", {"/w.txt": base}))
    opened = scene.propose("Two", {"/w.txt": base.replace("line 2", "line two")})
    scene.approve(scene.propose("Nine", {"/w.txt": base.replace("line 9", "line nine")}))
    form = _form(scene, path="/w.txt", take="content", text="one\r\ntwo\r\n")
    assert "CR LF; that is kept" in reviewer.text(f"/proposals/{opened}/merge")
    made = _made(reviewer.post(f"/proposals/{opened}/merge", form))
    assert _text(scene, made, "/w.txt") == "one\r\ntwo\r\n"


def test_canonical_that_moved_meanwhile_shows_the_conflicts_anew(
    scene: Scene, stale: str, reviewer: Reader
) -> None:
    seen = _form(scene, take="content", text="half a thought\n")
    later = THEIRS.replace("line 5\n", "line five\n")
    scene.approve(scene.propose("Five", {"/lines.txt": later}))
    answer = reviewer.post(f"/proposals/{stale}/merge", seen)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Canonical moved since you looked" in page
    assert f'value="{canonical_id(scene.store)}"' in page
    assert "half a thought" in page
    assert "line <mark>five</mark>" in page
    assert Proposal.objects.get(id=stale).status == "open"


def test_another_merged_text_is_not_accepted(scene: Scene, stale: str, reviewer: Reader) -> None:
    form = _form(scene, content_sha256=hash_of("something else"))
    answer = reviewer.post(f"/proposals/{stale}/merge", form)
    assert answer.status_code == 409
    assert b"another one by now: /lines.txt" in answer.content
    assert (
        reviewer.post(f"/proposals/{stale}/merge", _form(scene, content_sha256="x")).status_code
        == 400
    )
    assert Proposal.objects.get(id=stale).status == "open"


def test_an_erased_text_is_not_merged_and_says_so(
    scene: Scene, stale: str, reviewer: Reader
) -> None:
    row = DocumentVersion.objects.filter(path="/lines.txt").order_by("introduced_by")[0]
    DocumentBody.objects.filter(document_version=row).delete()
    BodyErasure.objects.create(document_version=row, reason="retired", erased_at=now())
    page = reviewer.text(f"/proposals/{stale}/merge")
    assert "The text at the base was erased." in page
    assert "Reason: retired" in page
    assert "Nothing can be merged here" in page
    made = _made(reviewer.post(f"/proposals/{stale}/merge", _form(scene, take="proposal")))
    assert _text(scene, made) == OURS


def test_what_is_in_the_way_leaves_the_proposal(scene: Scene, reviewer: Reader) -> None:
    opened = scene.propose("Add", {"/deep": "x\n", "/more.txt": "more\n"})
    scene.approve(scene.propose("Directory", {"/deep/er.txt": "y\n"}))
    page = reviewer.text(f"/proposals/{opened}/merge")
    assert "a document cannot also be another's directory" in page.replace("&#x27;", "'")
    form = _form(scene, path="/deep", take="canonical")
    made = _made(reviewer.post(f"/proposals/{opened}/merge", form))
    assert made.changed_path_count == 1


def test_a_document_deleted_on_one_side(scene: Scene, proposal: str, reviewer: Reader) -> None:
    scene.approve(scene.propose("Away", {"/lines.txt": None}))
    url = f"/proposals/{proposal}/merge"
    page = reviewer.text(url)
    assert "Deleted on one side" in page
    assert "It deleted the document." in page
    made = _made(reviewer.post(url, _form(scene, take="canonical", content_sha256="")))
    assert made.changed_path_count == 1


def test_without_conflicts_there_is_nothing_to_resolve(
    scene: Scene, proposal: str, reviewer: Reader
) -> None:
    answer = reviewer.get(f"/proposals/{proposal}/merge")
    assert (answer.status_code, answer["Location"]) == (303, f"/proposals/{proposal}")
    scene.approve(proposal)
    assert reviewer.get(f"/proposals/{proposal}/merge").status_code == 303


def test_resolving_needs_write(scene: Scene, stale: str, admin: Reader) -> None:
    assert admin.get(f"/proposals/{stale}/merge").status_code == 403


def test_too_many_conflicts_are_said_to_be(
    scene: Scene, reviewer: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.proposals.merging.MOST_PATHS", 1)
    paths = ("/a.txt", "/b.txt")
    opened = scene.propose("Both", dict.fromkeys(paths, "ours\n"))
    scene.approve(scene.propose("Theirs", dict.fromkeys(paths, "theirs\n")))
    page = reviewer.text(f"/proposals/{opened}/merge")
    assert "too many conflicts for one page" in page
    assert "Re-propose with these" not in page


def test_the_diff_hash_of_what_was_reviewed_stays(
    scene: Scene, stale: str, reviewer: Reader
) -> None:
    """A resolution is a new Proposal: the old one and its frozen diff are as they were."""
    before = spell_hash(bytes(Proposal.objects.get(id=stale).diff_hash))
    _made(reviewer.post(f"/proposals/{stale}/merge", _form(scene)))
    assert spell_hash(bytes(Proposal.objects.get(id=stale).diff_hash)) == before
    assert "Superseded" in reviewer.text(f"/proposals/{stale}")
