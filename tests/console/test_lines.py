"""Addresses that stay: to a version, a path and lines; and who wrote what stood there before."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from memory.queries.versions import canonical_id
from tests.browser.world import erase_body
from tests.console.conftest import Reader, Scene


def _page(reader: Reader, scene: Scene, path: str, **query: Any) -> str:
    return reader.text(f"{scene.path}/document", path=path, **query)


def _links(page: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'<a class="menu-item" href="([^"]+)"', page)]


def _query(link: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(link).query)


def test_one_link_stays_and_the_other_says_that_it_does_not(scene: Scene, author: Reader) -> None:
    here = canonical_id(scene.store)
    page = _page(author, scene, "/notes.txt", view="source")
    permalink, moving = (link for link in _links(page) if "/document?" in link)
    assert _query(permalink) == {"path": ["/notes.txt"], "version": [here], "view": ["source"]}
    assert _query(moving) == {"path": ["/notes.txt"], "view": ["source"]}
    assert permalink.startswith("http://testserver/stores/")
    assert "what canonical holds, not a permalink" in page
    assert "Not permanent" in page
    assert "what canonical holds, not a permalink" not in _page(
        author, scene, "/notes.txt", version=here
    )


def test_a_permalink_outlives_every_later_change(scene: Scene, author: Reader) -> None:
    permalink = next(
        link for link in _links(_page(author, scene, "/notes.txt")) if "version=" in link
    )
    scene.approve(scene.propose("Change", {"/notes.txt": "other\n"}))
    path = permalink.removeprefix("http://testserver")
    assert '<tr id="L2">' in author.text(path)
    assert "not canonical" in author.text(path)
    scene.approve(scene.propose("Remove", {"/notes.txt": None}))
    assert "Canonical no longer has this document." in author.text(path)


def test_a_permalink_to_an_erased_text_says_so(scene: Scene, author: Reader) -> None:
    here = canonical_id(scene.store)
    erase_body(scene.store, "/notes.txt")
    page = _page(author, scene, "/notes.txt", version=here, view="source", answers=404)
    assert "The body of this document was erased" in page
    assert "redacted" in page


def test_a_line_has_an_anchor_without_scripting(scene: Scene, author: Reader) -> None:
    page = _page(author, scene, "/notes.txt")
    assert '<tr id="L2"><td class="ln"><a href="#L2">2</a>' in page
    assert "console/lines.js" in page
    assert "data-lines-source" in _page(author, scene, "/guides/releases.md")


def test_blame_steps_back_behind_a_change(scene: Scene, author: Reader) -> None:
    first = canonical_id(scene.store)
    scene.approve(scene.propose("Second", {"/notes.txt": "one\n2\n"}))
    second = canonical_id(scene.store)
    scene.approve(scene.propose("Third", {"/notes.txt": "one\nzwei\n"}))
    page = _page(author, scene, "/notes.txt", view="blame")
    assert "Who wrote it" in page
    earlier = re.findall(r'class="small nowrap earlier" href="([^"]+)"', page)
    assert [_query(unescape(link)) for link in earlier] == [
        {"path": ["/notes.txt"], "version": [second], "view": ["blame"]}
    ]
    page = author.text(unescape(earlier[0]))
    earlier = re.findall(r'class="small nowrap earlier" href="([^"]+)"', page)
    assert [_query(unescape(link))["version"] for link in earlier] == [[first]]
    assert "earlier" not in author.text(unescape(earlier[0])).split("<tbody>")[1]


def test_blame_goes_on_through_a_rename(scene: Scene, author: Reader) -> None:
    scene.approve(scene.propose("Move", {"/notes.txt": None, "/moved.txt": "one\ntwo\n"}))
    scene.approve(scene.propose("Edit", {"/moved.txt": "one\n2\n"}))
    page = _page(author, scene, "/moved.txt", view="blame")
    assert "as /notes.txt" in page
    (earlier,) = re.findall(r'class="small nowrap earlier" href="([^"]+)"', page)
    assert _query(unescape(earlier))["path"] == ["/moved.txt"]
    assert "as /notes.txt" in author.text(unescape(earlier))


def test_proposing_at_a_path_that_is_gone_leads_to_what_it_was(
    scene: Scene, author: Reader
) -> None:
    scene.approve(scene.propose("Remove", {"/notes.txt": None}))
    answer = author.get(f"{scene.path}/propose", path="/notes.txt")
    assert answer.status_code == 303
    page = author.text(answer["Location"], answers=404)
    assert "there is nothing to change" in page
    assert "This document was deleted" in page
    assert author.get(f"{scene.path}/propose", path="/never.txt").status_code == 404


# --- comparing -----------------------------------------------------------------------------------


def test_versions_to_compare_are_searched_for(scene: Scene, author: Reader) -> None:
    first = canonical_id(scene.store)
    scene.approve(scene.propose("Second", {"/notes.txt": "2\n"}))
    second = canonical_id(scene.store)
    page = author.text(f"{scene.path}/compare", words="second")
    assert f'compare?base={second}" aria-label="Base' in page
    assert first not in page
    page = author.text(f"{scene.path}/compare", base=second)
    assert "Choose what to compare with" in page
    assert f"compare?head={first}&amp;base={second}" in page
    page = author.text(f"{scene.path}/compare", base=second, head=first)
    swap = next(unescape(link) for link in re.findall(r'href="([^"]+)" title="Swap', page))
    assert _query(swap) == {"base": [first], "head": [second]}
    picking = author.text(f"{scene.path}/compare", base=second, head=first, pick="yes")
    assert "Choose others" in picking
    assert author.get(f"{scene.path}/compare", since="x").status_code == 422
