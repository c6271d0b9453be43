"""A real Chromium on a live server over a world of committed rows."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser.chromium import find, launch
from tests.browser.serving import PLAIN_FILES, served
from tests.browser.world import World, make_world
from tests.factories import PASSWORD

MISSING = "no Chromium is installed; the browser tests need one (they are required when CI is set)"
TIMEOUT = 60_000
"""Milliseconds that anything waits at most: machines that run tests are busy."""

type Open = Callable[..., BrowserContext]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser. Its absence skips these tests, and fails them when CI is set."""
    if find() is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright runs an event loop in this very thread, and Django would refuse queries in it.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        expect.set_options(timeout=TIMEOUT)
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def world(chromium: Browser, transactional_db: None, settings: LazySettings) -> World:
    """Rows that the server's threads see as well."""
    settings.STORAGES = PLAIN_FILES
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.SECURE_COOKIES = False
    settings.SESSION_COOKIE_SECURE = False
    settings.CSRF_COOKIE_SECURE = False
    return make_world()


@pytest.fixture
def base(world: World) -> Iterator[str]:
    """The address of a server over that world."""
    with served() as address:
        yield address


@pytest.fixture
def open_as(chromium: Browser, base: str, world: World) -> Iterator[Open]:
    """Open a browser of somebody's: `open_as("reviewer", java_script_enabled=False)`."""
    contexts: list[BrowserContext] = []

    def open_context(who: str, **options: Any) -> BrowserContext:
        defaults = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
        context = chromium.new_context(base_url=base, **defaults | options)
        context.set_default_timeout(TIMEOUT)
        contexts.append(context)
        if who != "nobody":
            sign_in(context, f"{world.workspace.name}-{who}")
        return context

    yield open_context
    for context in contexts:
        context.close()


def sign_in(context: BrowserContext, username: str) -> None:
    """Sign somebody in through the form."""
    page = context.new_page()
    page.goto("/sign-in")
    page.fill("#id_username", username)
    page.fill("#id_password", PASSWORD)
    page.click("main button.primary")
    page.wait_for_selector("h1:has-text('Review queue')")
    page.close()
