"""What a redaction took is marked on every page, and never looks empty or deleted (contract X1)."""

import pytest
from django.urls import reverse

from console import responses
from memory.access import open_store
from memory.actions.redactions import redact
from memory.models import MemoryVersion
from proposals.models import Proposal
from tests.console.conftest import Reader, Scene
from tests.console.test_publishing import _once_drawn
from tests.factories import platform

ERASED = "erased by a redaction"


def _redact(scene: Scene, *paths: str) -> None:
    redact(access=open_store(platform(scene.workspace), scene.store), paths=paths)


@pytest.fixture
def proposal(scene: Scene) -> str:
    return scene.propose("A telling title", {"/notes.txt": "one\nthree\n"})


@pytest.fixture
def pages(scene: Scene, proposal: str) -> dict[str, str]:
    """The pages that show the title of a Proposal."""
    return {
        "queue": "/",
        "list": reverse("console:store-proposals", args=[scene.store]),
        "page": reverse("console:proposal", args=[proposal]),
    }


def test_a_title_is_said_to_be_erased(scene: Scene, author: Reader, pages: dict[str, str]) -> None:
    _redact(scene, "/notes.txt")

    for name, address in pages.items():
        text = author.text(address)
        assert "telling" not in text, name
        assert f"Title {ERASED}" in text, name


def test_the_review_page_says_why_it_ended(
    scene: Scene, author: Reader, pages: dict[str, str]
) -> None:
    _redact(scene, "/notes.txt")

    text = author.text(pages["page"])

    assert "because a path that this Proposal changes was redacted" in text
    assert "superseded it, because a path that it changes was redacted" in text
    assert "Re-propose" not in text


@pytest.mark.parametrize("page", ["list", "page"])
def test_words_that_are_erased_while_a_page_is_drawn_are_not_sent(
    scene: Scene,
    author: Reader,
    pages: dict[str, str],
    page: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        responses, "render_to_string", _once_drawn(lambda: _redact(scene, "/notes.txt"))
    )

    answer = author.get(pages[page])

    assert answer.status_code == 409
    assert b"telling" not in answer.content


def test_the_queue_is_drawn_again_without_them(
    scene: Scene, author: Reader, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        responses, "render_to_string", _once_drawn(lambda: _redact(scene, "/notes.txt"))
    )

    answer = author.get(pages["queue"])

    assert (answer.status_code, b"telling" in answer.content) == (200, False)
    assert ERASED.encode() in answer.content


def test_messages_are_marked_in_history_on_versions_and_documents(
    scene: Scene, author: Reader, proposal: str
) -> None:
    scene.approve(proposal)
    head = Proposal.objects.get(id=proposal).head_id
    _redact(scene, "/notes.txt")
    redacted = MemoryVersion.objects.get(store=scene.store, kind="redaction")

    history = author.text(reverse("console:store-history", args=[scene.store]))
    assert history.count(f"Message {ERASED}") == 2
    assert "Paths redacted" in history
    version = reverse("console:version", args=[scene.store, head])
    assert f"Message {ERASED}" in author.text(version)
    sealed = author.text(reverse("console:version", args=[scene.store, redacted.id]))
    assert "Paths redacted" in sealed
    assert "Nobody deleted it" in sealed
    document = reverse("console:document", args=[scene.store])
    shown = author.text(document, path="/notes.txt", version=head, answers=404)
    assert "The body of this document was erased" in shown
    assert f"Message {ERASED}" in shown
    assert "redacted" in author.text(document, answers=404, path="/notes.txt")
