"""Erased bodies on every page: where they were, with the reason and the date (console.md 5)."""

from collections.abc import Callable

import pytest

from memory.access import open_store
from memory.actions.redactions import redact
from memory.models import DocumentVersion, MemoryVersion
from memory.queries.erased import erased_in_changes, erased_in_tree, redacted_paths
from memory.queries.versions import canonical_id
from memory.trees.hashing import spell_hash
from tests.browser.world import erase_body
from tests.console.conftest import TEXTS, Reader, Scene
from tests.factories import caller_for

PATH = "/guides/releases.md"


@pytest.fixture
def redacted(scene: Scene) -> str:
    """The version that canonical was at before a redaction took one of two documents."""
    before = canonical_id(scene.store)
    redact(access=open_store(caller_for(scene.admin), scene.store), paths=[PATH])
    return before


@pytest.fixture
def expired(scene: Scene) -> str:
    """A version whose /notes.txt is erased, and still in the tree."""
    erase_body(scene.store, "/notes.txt")
    return canonical_id(scene.store)


def test_history_tells_how_many_texts_of_a_version_are_gone(
    scene: Scene, redacted: str, reviewer: Reader
) -> None:
    page = reviewer.text(f"{scene.path}/history")
    assert "1 text erased (redacted)" in page
    assert "Paths redacted" in page


def test_the_version_page_tells_which_texts_are_available(
    scene: Scene, redacted: str, reviewer: Reader
) -> None:
    page = reviewer.text(f"{scene.path}/versions/{redacted}")
    assert "1 of 2 erased (redacted)" in page
    now = reviewer.text(f"{scene.path}/versions/{canonical_id(scene.store)}")
    assert "all available" in now


def test_a_redaction_looks_like_no_deletion(scene: Scene, redacted: str, reviewer: Reader) -> None:
    head = canonical_id(scene.store)
    both = f"base={redacted}&head={head}"
    for address in (
        f"{scene.path}/versions/{head}",
        f"{scene.path}/compare?{both}",
        f"{scene.path}/compare/file?path={PATH}&{both}",
    ):
        page = reviewer.text(address)
        assert "This path was redacted." in page
        assert "Reason: redacted" in page
        assert 'data-change="deleted"' not in page


def test_a_deletion_is_still_one(scene: Scene, reviewer: Reader) -> None:
    base = canonical_id(scene.store)
    scene.approve(scene.propose("Away", {PATH: None}))
    page = reviewer.text(f"{scene.path}/compare", base=base, head=canonical_id(scene.store))
    assert 'data-change="deleted"' in page
    assert "redacted" not in page.partition("<main")[2]


def test_the_drift_of_a_proposal_tells_of_redactions(scene: Scene, reviewer: Reader) -> None:
    stale = scene.propose("Other", {"/other.txt": "other\n"})
    redact(access=open_store(caller_for(scene.admin), scene.store), paths=[PATH])
    page = reviewer.text(f"/proposals/{stale}", show="drift")
    assert "This path was redacted." in page
    assert 'data-change="deleted"' not in page


def test_the_tree_marks_what_is_erased(scene: Scene, expired: str, reviewer: Reader) -> None:
    for address in (scene.path, f"{scene.path}?version={expired}", f"{scene.path}?q=notes"):
        page = reviewer.text(address)
        assert "Erased" in page, address
        assert '<span class="small muted">redacted' in page, address


def test_an_erased_document_keeps_its_page(scene: Scene, expired: str, reviewer: Reader) -> None:
    page = reviewer.text(f"{scene.path}/document", path="/notes.txt", answers=404)
    assert "The body of this document was erased" in page
    assert "Reason: <strong" in page
    assert spell_hash(DocumentVersion.objects.get(path="/notes.txt").content_sha256) in page
    assert "History of this path" in page
    assert 'href="/stores"' in page


def test_a_redacted_document_is_told_where_its_page_was(
    scene: Scene, redacted: str, reviewer: Reader
) -> None:
    page = reviewer.text(f"{scene.path}/document", path=PATH, answers=404)
    assert "This document was redacted" in page
    assert "no document is written at this path again" in page
    assert f"{len((TEXTS[PATH] or '').encode())} bytes" in page
    assert "Propose" not in page.partition("<main")[2]
    old = reviewer.text(f"{scene.path}/document", path=PATH, version=redacted, answers=404)
    assert "The body of this document was erased" in old


def test_a_deleted_document_leads_to_its_last_text(scene: Scene, reviewer: Reader) -> None:
    scene.approve(scene.propose("Away", {PATH: None}))
    page = reviewer.text(f"{scene.path}/document", path=PATH, answers=404)
    assert "This document was deleted" in page
    assert "Show it as it was last" in page
    link = page.split("Show it as it was last")[0].rpartition('href="')[2].split('"')[0]
    assert "We release on Tuesdays." in reviewer.text(link.replace("&amp;", "&"))
    more = reviewer.get(f"{scene.path}/document", htmx=True, path=PATH)
    assert more.status_code == 200


def test_a_document_that_never_was_is_nowhere(scene: Scene, reviewer: Reader) -> None:
    page = reviewer.text(f"{scene.path}/document", path="/never.md", answers=404)
    assert "There is nothing here" in page


@pytest.mark.django_db
def test_what_is_gone_is_counted_in_one_query(
    scene: Scene, redacted: str, django_assert_num_queries: Callable[..., object]
) -> None:
    versions = list(MemoryVersion.objects.filter(store=scene.store).values_list("id", flat=True))
    with django_assert_num_queries(1):  # type: ignore[attr-defined]
        found = erased_in_changes(versions)
    assert {version: each.count for version, each in found.items()} == {redacted: 1}
    assert found[redacted].reasons == ("redacted",)
    assert erased_in_tree(canonical_id(scene.store)) is None
    assert redacted_paths(redacted, [PATH]) == set()
    assert redacted_paths(canonical_id(scene.store), [PATH, "/notes.txt"]) == {PATH}
