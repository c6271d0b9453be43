"""Contract X3: no page of the Console outlives a ceiling, also before any sweep has come by."""

from collections.abc import Iterator
from typing import Any

from django.urls import NoReverseMatch, reverse

from console.links import compare_url, document_url, file_url
from console.urls import urlpatterns
from memory.models import DocumentBody
from memory.queries.versions import versions_of
from proposals.models import Proposal
from tests.clock import Clock
from tests.console.conftest import Reader, Scene
from tests.retention import set_policy

WORD, SECRET = "xylophone", "behind the curtain"
PATH = "/secret.md"


def _texts(edition: str) -> dict[str, str | None]:
    return {PATH: f"# Title\n\n{WORD} {SECRET} {edition}\n"}


def _pages(scene: Scene, proposal: str) -> Iterator[str]:
    """Every page of a store or a Proposal, and those that a query asks for."""
    newest, older, *_ = [version.id for version in versions_of(scene.store)]
    head = Proposal.objects.get(id=proposal).head_id
    ids = {"store_id": scene.store, "proposal_id": proposal, "version_id": head}
    for pattern in urlpatterns:
        try:
            yield reverse(f"console:{pattern.name}", kwargs=_of(pattern, ids))
        except (NoReverseMatch, KeyError):
            continue
    for view in ("rendered", "source", "blame"):
        for version in (None, newest, older, head):
            yield document_url(scene.store, PATH, version, view=view)
    yield compare_url(scene.store, older, head)
    yield file_url(scene.store, older, head, PATH)
    yield f"{scene.path}/search?words={WORD}"
    yield f"{scene.path}/propose?path={PATH}"
    yield f"{scene.path}/propose?path={PATH}&operation=delete"
    yield f"/proposals/{proposal}?layout=split"


def _of(pattern: Any, ids: dict[str, str]) -> dict[str, str]:
    return {name: ids[name] for name in pattern.pattern.converters}


def test_no_page_tells_a_text_after_its_ceiling(
    scene: Scene, author: Reader, reviewer: Reader, clock: Clock
) -> None:
    set_policy(scene.workspace, body_lifetime_days=30)
    scene.approve(scene.propose("One", _texts("one")))
    scene.approve(scene.propose("Two", _texts("two")))
    proposal = scene.propose("Three", _texts("three"))
    pages = list(_pages(scene, proposal))
    told = [page for page in pages if _tells(author.get(page))]
    assert len(told) > 10

    clock.move(days=30)

    assert DocumentBody.objects.filter(text__contains=SECRET).count() == 3
    for page in pages:
        for reader in (author, reviewer):
            response = reader.get(page)
            assert not _tells(response), page
            assert response.status_code < 500, page


def _tells(response: Any) -> bool:
    return SECRET.encode() in response.getvalue()


def test_pages_say_that_a_text_expired(scene: Scene, author: Reader, clock: Clock) -> None:
    set_policy(scene.workspace, body_lifetime_days=30)
    scene.approve(scene.propose("One", _texts("one")))
    clock.move(days=30)

    assert "expired" in author.text(document_url(scene.store, PATH), answers=404)
    assert "Erased" in author.text(scene.path)


def test_a_proposal_of_expired_texts_cannot_be_approved(
    scene: Scene, reviewer: Reader, clock: Clock
) -> None:
    set_policy(scene.workspace, body_lifetime_days=30)
    proposal = scene.propose("One", _texts("one"))
    clock.move(days=30)
    frozen = Proposal.objects.get(id=proposal)
    form = {
        "response": "approve",
        "base_version": frozen.base_id,
        "head_version": frozen.head_id,
        "diff_hash": f"sha256:{bytes(frozen.diff_hash).hex()}",
    }

    answer = reviewer.post(f"/proposals/{proposal}/respond", form)

    assert answer.status_code == 409
    frozen.refresh_from_db()
    assert frozen.is_open
