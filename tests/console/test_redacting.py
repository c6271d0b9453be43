"""The erasure wizard: what is shown is what is erased, and nothing else."""

from typing import Any

import pytest
from django.template.loader import render_to_string

from console import responses
from memory.models import DocumentBody, ErasureReport, MemoryStore, PathFence
from memory.queries.documents import read_document
from memory.queries.versions import canonical_id
from proposals.models import Proposal
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.console.conftest import Reader, Scene
from tests.factories import grant, platform

PATH = "/guides/releases.md"


@pytest.fixture
def keeper(scene: Scene, admin: Reader) -> Reader:
    """An admin who may read the store as well."""
    grant(scene.admin, scene.store, "read")
    return admin


def _url(scene: Scene) -> str:
    return f"{scene.path}/erase"


def _look(scene: Scene, reader: Reader, *paths: str, **more: Any) -> Any:
    return reader.post(_url(scene), {"step": "look", "paths": "\r\n".join(paths)} | more)


def _seen(page: str) -> str:
    return page.split('name="seen" value="')[1].split('"', maxsplit=1)[0]


def _confirm(scene: Scene, reader: Reader, paths: str, seen: str, name: str = "team-memory") -> Any:
    form = {"step": "confirm", "paths": paths, "seen": seen, "confirmation": name}
    return reader.post(_url(scene), form)


def test_the_whole_way(scene: Scene, keeper: Reader) -> None:
    before = canonical_id(scene.store)
    settings = keeper.text(f"{scene.path}/settings")
    assert f'href="{_url(scene)}"' in settings
    assert "Find paths" in keeper.text(_url(scene))

    answer = _look(scene, keeper, PATH)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "paths themselves stay" in page
    assert "No other path of this store holds the same text." in page
    assert "In canonical" in page
    assert read_document(scene.store, PATH).text

    done = _confirm(scene, keeper, PATH, _seen(page))
    assert done.status_code == 303
    report = ErasureReport.objects.get(store=scene.store)
    assert done["Location"] == f"/jobs/{report.job_id}"
    told = keeper.text(done["Location"])
    assert "Where erased text may still be" in told
    assert "Verify the store" in told
    assert read_document(scene.store, PATH, before).text is None
    assert PathFence.objects.get(store=scene.store).path == PATH
    assert read_document(scene.store, "/notes.txt").text


def test_paths_are_found_and_picked(scene: Scene, keeper: Reader) -> None:
    scene.approve(scene.propose("Away", {"/notes.txt": None}))
    form = {"step": "find", "q": "NOTES", "paths": PATH}
    page = keeper.post(_url(scene), form).content.decode()
    assert 'name="found" value="/notes.txt"' in page
    assert "only in earlier versions or on other refs" in page
    page = keeper.post(_url(scene), form | {"found": "/notes.txt"}).content.decode()
    assert f"{PATH}\n/notes.txt</textarea>" in page
    nothing = keeper.post(_url(scene), {"step": "find", "q": "nowhere"}).content.decode()
    assert "No document was ever at a path" in nothing
    assert keeper.post(_url(scene), {"step": "find", "q": "a\0"}).status_code == 400


def test_a_document_leads_to_the_wizard(scene: Scene, keeper: Reader, author: Reader) -> None:
    page = keeper.text(f"{scene.path}/document", path=PATH)
    link = page.split(f'href="{_url(scene)}')[1].split('"')[0]
    assert f">\n{PATH}</textarea>" in keeper.text(_url(scene) + link.replace("&amp;", "&"))
    assert _url(scene) not in author.text(f"{scene.path}/document", path=PATH)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Pick or type at least one path."),
        ("  \n", "Pick or type at least one path."),
        ("guides.md", "the path must begin with /"),
        ("/a//b", "the path has an empty segment"),
        ("\n".join(f"/{number}" for number in range(101)), "101 paths; 100 at most"),
    ],
)
def test_paths_are_read_strictly(scene: Scene, keeper: Reader, typed: str, said: str) -> None:
    answer = _look(scene, keeper, typed)
    assert answer.status_code == 422
    assert said in answer.content.decode()


def test_everything_that_goes_or_stays_is_told(scene: Scene, keeper: Reader) -> None:
    scene.approve(scene.propose("Copy", {"/copy.md": "one\ntwo\n"}))
    scene.propose("Touches it", {"/notes.txt": "three\n"})
    page = _look(scene, keeper, "/notes.txt", "/never.md").content.decode()
    assert "1 other path" in page
    assert "/copy.md" in page
    assert "1 open Proposal" in page
    assert "Touches it" in page
    assert "never held a document; it is closed all the same" in page

    more = _look(scene, keeper, "/notes.txt", found="/copy.md").content.decode()
    assert "No other path of this store holds the same text." in more


def test_another_name_erases_nothing(scene: Scene, keeper: Reader) -> None:
    seen = _seen(_look(scene, keeper, PATH).content.decode())
    answer = _confirm(scene, keeper, PATH, seen, "team")
    assert answer.status_code == 422
    assert b"This is not its name." in answer.content
    assert not PathFence.objects.exists()


@pytest.mark.parametrize("event", ["text", "proposal", "copy"])
def test_what_changed_since_erases_nothing_and_is_shown(
    scene: Scene, keeper: Reader, event: str
) -> None:
    seen = _seen(_look(scene, keeper, PATH).content.decode())
    bodies = DocumentBody.objects.count()
    opened = scene.propose(
        "Later",
        {"/copy.md": "# Releasing\n\nWe release on Tuesdays.\n"}
        if event == "copy"
        else {PATH: "other\n"},
    )
    if event != "proposal":
        scene.approve(opened)
    answer = _confirm(scene, keeper, PATH, seen)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "What would be erased changed since you looked" in page
    assert not PathFence.objects.exists()
    assert DocumentBody.objects.count() == bodies + 1
    assert _confirm(scene, keeper, PATH, _seen(page)).status_code == 303
    if event == "proposal":
        assert Proposal.objects.get(id=opened).superseded_because == "redacted"


def test_other_paths_than_those_shown_are_not_erased(scene: Scene, keeper: Reader) -> None:
    seen = _seen(_look(scene, keeper, PATH).content.decode())
    assert _confirm(scene, keeper, "/notes.txt", seen).status_code == 409
    assert _confirm(scene, keeper, "notes", seen).status_code == 400
    assert not PathFence.objects.exists()


def test_whoever_may_not_read_is_told_counts_only(scene: Scene, admin: Reader) -> None:
    scene.approve(scene.propose("Copy", {"/copy.md": "one\ntwo\n"}))
    scene.propose("Touches it", {"/notes.txt": "three\n"})
    first = admin.text(_url(scene))
    assert "its paths are not listed here" in first
    assert 'name="q"' not in first
    answer = _look(scene, admin, "/notes.txt")
    page = answer.content.decode()
    assert "1 other path" in page
    assert "1 open Proposal" in page
    for hidden in ("/copy.md", "Touches it"):
        assert hidden not in page
    assert _confirm(scene, admin, "/notes.txt", _seen(page)).status_code == 303


def test_it_is_for_admins(scene: Scene, reviewer: Reader) -> None:
    assert reviewer.get(_url(scene)).status_code == 403
    assert _confirm(scene, reviewer, PATH, "x").status_code == 403
    assert _url(scene) not in reviewer.text(f"{scene.path}/settings")


def test_what_was_redacted_before_is_not_offered_again(scene: Scene, keeper: Reader) -> None:
    page = _look(scene, keeper, PATH).content.decode()
    assert _confirm(scene, keeper, PATH, _seen(page)).status_code == 303

    again = _look(scene, keeper, PATH).content.decode()

    assert "Nothing is left to erase here." in again
    assert "Erase for ever" not in again


def test_a_store_that_is_being_deleted_is_nowhere(scene: Scene, keeper: Reader) -> None:
    MemoryStore.objects.filter(id=scene.store).update(lifecycle="deleting")
    assert keeper.get(_url(scene)).status_code == 404


def test_an_archived_store_can_be_erased_from(scene: Scene, keeper: Reader) -> None:
    MemoryStore.objects.filter(id=scene.store).update(lifecycle="archived")
    seen = _seen(_look(scene, keeper, PATH).content.decode())
    assert _confirm(scene, keeper, PATH, seen).status_code == 303


def test_a_grant_lost_while_it_is_drawn_is_lost(
    scene: Scene, keeper: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = PermissionAssignment.objects.get(subject_uuid=scene.admin.id)

    def draw(*args: Any, **options: Any) -> Any:
        html = render_to_string(*args, **options)
        monkeypatch.setattr(responses, "render_to_string", render_to_string)
        revoke(caller=platform(scene.workspace), assignment_id=mine.id)
        return html

    monkeypatch.setattr(responses, "render_to_string", draw)
    answer = _look(scene, keeper, "/notes.txt")
    assert answer.status_code == 403
    assert b"/notes.txt" not in answer.content
