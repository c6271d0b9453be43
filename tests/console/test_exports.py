"""The Export tab: what an export holds, and the two files that it is taken as (E1, E2, R5)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from console.templatetags.console import size
from memory.access import open_store
from memory.exporting import pages as paging
from memory.exporting import whole
from memory.models import DocumentVersion, MemoryStore
from memory.stores import bump_generation
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.console.conftest import Reader, Scene
from tests.erasure import erase_bodies
from tests.exports import check_shape
from tests.factories import caller_for, platform
from wire.rendering import dump_json


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of two items, so that a small store has many."""
    monkeypatch.setattr(paging, "MAX_PAGE_ITEMS", 2)


def _url(scene: Scene, what: str = "") -> str:
    return reverse(f"console:store-export{what}", args=[scene.store])


def _file(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def _lines(content: bytes) -> list[Any]:
    assert content.endswith(b"\n")
    return [json.loads(line) for line in content.split(b"\n")[:-1]]


def test_the_tab_says_what_an_export_holds(scene: Scene, author: Reader) -> None:
    page = author.text(_url(scene))

    assert "What an export holds" in page
    for link in ("-whole", "-pages"):
        assert _url(scene, link) in page
    export = whole.whole_export(open_store(caller_for(scene.author), scene.store))
    assert f"Download {size(export.response_bytes)}" in page


def test_a_store_that_is_too_large_for_one_document_says_so(
    scene: Scene, author: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "LIMITS", whole.Limits(items=3))

    page = author.text(_url(scene))

    assert "too large" in page
    assert _url(scene, "-whole") not in page
    assert author.get(_url(scene, "-whole")).status_code == 422


def test_the_whole_export_is_downloaded(scene: Scene, author: Reader) -> None:
    response = author.get(_url(scene, "-whole"))

    check_shape(json.loads(response.content))
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == f'attachment; filename="{scene.store}.json"'
    assert response["Cache-Control"] == "no-store"


@pytest.mark.usefixtures("small_pages")
def test_the_pages_are_downloaded_as_one_file_a_line_each(scene: Scene, author: Reader) -> None:
    response = author.get(_url(scene, "-pages"))

    pages = _lines(_file(response))
    assert len(pages) > 3
    assert [page["page_ordinal"] for page in pages] == list(range(len(pages)))
    for page in pages:
        check_shape(page, "page")
    assert [page["next_page"] is None for page in pages] == [False] * (len(pages) - 1) + [True]
    items = sum(len(page["items"]) for page in pages)
    assert response["Checkfu-Export-Items"] == str(items)
    assert response["Content-Disposition"] == f'attachment; filename="{scene.store}.ndjson"'


def _write(scene: Scene) -> None:
    bump_generation(scene.store)


def _erase(scene: Scene) -> None:
    document = DocumentVersion.objects.filter(store=scene.store, path="/notes.txt")
    erase_bodies(scene.store, [document.get().id])


def _revoke(scene: Scene) -> None:
    mine = PermissionAssignment.objects.get(subject_uuid=scene.author.id)
    revoke(caller=platform(scene.workspace), assignment_id=mine.id)


def _begin_deletion(scene: Scene) -> None:
    MemoryStore.objects.filter(id=scene.store).update(lifecycle="deleting")


HAPPENS: dict[str, Callable[[Scene], None]] = {
    "a write": _write,
    "an erasure": _erase,
    "a grant that is lost": _revoke,
    "the store's deletion": _begin_deletion,
}


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("event", HAPPENS)
def test_what_happens_on_the_way_ends_the_file_early(
    scene: Scene, author: Reader, event: str
) -> None:
    stream = author.get(_url(scene, "-pages")).streaming_content
    first = next(stream)
    HAPPENS[event](scene)

    rest = b"".join(stream)

    pages = _lines(first + rest)
    assert pages[-1]["next_page"] is not None
    assert rest == b""


@pytest.mark.parametrize(
    ("event", "status"),
    [("a grant that is lost", 404), ("the store's deletion", 404), ("an erasure", 409)],
)
@pytest.mark.parametrize("what", ["-whole", "-pages"])
def test_R5_what_was_read_is_looked_at_again_before_it_leaves(
    scene: Scene,
    author: Reader,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    event: str,
    status: int,
) -> None:
    def render_and_wait(answer: Any) -> bytes:
        HAPPENS[event](scene)
        return dump_json(answer)

    monkeypatch.setattr("console.views.exports.dump_json", render_and_wait)

    assert author.get(_url(scene, what)).status_code == status


@pytest.mark.parametrize("what", ["", "-whole", "-pages"])
def test_exports_are_for_readers(scene: Scene, admin: Reader, visitor: Reader, what: str) -> None:
    assert "grant" in admin.text(_url(scene, what), answers=403)
    assert visitor.get(_url(scene, what)).status_code == 302


@pytest.mark.parametrize("what", ["", "-whole", "-pages"])
def test_the_fence_closes_them(scene: Scene, author: Reader, settings: Any, what: str) -> None:
    settings.VERSIONED_SURFACE = False

    assert author.get(_url(scene, what)).status_code == 503
