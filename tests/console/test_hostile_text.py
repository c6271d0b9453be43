"""Issue-proof text: whatever people and agents write runs nothing, hides nothing, costs little."""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from time import process_time
from urllib.parse import urlsplit

import pytest
from django.urls import Resolver404, resolve

from memory.diffs.lines import compare
from memory.models import MemoryStore
from memory.textsafety.characters import reveal
from tests.browser.world import decide
from tests.console.conftest import Reader, Scene
from tests.factories import grant, make_agent, make_key, make_person, make_service, make_store
from tests.naughty import BODIES, LINES, PATHS, SIZES

WORST = (
    "\"><script>alert(1)</script>' onload=alert(1) {{ x }} \u202egnp.exe\u200b\U000e0041 p\u0430y"
)
"""All in one name."""

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
FOREIGN = {"iframe", "object", "embed", "base", "style", "img", "video", "audio", "math"}
"""Elements that no page of the Console has."""

ENOUGH = 300_000
"""Characters of a long page that are looked through."""

ONCE = 3
"""Pages of one route that a crawl looks at."""


class Seen(HTMLParser):
    """What a browser would make of a page: its elements, and what a person reads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.complaints: list[str] = []
        self.words: list[str] = []
        self.links: list[str] = []
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.complaints += _complaints(tag, values)
        self.words += [values.get(name, "") for name in ("title", "aria-label", "placeholder")]
        if tag == "a":
            self.links.append(values.get("href", ""))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "textarea" not in self._open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def _complaints(tag: str, values: dict[str, str]) -> Iterator[str]:
    if tag in FOREIGN:
        yield f"<{tag}>"
    if tag == "script" and not values.get("src", "").startswith("/static/"):
        yield "a script of its own"
    for name, value in values.items():
        if name.startswith("on") or name in {"style", "srcdoc", "formaction"}:
            yield f"{name}={value}"
        if name in {"href", "src", "action"} and not re.match(r"https?:|mailto:|/|#|\?|$", value):
            yield f"{name}={value}"


def check(html: str) -> Seen:
    """Fail unless nothing of a page is somebody's markup, and nothing that it says is hidden."""
    seen = Seen(html)
    assert seen.complaints == []
    hidden = [words for words in seen.words if reveal(words) != words]
    assert hidden == []
    return seen


def test_bodies_and_paths(scene: Scene, reviewer: Reader) -> None:
    texts: dict[str, str | None] = {f"/{n}.md": text for n, text in enumerate(BODIES.values())}
    proposal = scene.propose("Naughty", texts | dict.fromkeys(PATHS, "# Fine\n"))
    for layout in ("unified", "split"):
        seen = check(reviewer.text(f"/proposals/{proposal}", layout=layout))
        for path in PATHS:
            assert path in seen.text
        assert "<img src=x onerror=alert(1)>" in seen.text
        assert "{{ request.user.password }}" in seen.text
    scene.approve(proposal)
    for path in (*texts, *PATHS):
        for view in ("rendered", "source", "blame"):
            check(reviewer.text(f"{scene.path}/document", path=path, view=view))


def test_titles_descriptions_and_notes(scene: Scene, reviewer: Reader) -> None:
    for number, (name, line) in enumerate(LINES.items()):
        made = scene.propose(line, {f"/{number}.md": name})
        if number % 3 == 0:
            decide(scene.reviewer, scene.store, made, "reject", BODIES[name])
        seen = check(reviewer.text(f"/proposals/{made}"))
        assert reveal(line) in _marked(seen.text) or reveal(line) != line
    for page in ("/", f"{scene.path}/proposals", f"{scene.path}/history"):
        check(reviewer.text(page))


def _marked(text: str) -> str:
    return " ".join(text.split())


def test_every_page_with_hostile_names(scene: Scene) -> None:
    """Walk from page to page over whatever links there are, as an admin who may do all."""
    person = make_person(scene.workspace, WORST, username="kay", is_admin=True)
    store = make_store(scene.workspace, WORST)
    MemoryStore.objects.filter(id=store).update(description=f"{WORST}\n{WORST}")
    grant(person, store, "read", "write", "review")
    grant(person, scene.store, "read", "write", "review")
    grant(make_agent(scene.workspace, WORST), store, "read")
    make_service(scene.workspace, WORST)
    make_key(scene.workspace, principal=person, name=WORST)
    hostile = Scene(scene.workspace, store, person, scene.reviewer, scene.admin)
    grant(scene.reviewer, store, "read", "review")
    hostile.approve(hostile.propose(WORST, {"/a.md": "a\n", PATHS[1]: WORST}))
    hostile.propose(WORST, {"/a.md": WORST, PATHS[2]: f"[{WORST}](https://x.example)"})
    routes = _crawl(Reader(person))
    assert len(routes) > 25


def _crawl(reader: Reader) -> Counter[str]:
    routes: Counter[str] = Counter()
    waiting, known = ["/"], {"/"}
    while waiting:
        url = waiting.pop(0)
        route = _route(url)
        if route is None or routes[route] >= ONCE:
            continue
        response = reader.client.get(url)
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            continue
        routes[route] += 1
        assert response.status_code == 200, (url, response.status_code)
        for link in check(response.content.decode()).links:
            target = link.partition("#")[0]
            target = f"{urlsplit(url).path}{target}" if target.startswith("?") else target
            if target.startswith("/") and target not in known:
                known.add(target)
                waiting.append(target)
    return routes


def _route(url: str) -> str | None:
    """The name of a page of the Console; None for what is no page of it."""
    try:
        found = resolve(urlsplit(url).path)
    except Resolver404:
        return None
    return found.url_name if found.namespace == "console" else None


@pytest.mark.parametrize("name", SIZES)
def test_sizes(scene: Scene, reviewer: Reader, name: str) -> None:
    text = SIZES[name]
    scene.approve(scene.propose("Before", {"/large.md": text[: len(text) // 2]}))
    proposal = scene.propose("After", {"/large.md": text[::-1]})
    for layout in ("unified", "split"):
        began = process_time()
        page = reviewer.text(f"/proposals/{proposal}", layout=layout)
        # About 0.6 s where it was written; the rest is for slow machines.
        assert process_time() - began < 4
        assert len(page) < 2_500_000
        check(page)
    scene.approve(proposal)
    page = reviewer.text(f"{scene.path}/document", path="/large.md", view="source")
    check(page[:ENOUGH])


@pytest.mark.parametrize("name", SIZES)
def test_the_diff_itself_is_bounded(name: str) -> None:
    text = SIZES[name]
    began = process_time()
    compare(text, text[::-1])
    assert process_time() - began < 1.5


def test_markup_is_shown_as_it_was_written(scene: Scene, reviewer: Reader) -> None:
    body = BODIES["markup: script"]
    scene.approve(scene.propose(LINES["markup: script"], {"/x.md": f"{body}\n"}))
    for view in ("rendered", "source"):
        page = reviewer.text(f"{scene.path}/document", path="/x.md", view=view)
        assert "<script>window" not in page
        assert body in unescape(page)
