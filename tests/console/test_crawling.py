"""No dead end: from home, links reach every page, and none of them leads to an error.

Links to documents are let pass: where a text was erased, its page says so and answers 404.
"""

import re
from collections import deque
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from django.urls import Resolver404, resolve

from console.urls import urlpatterns
from tests.browser.pages import NOT_PICTURED
from tests.browser.world import make_world
from tests.console.conftest import Reader

OTHERWISE_REACHED = {
    "sign-in": "one is sent to it",
    "notices-confirm": "a link in a letter",
    "notices-unsubscribe": "a link in a letter",
    "queue-decide": "the button of what was chosen in the queue",
    "proposal-merge": "the button that re-proposes, where paths conflict",
    "store-search": "the search box of a store",
    "compare-file": "a link in files that are too large to show, in a real browser",
}
FILES = {name for name, why in NOT_PICTURED.items() if why == "a file"}
FORMS = set(NOT_PICTURED) - FILES


class _Links(HTMLParser):
    """Where the links of a page lead."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get("href")
        if tag == "a" and address:
            self.found.append(address)


def test_links_reach_every_page_and_none_fails(db: None) -> None:
    world = make_world()
    reached: set[str] = set()
    failed: list[tuple[str, str, int]] = []
    for person in (world.reviewer, world.author, world.admin):
        crawl = _Crawl(Reader(person))
        reached |= crawl.reached
        failed += [(person.name, *each) for each in crawl.failed]
    assert [each for each in failed if "/document?" not in each[1]] == []
    pages = {str(pattern.name) for pattern in urlpatterns} - FORMS
    assert sorted(pages - reached - set(OTHERWISE_REACHED)) == []


class _Crawl:
    """Every link from home on, breadth first."""

    def __init__(self, reader: Reader) -> None:
        self.reached: set[str] = set()
        self.failed: list[tuple[str, int]] = []
        self._shapes: set[tuple[str, ...]] = set()
        self._reader = reader
        waiting = deque(["/"])
        known = {"/"}
        while waiting:
            address = waiting.popleft()
            for link in self._open(address):
                if link not in known and self._is_new(link):
                    known.add(link)
                    waiting.append(link)

    def _open(self, address: str) -> Iterator[str]:
        response = self._reader.client.get(address)
        self.reached.add(_route_of(address))
        if response.status_code >= 400 and not _explains(response):
            self.failed.append((address, response.status_code))
        if "text/html" not in response["Content-Type"]:
            return
        html = response.content.decode()
        assert 'class="brand" href="/"' in html, address
        parser = _Links()
        parser.feed(html.split('class="prose"')[0])
        for link in parser.found:
            target = urldefrag(urljoin(f"http://testserver{address}", link))[0]
            if urlsplit(target).netloc == "testserver":
                yield target.removeprefix("http://testserver")

    def _is_new(self, address: str) -> bool:
        """Whether none of that shape was opened yet: its route, and what it asks for.

        Lists lead to many pages that differ in their IDs only.
        """
        name = _route_of(address)
        if name in FILES:  # downloads have tests of their own, and stream outside a transaction
            self.reached.add(name)
            return False
        words = [key for key, _ in parse_qsl(urlsplit(address).query)]
        shape = (name, *sorted(words))
        is_new = shape not in self._shapes
        self._shapes.add(shape)
        return is_new


def _route_of(address: str) -> str:
    """The name of an address's route; the path where it has none."""
    path = urlsplit(address).path
    try:
        return str(resolve(path).url_name)
    except Resolver404:
        return path


def _explains(response: object) -> bool:
    """Whether the page says which grant is missing, which an admin is told on purpose."""
    text = re.sub(r"\s+", " ", response.content.decode())  # type: ignore[attr-defined]
    return "You hold no grant of <code>read</code>" in text or "needs a grant of" in text
