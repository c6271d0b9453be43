"""The history of a store: branches in words and lines, filters in the address, tags."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import MemoryStore, MemoryVersion, Tag
from memory.queries.versions import canonical_id
from tests.browser.world import decide, erase_body, write
from tests.console.conftest import Reader, Scene
from tests.factories import grant
from wire.times import now


@pytest.fixture
def direct(scene: Scene) -> Scene:
    """The same store, where the author writes without review."""
    MemoryStore.objects.filter(id=scene.store).update(canonical_writes="direct")
    return scene


def _history(reader: Reader, scene: Scene, **query: Any) -> str:
    return reader.text(f"{scene.path}/history", **query)


def _rows(page: str) -> list[str]:
    return re.findall(r'<tr id="memver_.*?</tr>', page, re.DOTALL)


def _row(page: str, message: str) -> str:
    (row,) = [row for row in _rows(page) if message in row]
    return row


def test_every_row_tells_what_changed_and_where(scene: Scene, author: Reader) -> None:
    scene.approve(scene.propose("Two of them", {"/notes.txt": "three\n", "/a.md": "new\n"}))
    row = _row(_history(author, scene), "Two of them")
    assert "2 paths" in row
    for path, change in (("/notes.txt", "modified"), ("/a.md", "added")):
        assert re.search(rf'data-change="{change}"[^>]*>.</span><code class="break">{path}<', row)
    assert "Ada Author" in row
    assert "Canonical" in row
    assert "by a Proposal" in row


def test_a_row_names_some_of_many_paths(scene: Scene, author: Reader) -> None:
    scene.approve(scene.propose("Many", {f"/many/{n}.md": "x\n" for n in range(9)}))
    row = _row(_history(author, scene), "Many")
    assert row.count("/many/") == 3
    assert "and 6 more" in row


def test_branches_are_told_in_words_and_in_lines(scene: Scene, author: Reader) -> None:
    base = canonical_id(scene.store)
    rejected = scene.propose("No thanks", {"/notes.txt": "no\n"})
    decide(scene.reviewer, scene.store, rejected, "reject")
    opened = scene.propose("Still open", {"/notes.txt": "open\n"})
    page = _history(author, scene)
    for message, proposal, status in (
        ("No thanks", rejected, "Rejected"),
        ("Still open", opened, "Open"),
    ):
        row = _row(page, message)
        assert f'href="/proposals/{proposal}">{status} Proposal<' in row
        assert f'from <a href="{scene.path}/versions/{base}"' in row
        assert '<circle class="lane-' in row
    here = _row(page, "Begin")
    assert '<circle class="lane-0"' in here
    assert len(re.findall(r'<line class="lane-[12]" [^>]*y1="0" [^>]*y2="20"', here)) == 2


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"path": "NOTES"}, {"Second", "Begin"}),
        ({"path": "/guides/"}, {"Begin"}),
        ({"words": "second"}, {"Second"}),
        ({"kind": "initial"}, {"The empty beginning"}),
        ({"kind": "direct", "path": "notes"}, {"Second"}),
        ({"kind": "direct", "words": "third", "path": "notes"}, set()),
    ],
)
def test_filters_narrow_together(
    direct: Scene, author: Reader, query: dict[str, str], found: set[str]
) -> None:
    write(direct.author, direct.store, {"/notes.txt": "two\n"}, "Second")
    write(direct.author, direct.store, {"/other.md": "x\n"}, "Third")
    page = _history(author, direct, **query)
    rows = _rows(page)
    assert len(rows) == len(found)
    for message in found:
        assert _row(page, message)
    assert '<svg aria-hidden="true" width' not in "".join(rows)
    for name, value in query.items():
        assert re.search(rf'name="{name}"[^>]*value="{value}"', page) or name == "kind"
    assert "No version matches" in page if not found else "Only versions that match" in page


def test_filters_by_author_and_date(direct: Scene, author: Reader) -> None:
    write(direct.reviewer, direct.store, {"/r.md": "x\n"}, "By Robin")
    page = _history(author, direct, author=f"principal:{direct.reviewer.id}")
    assert [("By Robin" in row) for row in _rows(page)] == [True]
    today, tomorrow = now().date(), (now() + timedelta(days=1)).date()
    assert len(_rows(_history(author, direct, since=today, until=today))) == 3
    assert _rows(_history(author, direct, since=tomorrow)) == []
    wrong = author.get(f"{direct.path}/history", since=tomorrow, until=today)
    assert wrong.status_code == 422
    assert b"before the first day" in wrong.content


@pytest.mark.parametrize(
    "query", [{"kind": "x"}, {"author": "principal:x"}, {"since": "yesterday"}, {"path": "\0"}]
)
def test_nonsense_in_the_address_is_told(
    scene: Scene, author: Reader, query: dict[str, Any]
) -> None:
    assert author.get(f"{scene.path}/history", **query).status_code == 422
    assert author.get(f"{scene.path}/history", page="x").status_code == 400


def _queries(reader: Reader, address: str, **query: Any) -> int:
    with CaptureQueriesContext(connection) as captured:
        reader.text(address, **query)
    return len(captured)


def test_as_many_queries_for_one_row_as_for_a_page(direct: Scene, author: Reader) -> None:
    address = f"{direct.path}/history"
    for number in range(3):
        direct.propose(f"Open {number}", {"/o.md": f"{number}\n"})
    few = _queries(author, address)
    for number in range(60):
        write(direct.author, direct.store, {"/log.md": f"{number}\n"}, f"Entry {number}")
    many = _queries(author, address)
    assert many <= few <= 24
    assert _queries(author, address, path="/log", words="Entry") <= many


def test_paging_reaches_every_version_once_and_goes_on_drawing(
    direct: Scene, author: Reader
) -> None:
    direct.propose("Beside", {"/o.md": "x\n"})
    for number in range(70):
        write(direct.author, direct.store, {"/log.md": f"{number}\n"}, f"Entry {number}")
    first = _history(author, direct)
    page = first.split("?page=")[1].split('"')[0]
    rest = author.get(f"{direct.path}/history", htmx=True, page=page).content.decode()
    seen = re.findall(r'<tr id="(memver_\w+)"', first + rest)
    every = MemoryVersion.objects.filter(store=direct.store).order_by("-id")
    assert seen == list(every.values_list("id", flat=True))
    assert "<line" in _rows(rest)[0]
    assert '<line class="lane-0" x1="9" y1="0" x2="9" y2="20"/>' in _rows(rest)[0]


def test_erased_bodies_are_marked_where_they_were(scene: Scene, author: Reader) -> None:
    erase_body(scene.store, "/notes.txt")
    row = _row(_history(author, scene), "Begin")
    assert "1 text erased (redacted)" in row
    assert 'data-change="deleted"' not in row


# --- tags ----------------------------------------------------------------------------------------


def _name(reader: Reader, scene: Scene, version: str, name: str) -> Any:
    return reader.post(f"{scene.path}/versions/{version}/tags", {"name": name})


def test_a_version_is_named_and_found_by_its_tag(scene: Scene, author: Reader) -> None:
    first = canonical_id(scene.store)
    page = author.text(f"{scene.path}/versions/{first}")
    assert "Name this version" in page
    assert _name(author, scene, first, "before <the> move").status_code == 303
    scene.approve(scene.propose("Later", {"/later.md": "x\n"}))
    for address in (f"/versions/{first}", "/refs", "/history", "/history?words=THE%3E"):
        page = author.text(scene.path + address)
        assert "before &lt;the&gt; move" in page, address
        assert "<the>" not in page
    assert len(_rows(_history(author, scene, words="the>"))) == 1


def test_a_name_that_is_taken_says_where(scene: Scene, author: Reader) -> None:
    first = canonical_id(scene.store)
    _name(author, scene, first, "one")
    scene.approve(scene.propose("Later", {"/later.md": "x\n"}))
    later = canonical_id(scene.store)
    _name(author, scene, later, "one")
    page = author.text(f"{scene.path}/versions/{later}")
    assert "a tag never moves" in page
    assert first[-8:] in page
    _name(author, scene, later, "")
    assert "required" in author.text(f"{scene.path}/versions/{later}")
    assert Tag.objects.count() == 1


def test_whoever_gave_a_name_takes_it_away(
    scene: Scene, author: Reader, reviewer: Reader, admin: Reader
) -> None:
    first = canonical_id(scene.store)
    address = f"{scene.path}/versions/{first}"
    _name(author, scene, first, "mine")
    assert "Take away" in author.text(address)
    assert "Take away" not in reviewer.text(address)
    assert reviewer.post(f"{address}/tags/remove", {"name": "mine"}).status_code == 403
    assert author.post(f"{address}/tags/remove", {"name": "mine"}).status_code == 303
    assert not Tag.objects.exists()
    _name(author, scene, first, "mine")
    grant(scene.admin, scene.store, "read", "write", "admin")
    assert admin.post(f"{address}/tags/remove", {"name": "mine"}).status_code == 303


def test_readers_name_nothing(scene: Scene, author: Reader, admin: Reader) -> None:
    grant(scene.admin, scene.store, "read")
    first = canonical_id(scene.store)
    assert "Name this version" not in admin.text(f"{scene.path}/versions/{first}")
    assert _name(admin, scene, first, "x").status_code == 403
