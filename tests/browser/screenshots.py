"""Pictures of every page for people to look at: var/screenshots/<page>-<width>-<theme>.png."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.chromium import launch
from tests.browser.pages import PAGES, Page
from tests.browser.world import World
from tests.factories import PASSWORD

WIDTHS = {1440: 900, 390: 844}
THEMES = ("light", "dark")
FOLDER = Path("var/screenshots")


def capture(base: str, world: World, names: list[str], folder: Path = FOLDER) -> None:
    """Take the pictures of some pages, or of all when none is named."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [page for page in PAGES if not names or page.name in names]
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for who in sorted({page.who for page in wanted}):
            state = _signed_in(browser, base, world, who)
            for width, theme in ((w, t) for w in WIDTHS for t in THEMES):
                with _context(browser, width, theme, state) as context:
                    for page in wanted:
                        if page.who == who:
                            _shoot(
                                context,
                                base,
                                world,
                                page,
                                folder / f"{page.name}-{width}-{theme}.png",
                            )
        browser.close()


def _shoot(context: BrowserContext, base: str, world: World, page: Page, file: Path) -> None:
    tab = context.new_page()
    tab.goto(base + page.url(world), wait_until="networkidle")
    if page.settled:
        tab.wait_for_selector(page.settled)
    tab.screenshot(path=str(file), full_page=True)
    tab.close()


@contextmanager
def _context(browser: Browser, width: int, theme: Any, state: Any) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport={"width": width, "height": WIDTHS[width]},
        color_scheme=theme,
        storage_state=state,
        reduced_motion="reduce",
    )
    yield context
    context.close()


def _signed_in(browser: Browser, base: str, world: World, who: str) -> Any:
    if who == "nobody":
        return None
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(f"{base}/sign-in")
    tab.fill("#id_username", f"{world.workspace.name}-{who}")
    tab.fill("#id_password", PASSWORD)
    tab.click("main button.primary")
    tab.wait_for_url(f"{base}/")
    state = context.storage_state()
    context.close()
    return state
