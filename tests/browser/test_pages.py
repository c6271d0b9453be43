"""Every page: no finding of axe, no error in the console, no violation, no overflow."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage
from playwright.sync_api import Page as Tab

from tests.browser.conftest import Open
from tests.browser.pages import PAGES, Page, Who
from tests.browser.world import World

SERIOUS = {"serious", "critical"}
EVERYTHING = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
CONTRAST = {"runOnly": ["color-contrast"]}

TALLEST = 16_000
"""Pixels of a screen that Chromium still draws."""

VIEWER = "#swagger-ui"
"""Swagger UI's own markup is not ours to mend."""


@pytest.mark.parametrize("who", get_args(Who))
def test_every_page_is_clean(world: World, open_as: Open, who: Who) -> None:
    context = open_as(who)
    pages = [page for page in PAGES if page.who == who]
    complaints = {
        page.name: found for page in pages if (found := _complaints(context, page, world))
    }
    assert complaints == {}


def _complaints(context: BrowserContext, page: Page, world: World) -> list[str]:
    tab = context.new_page()
    heard = _listen(tab, page)
    answer = tab.goto(page.url(world))
    if page.settled:
        tab.wait_for_selector(page.settled)
    tab.wait_for_load_state("networkidle")
    if page.then:
        page.then(tab)
    found = list(findings(tab))
    if answer is None or answer.status != page.status:
        found.append(f"status {answer and answer.status}")
    tab.close()
    return found + heard


def findings(tab: Tab) -> Iterator[str]:
    # As tall as the page: what lies beneath the bar at its foot can be scrolled out from there.
    width = tab.evaluate("innerWidth")
    height = min(tab.evaluate("document.scrollingElement.scrollHeight"), TALLEST)
    tab.set_viewport_size({"width": width, "height": height})
    tab.emulate_media(color_scheme="light")
    yield from _axe(tab, EVERYTHING)
    tab.emulate_media(color_scheme="dark")
    yield from _axe(tab, CONTRAST)
    tab.set_viewport_size({"width": 390, "height": 844})
    width = tab.evaluate("document.scrollingElement.scrollWidth")
    if width > 390:
        yield f"{width} px wide on a screen of 390"


def _listen(tab: Tab, page: Page) -> list[str]:
    complaints: list[str] = []
    answered = [status for status in (page.status, 422 if page.then else 200) if status >= 400]

    def heard(message: ConsoleMessage) -> None:
        expected = any(f"status of {status}" in message.text for status in answered)
        if message.type in {"error", "warning"} and not expected:
            complaints.append(message.text)

    tab.on("console", heard)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def _axe(tab: Tab, options: dict[str, Any]) -> Iterator[str]:
    context = {"exclude": [[VIEWER]]}
    found = Axe().run(tab, context=context, options={"resultTypes": ["violations"], **options})
    for violation in found.response["violations"]:
        if violation["impact"] in SERIOUS:
            for node in violation["nodes"]:
                yield f"{violation['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
