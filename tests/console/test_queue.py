"""The review queue: filters in its address, saved views, whose turn, section by section."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.access import open_store
from memory.actions.stores import StoreChanges, change_store
from proposals.models import SavedView
from tests.browser.world import decide
from tests.console.conftest import Reader, Scene
from tests.factories import caller_for, grant, make_key, make_person, make_store

pytestmark = pytest.mark.django_db


def save(reader: Reader, name: str, *, default: bool = False, **filters: str) -> str:
    """Save a view; the address that it leads to."""
    sent = {"name": name, **filters} | ({"is_default": "on"} if default else {})
    answer = reader.post("/views/save", sent)
    assert answer.status_code == 303, answer.content
    return str(answer["Location"])


class TestFilters:
    def test_each_narrows_the_page(self, scene: Scene, reviewer: Reader) -> None:
        scene.propose("Explain retries", {"/retries.md": "1\n"})
        key, _ = make_key(scene.workspace, name="Robot")
        grant(key, scene.store, "read", "write")
        other = make_person(scene.workspace, "Olga Other")
        grant(other, scene.store, "read", "write")
        scene.propose("Other words", {"/other.md": "1\n"}, by=other)

        queries: list[dict[str, Any]] = [
            {"q": "retries"},
            {"path": "retries"},
            {"author": scene.author.id, "status": "open"},
        ]
        for query in queries:
            page = reviewer.text("/", **query)
            assert "Explain retries" in page, query
            assert "Other words" not in page, query
        assert "Explain retries" in reviewer.text("/", store=scene.store)
        assert "Explain retries" not in reviewer.text("/", status="approved")
        assert "Begin" in reviewer.text("/", status="approved")

    def test_the_form_says_what_is_chosen(self, scene: Scene, reviewer: Reader) -> None:
        page = reviewer.text("/", author=scene.author.id, status="open", q="a", path="/b")
        assert f'<option value="{scene.author.id}" selected>Ada Author' in page
        assert '<option value="open" selected>' in page
        assert 'value="a" data-key-search' in page

    @pytest.mark.parametrize(
        "query",
        [
            {"store": "memstore_1"},
            {"author": "nobody"},
            {"author": "job_" + "0" * 32},
            {"status": "late"},
            {"section": "everything"},
            {"section": "waiting", "page": "x"},
            {"section": "decided", "page": "WyJhIiwiYiJd"},
            {"q": "\0"},
        ],
    )
    def test_what_cannot_be_read_is_refused(self, reviewer: Reader, query: dict[str, Any]) -> None:
        assert reviewer.get("/", **query).status_code == 400


class TestTurns:
    def test_a_reviewer_is_told_that_it_is_theirs(self, scene: Scene, reviewer: Reader) -> None:
        scene.propose("Mine to decide", {"/a.md": "1\n"})
        page = reviewer.text("/")
        assert ">Yours</strong>" in page
        assert "under a minute" in page

    def test_an_author_is_told_who_can(self, scene: Scene, author: Reader) -> None:
        scene.propose("Theirs", {"/a.md": "1\n"})
        assert 'class="turn">Robin Reviewer' in author.text("/")

    def test_a_stale_one_is_to_be_re_proposed(self, scene: Scene, author: Reader) -> None:
        scene.propose("Late", {"/a.md": "1\n"})
        scene.approve(scene.propose("First", {"/b.md": "1\n"}))
        page = author.text("/")
        assert "Canonical moved" in page
        assert "To be re-proposed" in page

    def test_nobody_can(self, scene: Scene, author: Reader) -> None:
        store = make_store(scene.workspace, "lonely")
        grant(scene.author, store, "read", "write")
        alone = Scene(scene.workspace, store, scene.author, scene.reviewer, scene.admin)
        alone.propose("Alone", {"/a.md": "1\n"})
        assert "Nobody's" in author.text("/", store=store)

    def test_a_kept_approval_hands_the_turn_on(self, scene: Scene, reviewer: Reader) -> None:
        second = make_person(scene.workspace, "Sam Second", username="sam")
        grant(second, scene.store, "read", "review", "admin")
        access = open_store(caller_for(second), scene.store)
        changes = StoreChanges(minimum_approvals=2)
        change_store(access=access, version=access.store.version, changes=changes)
        scene.approve(scene.propose("Twice", {"/a.md": "1\n"}))
        page = reviewer.text("/")
        assert 'class="turn">Sam Second' in page
        assert "1 approval" in page


class TestSections:
    def test_a_section_is_paged_without_gaps(
        self, scene: Scene, reviewer: Reader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("console.views.queue.LENGTH", 2)
        opened = [scene.propose(f"Number {n}", {"/a.md": f"{n}\n"}) for n in range(5)]
        assert "All 5, page by page" in reviewer.text("/")
        assert self.walk(reviewer, "waiting") == opened
        for proposal in opened:
            scene_reject(scene, proposal)
        assert self.walk(reviewer, "decided")[:5] == opened[::-1]

    def walk(self, reader: Reader, section: str) -> list[str]:
        seen: list[str] = []
        query: dict[str, Any] = {"section": section}
        while True:
            page = reader.get("/", **query)
            seen += proposals_on(page.content.decode())
            following = next_address(page.content.decode())
            if following is None:
                return seen
            query = {name: values[0] for name, values in parse_qs(following).items()}


def scene_reject(scene: Scene, proposal: str) -> None:
    decide(scene.reviewer, scene.store, proposal, "reject")


def proposals_on(page: str) -> list[str]:
    return re.findall(r'<td class="main">\s*<a href="/proposals/(mprop_[0-9a-f]{32})"', page)


def next_address(page: str) -> str | None:
    found = re.search(r'<a class="btn" href="\?([^"]*page=[^"]+)"', page)
    return unescape(found[1]) if found else None


class TestSavedViews:
    def test_a_view_is_an_address(self, scene: Scene, reviewer: Reader) -> None:
        address = save(reviewer, "Retries", q="retries", status="open", store=scene.store)
        assert parse_qs(urlsplit(address).query) == {
            "q": ["retries"],
            "status": ["open"],
            "store": [scene.store],
        }
        page = reviewer.text(address)
        assert "The view is saved." in page
        assert 'aria-current="page">Retries' in page

    def test_the_same_name_is_the_same_view(self, scene: Scene, reviewer: Reader) -> None:
        save(reviewer, "One", q="first")
        save(reviewer, "One", q="second", author=scene.author.id)
        view = SavedView.objects.get()
        assert (view.text, view.author) == ("second", scene.author.id)

    def test_the_queue_begins_with_the_default(self, scene: Scene, reviewer: Reader) -> None:
        first = save(reviewer, "First", q="first", default=True)
        second = save(reviewer, "Second", q="second", default=True)
        assert reviewer.get("/")["Location"] == second
        view = SavedView.objects.get(name="First")
        reviewer.post("/views/change", {"view": view.id, "do": "choose"})
        assert reviewer.get("/")["Location"] == first
        assert reviewer.get("/", show="all").status_code == 200
        reviewer.post("/views/change", {"view": view.id, "do": "leave"})
        assert reviewer.get("/").status_code == 200

    def test_a_default_that_narrows_nothing_leads_nowhere_else(self, reviewer: Reader) -> None:
        address = save(reviewer, "All", default=True)
        assert reviewer.get("/")["Location"] == address
        assert reviewer.get(address).status_code == 200

    def test_a_view_is_ones_own(self, scene: Scene, reviewer: Reader, author: Reader) -> None:
        save(reviewer, "Secret plan", q="x")
        view = SavedView.objects.get()
        assert "Secret plan" not in author.text("/")
        for verb in ("choose", "leave", "delete"):
            answer = author.post("/views/change", {"view": view.id, "do": verb})
            assert answer.status_code == 404
        assert reviewer.post("/views/change", {"view": view.id, "do": "delete"}).status_code == 303
        assert not SavedView.objects.exists()

    def test_what_makes_no_view_is_refused(self, scene: Scene, reviewer: Reader) -> None:
        for sent, status in (
            ({"name": ""}, 400),
            ({"name": "a\nb"}, 400),
            ({"name": "x" * 201}, 400),
            ({"name": "x", "status": "late"}, 400),
            ({"name": "x", "store": make_store(scene.workspace, "other")}, 404),
        ):
            assert reviewer.post("/views/save", sent).status_code == status, sent
        assert reviewer.post("/views/change", {"view": "x", "do": "delete"}).status_code == 400
        assert reviewer.post("/views/change", {"view": "1", "do": "dance"}).status_code == 400

    def test_there_is_a_limit(
        self, reviewer: Reader, scene: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("proposals.actions.saved_views.MOST", 1)
        save(reviewer, "One", q="1")
        assert reviewer.post("/views/save", {"name": "Two", "q": "2"}).status_code == 422
        save(reviewer, "One", q="3")


class TestCost:
    def test_the_page_takes_as_many_queries_however_long_it_is(
        self, scene: Scene, reviewer: Reader
    ) -> None:
        def count() -> int:
            with CaptureQueriesContext(connection) as queries:
                reviewer.text("/")
            return len(queries)

        scene.propose("One", {"/a.md": "0\n"})
        scene_reject(scene, scene.propose("Two", {"/a.md": "1\n"}))
        short = count()
        for n in range(6):
            scene.propose(f"More {n}", {"/a.md": f"{n}\n"})
            scene_reject(scene, scene.propose(f"Gone {n}", {"/b.md": f"{n}\n"}))
        assert count() == short <= 24
