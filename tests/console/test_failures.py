"""Refusals and failures look like the Console, with their own status."""

from io import BytesIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError

from console.views import stores
from tests.console.conftest import Reader, Scene
from tests.factories import make_store, make_workspace
from wire.ids import new_id


def test_unknown_addresses(scene: Scene, reviewer: Reader, visitor: Reader) -> None:
    assert "There is nothing at this address." in reviewer.text("/no-such-page", answers=404)
    assert "Sign in" in visitor.text("/no-such-page", answers=404)


def test_others_look_like_none(scene: Scene, author: Reader) -> None:
    theirs = make_store(make_workspace(), "their-store")
    hidden = make_store(scene.workspace, "hidden-store")
    pages = [
        author.text(f"/stores/{store}{tab}", answers=404)
        for store in (theirs, hidden, new_id("store"))
        for tab in ("", "/history", "/proposals", "/refs", "/access", "/settings")
    ]
    assert {"memory.not_found" in page for page in pages} == {True}
    assert author.get(f"/proposals/{new_id('proposal')}").status_code == 404


def test_malformed_parameters(scene: Scene, author: Reader) -> None:
    for path, query in (
        (scene.path, {"version": "memver_1"}),
        (scene.path, {"dir": "/a/../b"}),
        (f"{scene.path}/document", {"path": "no-slash"}),
        (f"{scene.path}/history", {"page": "!"}),
        (f"{scene.path}/proposals", {"status": "lost"}),
        (f"{scene.path}/compare/file", {"path": "/a"}),
        ("/", {"store": "x"}),
        ("/", {"q": "\0"}),
        ("/", {"path": "\0"}),
        ("/stores", {"q": "\0"}),
        (scene.path, {"q": "\0"}),
        (f"{scene.path}/proposals", {"q": "\0"}),
    ):
        assert "validation.malformed" in author.text(path, answers=400, **query), path


def test_a_file_that_nobody_asked_for_is_not_stored(
    visitor: Reader, settings: LazySettings
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = "/no/such/folder"
    large = BytesIO(b"x" * 2 * settings.FILE_UPLOAD_MAX_MEMORY_SIZE)
    answer = visitor.post("/sign-in", {"username": "ada", "password": "x", "file": large})
    assert answer.status_code == 422


def test_a_fragment_is_told_in_the_notices(scene: Scene, author: Reader) -> None:
    answer = author.get(f"/stores/{new_id('store')}", htmx=True)
    assert answer.status_code == 404
    assert answer["HX-Retarget"] == "#notices"
    assert b"<html" not in answer.content


def test_an_unreachable_database_is_503(
    scene: Scene, author: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "stores_for_list", _raise(OperationalError("gone")))
    answer = author.get("/stores")
    assert answer.status_code == 503
    assert answer["Retry-After"] == "1"


@pytest.mark.parametrize("path", ["/stores", "/", "/errors", "/sign-in", "/no-such-page"])
def test_an_outage_before_it_is_known_who_asks_is_503_too(
    author: Reader, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    asked: list[None] = []
    fail = _raise(OperationalError("gone"), asked)
    monkeypatch.setattr(SessionStore, "load", fail)
    answer = author.get(path)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "1"
    assert len(asked) == 1, "each attempt costs a person the time that a connection may take"


def test_an_outage_while_signing_in_is_503(
    visitor: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ModelBackend, "authenticate", _raise(OperationalError("gone")))
    answer = visitor.post("/sign-in", {"username": "ada", "password": "a password"})
    assert answer.status_code == 503


def test_a_bug_is_500_with_a_reference(
    scene: Scene, author: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "stores_for_list", _raise(ZeroDivisionError("secret text")))
    page = author.text("/stores", answers=500)
    assert "Reference: inc_" in page
    assert "Request <code>" in page
    assert "secret text" not in page


def _raise(error: Exception, asked: list[None] | None = None) -> Any:
    def fail(*_: Any, **__: Any) -> None:
        if asked is not None:
            asked.append(None)
        raise error

    return fail


def test_the_fence_closes_what_needs_versions(
    scene: Scene, author: Reader, settings: LazySettings
) -> None:
    proposal = scene.propose("Later", {"/later.md": "later\n"})
    settings.VERSIONED_SURFACE = False
    for path in (
        "/",
        scene.path,
        f"{scene.path}/history",
        f"{scene.path}/refs",
        f"{scene.path}/proposals",
        f"{scene.path}/compare",
        f"{scene.path}/propose",
        f"{scene.path}/document?path=/notes.txt",
        f"/proposals/{proposal}",
        f"/stores/{new_id('store')}",
    ):
        page = author.text(path, answers=503)
        assert "The versioned surface is fenced on this deployment." in page, path
    assert author.text(f"{scene.path}/settings").count("(switched off)") == 5
    for path in ("/stores", f"{scene.path}/settings", f"{scene.path}/access", "/access"):
        assert author.get(path).status_code == 200, path


def test_a_failure_says_what_to_do_and_leads_back(scene: Scene, author: Reader) -> None:
    page = author.text("/no-such-page", answers=404)
    assert "these look alike on purpose" in page
    assert "Back to where you were" not in page
    came = {"Referer": f"http://testserver{scene.path}"}
    page = author.client.get("/no-such-page", headers=came).content.decode()
    assert f'href="http://testserver{scene.path}"' in page
    away = {"Referer": "https://elsewhere.example/"}
    assert b"elsewhere.example" not in author.client.get("/no-such-page", headers=away).content


def test_an_admin_is_told_which_grant_a_proposal_needs(
    scene: Scene, admin: Reader, author: Reader
) -> None:
    address = f"/proposals/{scene.propose('Later', {'/later.md': 'later'})}"
    page = admin.text(address, answers=403)
    assert "a grant of <code>read</code> on" in page
    assert f'href="{scene.path}/access"' in page
    assert "Later" not in page
    other = make_store(make_workspace(), "their-store")
    assert other not in admin.text(f"/proposals/{new_id('proposal')}", answers=404)
    assert author.get(address).status_code == 200
