"""A button that is pressed twice makes one thing, as the Idempotency-Key of the API does (§0)."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.urls import reverse

from memory.models import ErasureReport, IdempotencyReceipt, MemoryStore
from memory.queries.versions import canonical_id
from proposals.models import Proposal
from tests.console.conftest import Reader, Scene
from tests.race import race

_TOKEN = re.compile(r'name="token" value="([^"]+)"')


def _token(page: str) -> str:
    found = _TOKEN.search(page)
    assert found
    return found[1]


def _places(reader: Reader, url: str, form: Mapping[str, str], times: int = 2) -> set[str]:
    answers = [reader.post(url, dict(form)) for _ in range(times)]
    assert [answer.status_code for answer in answers] == [303] * times
    return {answer["Location"] for answer in answers}


def _edit(scene: Scene, token: str, **more: str) -> dict[str, str]:
    base = canonical_id(scene.store)
    return {"base_version": base, "title": "Count", "text": "one\n2\n", "token": token} | more


def test_proposing_twice_opens_one_proposal(scene: Scene, author: Reader) -> None:
    url = f"{scene.path}/propose?path=/notes.txt"
    token = _token(author.text(url))
    before = Proposal.objects.count()
    (place,) = _places(author, url, _edit(scene, token))
    assert Proposal.objects.count() == before + 1
    (mended,) = _places(author, url, _edit(scene, token, title="Count on"))
    assert mended != place
    assert token not in "".join(IdempotencyReceipt.objects.values_list("key", flat=True))


def test_every_rendering_has_a_token_and_a_refused_form_keeps_its(
    scene: Scene, author: Reader
) -> None:
    url = f"{scene.path}/propose?path=/notes.txt"
    first, second = _token(author.text(url)), _token(author.text(url))
    assert first != second
    refused = author.post(url, _edit(scene, first, title=""))
    assert refused.status_code == 422
    assert _token(refused.content.decode()) == first
    assert author.post(url, _edit(scene, "not a token")).status_code == 422


def test_two_tabs_are_two_proposals(scene: Scene, author: Reader) -> None:
    url = f"{scene.path}/propose?path=/notes.txt"
    places = {
        author.post(url, _edit(scene, _token(author.text(url))))["Location"] for _ in range(2)
    }
    assert len(places) == 2


def test_restoring_twice(scene: Scene, author: Reader) -> None:
    old = canonical_id(scene.store)
    scene.approve(scene.propose("More", {"/more.md": "more\n"}))
    page = reverse("console:version", args=[scene.store, old])
    form = {"base_version": canonical_id(scene.store), "title": "Back"}
    form["token"] = _token(author.text(page))
    url = reverse("console:version-restore", args=[scene.store, old])
    assert len(_places(author, url, form)) == 1


def test_making_a_store_and_a_fork_twice(scene: Scene, author: Reader) -> None:
    store = {
        "name": "Mine",
        "owner": f"principal:{scene.author.id}",
        "canonical_writes": "review",
        "self_approval": "denied",
    }
    new = reverse("console:store-new")
    fork = reverse("console:version-fork", args=[scene.store, canonical_id(scene.store)])
    for url in (new, fork):
        before = MemoryStore.objects.count()
        assert len(_places(author, url, store | {"token": _token(author.text(url))})) == 1
        assert MemoryStore.objects.count() == before + 1


def test_confirming_an_erasure_twice_tells_the_same_report(scene: Scene, admin: Reader) -> None:
    url = f"{scene.path}/erase"
    shown = admin.post(url, {"step": "look", "paths": "/notes.txt"}).content.decode()
    seen = shown.split('name="seen" value="')[1].split('"', maxsplit=1)[0]
    form = {"step": "confirm", "paths": "/notes.txt", "seen": seen, "confirmation": "team-memory"}
    assert len(_places(admin, url, form | {"token": _token(shown)})) == 1
    assert ErasureReport.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_double_click_is_two_requests_at_once(scene: Scene, author: Reader) -> None:
    url = f"{scene.path}/propose?path=/notes.txt"
    form = _edit(scene, _token(author.text(url)))
    other = Reader(scene.author)

    def press(reader: Reader) -> Any:
        return reader.post(url, form)["Location"]

    first, second = race(lambda: press(author), lambda: press(other))
    assert first == second
    assert Proposal.objects.filter(title="Count").count() == 1
