"""Pictures of every page for people to look at: var/screenshots/<page>-<width>-<theme>.png."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.chromium import launch
from tests.browser.pages import PAGES, Page
from tests.browser.world import World
from tests.factories import PASSWORD

WIDTHS = {1440: 900, 390: 844}
THEMES: Final = ("light", "dark")
TIMEOUT: Final = 120_000
"""Milliseconds for a page whose scripts draw it, on a busy machine."""

KEPT: Final = {"proposal-fresh": Path("docs/images/review.png")}
"""Pages whose picture stands in the documentation, as far as a screen shows it."""

KEPT_SIZE: Final = {"width": 1280, "height": 1000}

FOLDER = Path("var/screenshots")


def capture(base: str, world: World, names: list[str], folder: Path = FOLDER) -> None:
    """Take the pictures of some pages, or of all when none is named; of all, README's too."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [page for page in PAGES if not names or page.name in names]
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for who in sorted({page.who for page in wanted}):
            state = _signed_in(browser, base, world, who)
            for width, height in WIDTHS.items():
                with _context(browser, {"width": width, "height": height}, state) as context:
                    for page in (each for each in wanted if each.who == who):
                        _shoot(
                            context, base + page.url(world), page, f"{page.name}-{width}", folder
                        )
        for page in (each for each in wanted if each.name in KEPT):
            state = _signed_in(browser, base, world, page.who)
            _keep(browser, base + page.url(world), KEPT[page.name], state)
        browser.close()


def _keep(browser: Browser, url: str, picture: Path, state: Any) -> None:
    """The picture of a page in the documentation, sharp on any screen."""
    with _context(browser, KEPT_SIZE, state, device_scale_factor=1.5) as context:
        tab = context.new_page()
        tab.goto(url)
        tab.screenshot(path=str(picture))


def _shoot(context: BrowserContext, url: str, page: Page, name: str, folder: Path) -> None:
    """One load shows both themes, except where a script asks for the theme as it draws."""
    tab = context.new_page()
    tab.goto(url)
    for theme in THEMES:
        tab.emulate_media(color_scheme=theme)
        if page.settled:
            tab.reload()
            tab.wait_for_selector(page.settled)
        elif page.then and theme == THEMES[0]:
            page.then(tab)
        tab.screenshot(path=str(folder / f"{name}-{theme}.png"), full_page=True)
    tab.close()


@contextmanager
def _context(browser: Browser, size: Any, state: Any, **options: Any) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport=size, storage_state=state, reduced_motion="reduce", **options
    )
    context.set_default_timeout(TIMEOUT)
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
