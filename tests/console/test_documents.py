"""A document at an exact version: safe to look at, honest about what it is."""

from typing import Any

from memory.queries.versions import canonical_id
from tests.browser.world import HOSTILE, erase_body
from tests.console.conftest import Reader, Scene


def _page(reader: Reader, scene: Scene, path: str, **query: Any) -> str:
    return reader.text(f"{scene.path}/document", path=path, **query)


def test_markdown_is_rendered_and_source_has_lines(scene: Scene, author: Reader) -> None:
    page = _page(author, scene, "/guides/releases.md")
    assert "<h1>Releasing</h1>" in page.split('class="prose"')[1]
    source = _page(author, scene, "/guides/releases.md", view="source")
    assert '<tr id="L3">' in source
    assert "# Releasing" in source
    assert '<tr id="L2">' in _page(author, scene, "/notes.txt")


def test_hostile_content_runs_nothing(scene: Scene, author: Reader) -> None:
    scene.approve(scene.propose("<img src=x onerror=alert(1)>", {"/forum.md": HOSTILE}))
    rendered = _page(author, scene, "/forum.md")
    shown = rendered.split('class="prose"')[1].split("</section>")[0]
    assert "<script" not in shown
    assert "<img" not in shown
    assert "javascript:" not in shown.replace("(javascript:alert(1))", "")
    assert "5 hidden characters" in rendered
    source = _page(author, scene, "/forum.md", view="source")
    assert "U+202E" in source
    assert "\u202e" not in source
    assert "&lt;script&gt;" in source
    for page in (rendered, source, author.text(f"{scene.path}/history")):
        assert "<img src=x" not in page


def test_relative_links_stay_at_the_version(scene: Scene, author: Reader) -> None:
    scene.approve(
        scene.propose("Link", {"/guides/a.md": "[b](../notes.txt#x) [c](//evil.example)\n"})
    )
    page = _page(author, scene, "/guides/a.md")
    here = canonical_id(scene.store)
    assert f"/stores/{scene.store}/document?path=%2Fnotes.txt&amp;version={here}" in page
    assert "evil.example" not in page.split('class="prose"')[1].split("</section>")[0].replace(
        "(//evil.example)", ""
    )


def test_an_older_version_says_so(scene: Scene, author: Reader) -> None:
    before = canonical_id(scene.store)
    scene.approve(scene.propose("Change", {"/notes.txt": "three\n"}))
    assert "not canonical's current content" not in _page(author, scene, "/notes.txt")
    old = _page(author, scene, "/notes.txt", version=before)
    assert "This is not canonical's current content." in old.replace("&#x27;", "'")
    same = _page(author, scene, "/guides/releases.md", version=before)
    assert "current content" not in same
    scene.approve(scene.propose("Remove", {"/notes.txt": None}))
    gone = _page(author, scene, "/notes.txt", version=before)
    assert "Canonical no longer has this document." in gone
    assert author.get(f"{scene.path}/document", path="/notes.txt").status_code == 404


def test_an_erased_body_is_told_as_erased(scene: Scene, author: Reader) -> None:
    erase_body(scene.store, "/notes.txt")
    page = _page(author, scene, "/notes.txt", answers=404)
    assert "The body of this document was erased" in page
    assert "redacted" in page
    assert "Propose an edit" not in page
    assert "one" not in page.split('aria-label="Content"')[1].split("</section>")[0].split()
    assert "Erased" in author.text(scene.path)


def test_an_empty_document_is_not_an_erased_one(scene: Scene, author: Reader) -> None:
    scene.approve(scene.propose("Empty", {"/empty.txt": ""}))
    page = _page(author, scene, "/empty.txt")
    assert "This document is empty (0 bytes)." in page
    assert "erased" not in page


def test_the_history_of_a_path(scene: Scene, author: Reader) -> None:
    scene.approve(scene.propose("Second words", {"/notes.txt": "three\n"}))
    page = _page(author, scene, "/notes.txt")
    history = page.split("History of this path")[1]
    assert history.index("Second words") < history.index("Begin")
    assert "Ada Author" in history


def test_what_is_not_there(scene: Scene, author: Reader) -> None:
    assert author.get(f"{scene.path}/document", path="/nothing.md").status_code == 404
    assert author.get(f"{scene.path}/document", path="/a//b").status_code == 400
    assert author.get(f"{scene.path}/document").status_code == 400
