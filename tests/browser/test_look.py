"""How pages arrive and behave: light, without a jump, by keys alone, and the same after Back."""

from collections.abc import Iterator
from gzip import compress

import pytest
from playwright.sync_api import BrowserContext, Response, expect
from playwright.sync_api import Page as Tab

from memory.models import MemoryStore
from tests.browser.conftest import Open
from tests.browser.pages import PAGES, Page
from tests.browser.world import World
from tests.factories import PASSWORD

HEAVIEST = 150_000
"""Bytes of a page with all that it loads, compressed as servers send it."""

VIEWERS = {"reference"}
"""Pages that are a library's viewer, which weighs what it weighs."""

MOVED = """() => new Promise((done) => {
  let moved = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) moved += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(moved), 50);
})"""

MOST_MOVED = 0.1
"""Cumulative layout shift that Web Vitals call good. A machine that is busy draws in pieces."""

SAMPLED = {
    "queue", "proposal-fresh", "proposal-split", "stores", "store-documents", "store-history-long",
    "store-settings-rules", "document", "document-blame", "version-large", "compare", "session",
    "session-new-exact", "access-admin", "access-explained", "audit", "keys", "jobs", "errors",
    "capabilities", "sign-in", "not-found", "find",
}  # fmt: skip
"""Pages that between them hold every piece of the design."""


def _by_person(names: set[str] | None = None) -> Iterator[tuple[str, list[Page]]]:
    for who in ("nobody", "reviewer", "author", "admin"):
        yield who, [p for p in PAGES if p.who == who and (names is None or p.name in names)]


def test_no_page_is_heavy_and_nothing_moves(world: World, open_as: Open) -> None:
    heavy, moved = {}, {}
    for who, pages in _by_person(SAMPLED | {"reference"}):
        for width in (1440, 390):
            context = open_as(who, viewport={"width": width, "height": 900})
            for page in pages:
                weight, shift = _arrive(context, page.url(world))
                if weight > HEAVIEST and page.name not in VIEWERS:
                    heavy[page.name] = weight
                if shift > MOST_MOVED and page.name not in VIEWERS:
                    moved[page.name, width] = shift
    assert heavy == {}
    assert moved == {}


def _arrive(context: BrowserContext, url: str) -> tuple[int, float]:
    tab = context.new_page()
    answers: list[Response] = []
    tab.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 (no built-in is taken)
    tab.goto(url)
    tab.wait_for_load_state("networkidle")
    shift = tab.evaluate(MOVED)
    weight = sum(len(compress(each.body())) for each in answers if each.status < 300)
    tab.close()
    return weight, shift


def test_every_page_is_whole_without_scripts(world: World, open_as: Open) -> None:
    wrong = {}
    for who, pages in _by_person():
        context = open_as(who, java_script_enabled=False)
        tab = context.new_page()
        for page in pages:
            answer = tab.goto(page.url(world), wait_until="domcontentloaded")
            seen = tab.get_by_role("heading", level=1).first.is_visible()
            dead = tab.locator("[data-needs-script]:visible, .copy:visible").count()
            if answer is None or answer.status != page.status or not seen or dead:
                wrong[page.name] = (answer and answer.status, seen, dead)
    assert wrong == {}


def _tab_to(tab: Tab, name: str) -> None:
    """Press Tab until something of that name has the focus."""
    for _ in range(80):
        tab.keyboard.press("Tab")
        at = tab.evaluate(
            "() => document.activeElement.getAttribute('aria-label')"
            " || document.activeElement.labels?.[0]?.textContent"
            " || document.activeElement.textContent"
        )
        if at and at.strip().startswith(name):
            return
    pytest.fail(f"Tab never reaches {name}")


def test_signing_in_finding_and_opening_by_keys_alone(world: World, open_as: Open) -> None:
    tab = open_as("nobody").new_page()
    tab.goto("/")
    expect(tab.get_by_label("User name")).to_be_focused()
    tab.keyboard.type(f"{world.workspace.name}-reviewer")
    tab.keyboard.press("Tab")
    tab.keyboard.type(PASSWORD)
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Review queue")

    tab.keyboard.press("Tab")
    expect(tab.get_by_role("link", name="Skip to the content")).to_be_focused()
    _tab_to(tab, "Stores")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Stores")
    tab.keyboard.press("/")
    expect(tab.get_by_label("Name or description")).to_be_focused()

    tab.goto("/access")
    tab.keyboard.press("/")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Find")
    tab.keyboard.type("release")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Proposals")).to_be_visible()
    _tab_to(tab, "Releases need two people")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Releases need two people")


def test_back_and_forward_send_nothing_again(world: World, open_as: Open) -> None:
    tab = open_as("author").new_page()
    tab.goto("/stores")
    tab.get_by_role("link", name="New store").click()
    tab.get_by_label("Name").fill("made-once")
    tab.get_by_role("button", name="Make the store").click()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("made-once")
    tab.go_back()
    expect(tab.get_by_role("heading", level=1)).to_have_text("New store")
    tab.go_forward()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("made-once")
    tab.reload()
    assert MemoryStore.objects.filter(name="made-once").count() == 1


def test_the_theme_is_there_with_the_first_byte(world: World, open_as: Open) -> None:
    """No flash: the server draws the chosen theme, whatever the system prefers."""
    context = open_as("reviewer", color_scheme="light", java_script_enabled=False)
    tab = context.new_page()
    tab.goto("/stores")
    light = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.get_by_title("Theme").click()
    tab.get_by_role("button", name="Dark").click()
    expect(tab.locator("html")).to_have_attribute("data-theme", "dark")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != light
