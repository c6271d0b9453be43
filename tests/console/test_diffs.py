"""Versions, comparisons and the diff component that they share with Proposals."""

from html import unescape
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from console.drawing import diffs as diffing
from memory.queries.versions import canonical_id
from proposals.models import Proposal
from tests.browser.world import erase_body
from tests.console.conftest import Reader, Scene


@pytest.fixture
def two(scene: Scene) -> tuple[str, str]:
    """A base and a head that differ in every way."""
    base = canonical_id(scene.store)
    scene.approve(
        scene.propose(
            "Change much",
            {
                "/guides/releases.md": "# Releasing\r\n\nWe release on Wednesdays.",
                "/notes.txt": None,
                "/moved/notes.txt": "one\ntwo\n",
                "/new.md": "zero\u200bwidth and \u0440\u0430ypal\n",
            },
        )
    )
    return base, canonical_id(scene.store)


def test_a_version_shows_what_it_changed(
    scene: Scene,
    author: Reader,
    two: tuple[str, str],
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_max_num_queries(19):
        page = author.text(f"{scene.path}/versions/{two[1]}")
    assert "Change much" in page
    assert "/notes.txt → /moved/notes.txt" in page
    assert "Moved, with the same content." in page
    assert "We release on <mark>Wednesdays</mark>." in page
    assert "No newline at end of file" in page
    assert "CRLF" in page
    assert "1 hidden character in the new text" in page
    assert "U+200B" in page
    assert "look-alike" in page
    first = author.text(f"{scene.path}/versions/{_first(author, scene)}")
    assert "This version has no parent." in first


def _first(author: Reader, scene: Scene) -> str:
    page = author.text(f"{scene.path}/history")
    return page.rsplit("/versions/", 1)[1].split('"')[0]


def test_any_two_versions_compare(scene: Scene, author: Reader, two: tuple[str, str]) -> None:
    base, head = two
    forth = author.text(f"{scene.path}/compare", base=base, head=head)
    assert "3</strong>\n" not in forth
    assert "files changed" in forth
    back = author.text(f"{scene.path}/compare", base=head, head=base)
    assert "We release on <mark>Tuesdays</mark>." in back
    assert "No difference" in author.text(f"{scene.path}/compare", base=base, head=base)
    assert "Choose versions" in author.text(f"{scene.path}/compare")
    export = base.replace("memver_", "mrev_")
    assert "files changed" in author.text(f"{scene.path}/compare", base=export, head=head)


def test_versions_of_other_stores_are_not_there(scene: Scene, author: Reader) -> None:
    missing = "memver_" + "0" * 32
    here = canonical_id(scene.store)
    assert author.get(f"{scene.path}/versions/{missing}").status_code == 404
    assert author.get(f"{scene.path}/compare", base=missing, head=here).status_code == 404


def test_the_layout_is_chosen_and_kept(scene: Scene, author: Reader, two: tuple[str, str]) -> None:
    url = f"{scene.path}/versions/{two[1]}"
    assert "diff split" not in author.text(url)
    assert "diff split" in author.text(url, layout="split")
    assert "diff split" in author.text(url)
    assert "diff split" not in author.text(url, layout="unified")
    assert "diff split" not in author.text(url, layout="nonsense")


def test_large_diffs_say_what_they_do_not_show(
    scene: Scene, author: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = canonical_id(scene.store)
    long = "".join(f"line {number}\n" for number in range(50))
    scene.approve(scene.propose("Long", {"/a.txt": long, "/b.txt": long, "/c.txt": long}))
    monkeypatch.setattr(diffing, "FILE_LINES", 20)
    monkeypatch.setattr(diffing, "PAGE_LINES", 30)
    monkeypatch.setattr(diffing, "PAGE_BYTES", 1000)
    head = canonical_id(scene.store)
    page = author.text(f"{scene.path}/compare", base=base, head=head)
    assert "3 files are not shown in full." in page
    assert "Not shown: 30 lines, 240 B." in page
    assert "Not shown: 40 lines" in page
    assert "Not shown: 390 B on both sides." in page
    assert "1 not counted" in page

    query: dict[str, Any] = {"base": base, "head": head, "path": "/c.txt"}
    whole = author.text(f"{scene.path}/compare/file", **query)
    assert "line 49" in whole
    assert "<html" in whole
    part = author.get(f"{scene.path}/compare/file", htmx=True, **query).content.decode()
    assert "line 49" in part
    assert 'id="file-3"' in part
    assert "<html" not in part
    unchanged = query | {"path": "/notes.txt"}
    assert author.get(f"{scene.path}/compare/file", **unchanged).status_code == 404


def test_more_files_than_a_page_shows_are_named(
    scene: Scene, author: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = canonical_id(scene.store)
    scene.approve(scene.propose("Three", {f"/{name}.txt": "x\n" for name in "abc"}))
    monkeypatch.setattr(diffing, "PAGE_FILES", 2)
    page = author.text(f"{scene.path}/compare", base=base, head=canonical_id(scene.store))
    assert "1 more changed file, not shown here" in page
    assert "1 not counted" in page
    query = f"base={base}&amp;head={canonical_id(scene.store)}&amp;load=%2Fc.txt"
    assert f'href="?{query}#file-3"' in page
    loaded = author.text(f"{scene.path}/compare?{unescape(query)}")
    assert 'id="file-3"' in loaded
    assert "not counted" not in loaded


def test_erased_sides_are_told(scene: Scene, author: Reader) -> None:
    base = canonical_id(scene.store)
    erase_body(scene.store, "/notes.txt")
    proposal = scene.propose("Again", {"/notes.txt": "new\n"})
    head = Proposal.objects.get(id=proposal).head_id
    page = author.text(f"{scene.path}/compare", base=base, head=head)
    assert "The body before was erased." in page
    assert "neither a deletion nor an empty document" in page
