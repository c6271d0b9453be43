"""The browser that tests drive: whatever Chromium the machine has."""

import os
import shutil

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """The path of an installed Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def launch(playwright: Playwright) -> Browser:
    """Start it. The sandbox needs a user who is not root."""
    return playwright.chromium.launch(
        executable_path=find(), args=["--no-sandbox"] if os.geteuid() == 0 else []
    )
