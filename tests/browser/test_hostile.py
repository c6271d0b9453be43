"""Hostile texts in a real browser: nothing runs, nothing is loaded, nothing breaks the layout."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Request
from playwright.sync_api import Page as Tab

from console.links import document_url
from tests.browser.conftest import Open
from tests.browser.world import World, decide, propose
from tests.factories import grant, make_person, make_store
from tests.naughty import BODIES, LINES, MARKUP, PATHS, SHAPES

NAME = "\"><script>alert(1)</script>' onload=alert(1) \u202egnp.exe\u200b" + "w" * 120
WIDTHS = (1440, 390)
WIDE = """() => [...document.querySelectorAll('main *')]
  .filter(each => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .slice(0, 8).map(each => `${each.tagName}.${each.className} ${each.textContent.slice(0, 40)}`)"""
"""The elements that reach beyond the screen, for whoever has to mend it."""


@pytest.fixture
def urls(world: World) -> list[str]:
    """Pages full of what the suite holds: names, titles, notes, paths and bodies."""
    store = make_store(world.workspace, NAME)
    author = make_person(world.workspace, NAME, username="hostile-author")
    grant(author, store, "read", "write")
    grant(world.reviewer, store, "read", "write", "review")
    texts: dict[str, str | None] = {f"/{n}.md": text for n, text in enumerate(BODIES.values())}
    all_of_them = propose(author, store, NAME, texts | dict.fromkeys(PATHS, "# Fine\n"), NAME)
    for number, line in enumerate(LINES.values()):
        made = propose(author, store, line, {f"/{number}.txt": line}, line)
        if number % 4 == 0:
            decide(world.reviewer, store, made, "reject", line)
    shapes = "\n\n".join((*SHAPES.values(), *MARKUP.values())).replace("\x00", "")
    shown = propose(author, store, "Shapes", {"/shapes.md": shapes})
    decide(world.reviewer, store, shown, "approve", NAME)
    return [
        "/",
        f"/proposals/{all_of_them}",
        f"/proposals/{all_of_them}?layout=split",
        f"/proposals/{shown}",
        "/stores",
        f"/stores/{store}",
        f"/stores/{store}/history",
        f"/stores/{store}/proposals",
        document_url(store, "/shapes.md"),
        document_url(store, "/shapes.md", view="source"),
        document_url(store, "/shapes.md", view="blame"),
    ]


def test_nothing_runs_and_nothing_breaks(world: World, urls: list[str], open_as: Open) -> None:
    context = open_as("reviewer")
    complaints = {url: found for url in urls if (found := list(_complaints(context, url)))}
    assert complaints == {}


def test_a_report_leads_to_the_line(world: World, open_as: Open) -> None:
    tab = open_as("reviewer").new_page()
    tab.goto(f"/proposals/{world.proposals['hidden']}")
    tab.click("#text-safety a:has-text('/forum/notes.md:8')")
    row = tab.locator("tr", has=tab.locator(".found:target"))
    assert "zeroU+200Bwidth" in row.inner_text()
    assert row.evaluate("row => getComputedStyle(row).outlineStyle") == "solid"


def _complaints(context: BrowserContext, url: str) -> Iterator[str]:
    tab = context.new_page()
    heard = _listen(tab)
    title = _visit(tab, url)
    yield from heard
    if title.startswith("owned") or tab.evaluate("'owned' in window"):
        yield "a script ran"
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 844})
        wide = tab.evaluate("document.scrollingElement.scrollWidth")
        if wide > width:
            yield f"{wide} px wide on a screen of {width}: {tab.evaluate(WIDE)}"
    tab.close()


def _visit(tab: Tab, url: str) -> str:
    tab.goto(url, wait_until="networkidle")
    assert tab.locator("main").count() == 1
    return tab.title()


def _listen(tab: Tab) -> list[str]:
    """What a page says, asks or loads that it should not: refusals of its policy are errors."""
    heard: list[str] = []

    def console(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            heard.append(message.text)

    def dialog(shown: Dialog) -> None:
        heard.append(f"dialog: {shown.message}")
        shown.dismiss()

    def request(sent: Request) -> None:
        if "evil" in sent.url or "127.0.0.1" not in sent.url:
            heard.append(f"request: {sent.url}")

    tab.on("console", console)
    tab.on("dialog", dialog)
    tab.on("request", request)
    tab.on("pageerror", lambda error: heard.append(str(error)))
    return heard
