"""Opening a Proposal from a plain form."""

from typing import Any

from memory.queries.documents import read_document
from memory.queries.versions import canonical_id
from proposals.models import Proposal
from tests.browser.world import erase_body
from tests.console.conftest import Reader, Scene


def _form(scene: Scene, **values: str) -> dict[str, str]:
    return {
        "base_version": canonical_id(scene.store),
        "title": "A change",
        "description": "",
    } | values


def _opened(scene: Scene, answer: Any) -> Proposal:
    assert answer.status_code == 303, answer.content.decode()
    proposal = Proposal.objects.order_by("-id")[0]
    assert answer["Location"] == f"/proposals/{proposal.id}"
    return proposal


def _text(scene: Scene, proposal: Proposal, path: str) -> str | None:
    return read_document(scene.store, path, proposal.head_id).text


def test_adding_a_document(scene: Scene, author: Reader) -> None:
    form = _form(
        scene, path="/new.md", text="\r\n# New\r\n", media_type="", description="Why\r\nnot"
    )
    proposal = _opened(scene, author.post(f"{scene.path}/propose", form))
    assert _text(scene, proposal, "/new.md") == "\n# New\n"
    assert proposal.description == "Why\nnot"
    assert proposal.base_id == form["base_version"]
    assert read_document(scene.store, "/new.md", proposal.head_id).media_type == "text/markdown"


def test_editing_a_document(scene: Scene, author: Reader) -> None:
    url = f"{scene.path}/propose?path=/notes.txt"
    assert "one\ntwo\n</textarea>" in author.text(url)
    answer = author.post(url, _form(scene, text="one\r\n2\r\n"))
    assert _text(scene, _opened(scene, answer), "/notes.txt") == "one\n2\n"


def test_windows_lines_are_kept(scene: Scene, author: Reader) -> None:
    scene.approve(scene.propose("Windows", {"/w.txt": "one\r\ntwo\r\n"}))
    url = f"{scene.path}/propose?path=/w.txt"
    assert "CR LF; that is kept" in author.text(url)
    answer = author.post(url, _form(scene, text="one\r\n2\r\n"))
    assert _text(scene, _opened(scene, answer), "/w.txt") == "one\r\n2\r\n"


def test_looking_at_the_diff_first_opens_nothing(scene: Scene, author: Reader) -> None:
    before = Proposal.objects.count()
    url = f"{scene.path}/propose?path=/notes.txt"
    answer = author.post(url, _form(scene, text="one\n<b>2</b>\n", preview="yes", title=""))
    page = answer.content.decode()
    assert "The change, as a reviewer will see it" in page
    assert "&lt;b&gt;" in page
    assert "<b>2" not in page
    assert Proposal.objects.count() == before


def test_deleting_a_document(scene: Scene, author: Reader) -> None:
    url = f"{scene.path}/propose?path=/notes.txt&operation=delete"
    assert "two" in author.text(url)
    _opened(scene, author.post(url, _form(scene)))
    erase_body(scene.store, "/guides/releases.md")
    url = f"{scene.path}/propose?path=/guides/releases.md&operation=delete"
    assert "was erased already" in author.text(url)
    _opened(scene, author.post(url, _form(scene)))
    edit = author.get(f"{scene.path}/propose", path="/guides/releases.md")
    assert edit.status_code == 409


def test_a_base_that_moved_is_stale_at_birth(scene: Scene, author: Reader) -> None:
    form = _form(scene, text="three\n")
    scene.approve(scene.propose("Meanwhile", {"/notes.txt": "meanwhile\n"}))
    proposal = _opened(scene, author.post(f"{scene.path}/propose?path=/notes.txt", form))
    assert proposal.base_id == form["base_version"]
    assert "Canonical moved since" in author.text(f"/proposals/{proposal.id}")


def test_what_cannot_be_proposed(scene: Scene, author: Reader) -> None:
    url = f"{scene.path}/propose"
    for wrong, status, told in (
        ({"path": "relative.md"}, 422, "must begin with /"),
        ({"path": "/a//b"}, 422, "normalized form is /a/b"),
        ({"path": "/notes.txt"}, 409, "/notes.txt"),
        ({"path": "/notes.txt/below"}, 409, "another&#x27;s directory"),
        ({"path": "/x.md", "media_type": "nonsense"}, 422, "type/subtype"),
        ({"path": "/x.md", "text": "x" * 102_401}, 422, "102,400"),
        ({"path": "/x.md", "title": "two\nlines"}, 422, "one line"),
        ({"path": "/x.md", "title": ""}, 422, "required"),
    ):
        form = _form(scene, text="text\n") | wrong
        answer = author.post(url, form)
        assert answer.status_code == status, (wrong, answer.status_code)
        assert told in answer.content.decode(), wrong
    same = author.post(f"{url}?path=/notes.txt", _form(scene, text="one\ntwo\n"))
    assert same.status_code == 400
    assert b"they change nothing" in same.content


def test_proposing_needs_write(scene: Scene, admin: Reader) -> None:
    assert admin.get(f"{scene.path}/propose").status_code == 403
