"""What every page keeps: the policy, the frame, who may look, and what htmx gets."""

import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest
from django.urls import URLPattern, reverse

from console.urls import urlpatterns
from tests.browser.pages import PAGES
from tests.browser.world import World, make_world
from tests.console.conftest import Reader, Scene
from tests.factories import grant, make_person, make_store, make_workspace
from wire.ids import new_id

OPEN_TO_VISITORS = {"sign-in", "sign-out", "theme", "errors"}
OPEN_TO_VISITORS |= {"notices-confirm", "notices-unsubscribe"}  # with a signed link


class _Inline(HTMLParser):
    """Collects what a strict policy forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)
        self.found += [name for name in names if name == "style" or name.startswith("on")]
        if names.get("id"):
            self.ids.append(str(names["id"]))


def _address(pattern: URLPattern) -> str:
    captured = {
        name: new_id(converter.kind) if hasattr(converter, "kind") else 1
        for name, converter in pattern.pattern.converters.items()
    }
    return reverse(f"console:{pattern.name}", kwargs=captured)


@pytest.mark.parametrize("pattern", urlpatterns, ids=lambda each: str(each.name))
def test_only_a_few_routes_are_open_to_visitors(visitor: Reader, pattern: URLPattern) -> None:
    address = _address(pattern)
    answers = [visitor.get(address), visitor.post(address)]
    sent = [
        answer.status_code in {302, 303} and "/sign-in" in answer["Location"] for answer in answers
    ]
    refused = [answer.status_code == 405 for answer in answers]
    guarded = all(s or r for s, r in zip(sent, refused, strict=True))
    assert guarded or pattern.name in OPEN_TO_VISITORS


def test_every_page_keeps_the_policy(db: None) -> None:
    world = make_world()
    readers = _readers(world)
    for page in PAGES:
        response = readers[page.who].get(page.url(world))
        assert response.status_code == page.status, page.name
        html = response.content.decode()
        parser = _Inline()
        parser.feed(html)
        assert parser.found == [], page.name
        repeated = [one for one, count in Counter(parser.ids).items() if count > 1]
        assert repeated == [], page.name
        policy = response["Content-Security-Policy"]
        assert "script-src 'self';" in policy, page.name
        assert ("unsafe-inline" in policy) == (page.name == "reference"), page.name
        assert "no-store" in response["Cache-Control"], page.name
        assert "HX-Request" in response["Vary"], page.name
        assert '<a class="skip" href="#main">' in html
        assert html.split('class="prose"')[0].count("<h1>") == 1, page.name
        assert 'hx-history="false"' in html


def _readers(world: World) -> dict[str, Reader]:
    return {
        "nobody": Reader(),
        "reviewer": Reader(world.reviewer),
        "author": Reader(world.author),
        "admin": Reader(world.admin),
    }


def test_a_fragment_is_a_part_of_its_page(scene: Scene, reviewer: Reader) -> None:
    whole = reviewer.get("/").content.decode()
    part = reviewer.get("/", htmx=True).content.decode()
    assert "<html" in whole
    assert "<html" not in part
    assert _words(part) in _words(whole)


def _words(html: str) -> str:
    return re.sub(r"\s+", " ", html).strip()


def test_history_restores_get_the_whole_page(scene: Scene, reviewer: Reader) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert b"<html" in reviewer.client.get("/", headers=headers).content


def test_the_theme_is_rendered_from_its_cookie(visitor: Reader) -> None:
    assert 'data-theme="auto"' in visitor.text("/sign-in")
    response = visitor.post("/theme", {"theme": "dark", "next": "/sign-in"})
    assert (response.status_code, response["Location"]) == (303, "/sign-in")
    assert response.cookies["theme"]["httponly"]
    assert 'data-theme="dark"' in visitor.text("/sign-in")
    visitor.post("/theme", {"theme": "<script>"})
    assert 'data-theme="dark"' in visitor.text("/sign-in")


def test_next_is_spelled_as_a_header_can_carry_it(visitor: Reader) -> None:
    for next_, sent in (("/a\r\nSet-Cookie: x=1", "/a%0D%0ASet-Cookie:%20x=1"), ("/é", "/%C3%A9")):
        assert visitor.post("/theme", {"theme": "dark", "next": next_})["Location"] == sent


def test_next_never_leads_to_another_site(visitor: Reader) -> None:
    for next_ in ("https://example.org/", "//example.org/", "javascript:alert(1)", "\\\\x"):
        assert visitor.post("/theme", {"theme": "dark", "next": next_})["Location"] == "/"


def test_a_person_of_two_workspaces_chooses_one(scene: Scene, reviewer: Reader) -> None:
    other = make_workspace("zz-another")
    member = make_person(other, "Robin Elsewhere")
    member.user = scene.reviewer.user
    member.save()
    store = make_store(other, "their-store")
    grant(member, store, "read")

    assert "their-store" not in reviewer.text("/stores")
    offered = reviewer.text(f"/stores/{store}", answers=404)
    assert "This is in your other Workspace, zz-another." in offered
    nobody = Reader(scene.author).text(f"/stores/{store}", answers=404)
    assert "your other Workspace" not in nobody

    answer = reviewer.post("/workspace", {"workspace": other.id, "next": f"/stores/{store}"})
    assert answer["Location"] == f"/stores/{store}"
    assert "their-store" in reviewer.text(f"/stores/{store}")


def test_no_other_workspace_can_be_chosen(scene: Scene, reviewer: Reader) -> None:
    other = make_workspace("zz-another")
    assert reviewer.post("/workspace", {"workspace": other.id}).status_code == 404
    assert reviewer.post("/workspace", {"workspace": "nonsense"}).status_code == 404


@pytest.mark.parametrize("what", ["principal", "workspace"])
def test_the_disabled_see_nothing(scene: Scene, reviewer: Reader, what: str) -> None:
    disabled: Any = scene.reviewer if what == "principal" else scene.workspace
    disabled.state = "disabled"
    disabled.save()
    assert "auth.disabled_tenancy" in reviewer.text("/", answers=403)
    assert "auth.disabled_tenancy" in reviewer.text("/no-such-page", answers=403)
