"""One sign-in is enough: what somebody does who was told nothing but where to sign in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from playwright.sync_api import Browser, Locator, expect
from playwright.sync_api import Page as Tab

from console.demo.loading import load_demo
from memory.models import MemoryStore
from memory.queries.versions import canonical_id
from proposals.models import Proposal
from sessions.models import Mount
from tests.browser.serving import PLAIN_FILES, served
from tests.gitrepos import GitRepo

READING_ORDER = "Add a reading order for newcomers"
TICKETS = "Say what a ticket may hold about a person"
PAGING = "Page the second person when 5,000 events wait"
LINE = "If you cannot answer without the order's number"


@pytest.fixture
def password(
    chromium: Browser, transactional_db: None, settings: LazySettings, tmp_path: Path
) -> str:
    """The demo is loaded; the password of its people."""
    checkout = GitRepo(tmp_path / "checkout")
    checkout.commit({"docs/glossary.md": "# Glossary\n"}, "Begin")
    settings.BASE_DIR, settings.STATE_DIR = checkout.path, tmp_path / "state"
    settings.STORAGES = PLAIN_FILES
    settings.SECURE_COOKIES = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    return load_demo()[1].password


@pytest.fixture
def tab(chromium: Browser, password: str) -> Iterator[Tab]:
    """An empty browser at the door."""
    with served() as base:
        context = chromium.new_context(base_url=base, reduced_motion="reduce")
        tab = context.new_page()
        tab.goto("/")
        yield tab
        context.close()


def test_one_sign_in_is_enough(tab: Tab, password: str) -> None:
    tab.get_by_label("User name").fill("reviewer")
    tab.get_by_label("Password").fill(password)
    tab.get_by_role("button", name="Sign in").click()

    _approve(tab, READING_ORDER)
    _approve(tab, TICKETS)
    _repropose_the_stale_one(tab)
    assert [Proposal.objects.get(title=title).status for title in (READING_ORDER, TICKETS)] == [
        "approved",
        "approved",
    ]

    version = _find_out_who_wrote(tab, LINE)
    _open_a_reader(tab)
    store = MemoryStore.objects.get(name="team-memory")
    mount = Mount.objects.get(session__principal__name="Reviewer", store=store)
    assert mount.selection_id == version != canonical_id(store.id)


def _row(tab: Tab, title: str) -> Locator:
    tab.get_by_role("navigation", name="Main").get_by_role("link", name="Review queue").click()
    return tab.get_by_role("row").filter(has_text=title)


def _approve(tab: Tab, title: str) -> None:
    _row(tab, title).get_by_role("link", name=title).click()
    expect(tab.get_by_role("heading", level=1)).to_have_text(title)
    tab.get_by_text("Approve…", exact=True).click()
    tab.get_by_role("button", name="Approve", exact=True).click()
    expect(tab.get_by_role("status")).to_contain_text("exactly the reviewed head")


def _repropose_the_stale_one(tab: Tab) -> None:
    row = _row(tab, PAGING)
    expect(row).to_contain_text("Canonical moved")
    row.get_by_role("link", name=PAGING).click()
    expect(tab.get_by_text("Canonical moved since this Proposal's base")).to_be_visible()
    expect(tab.get_by_text("Approve…", exact=True)).to_have_count(0)
    tab.get_by_role("link", name="See everything that moved").click()
    expect(tab.get_by_role("table").first).to_be_visible()
    tab.get_by_role("button", name="Re-propose").first.click()
    expect(tab.get_by_role("status")).to_contain_text("today's canonical")


def _find_out_who_wrote(tab: Tab, line: str) -> str:
    """Leads to the version that wrote the line; returns its ID."""
    tab.get_by_role("link", name="Stores", exact=True).first.click()
    tab.get_by_role("link", name="team-memory", exact=True).click()
    tab.get_by_role("link", name="support", exact=True).click()
    tab.get_by_role("link", name="tone.md").click()
    tab.get_by_role("link", name="Who wrote it").click()
    row = tab.get_by_role("row").filter(has_text=line)
    who = row.get_by_role("link", name="Author")
    expect(who).to_be_visible()
    who.click()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("Ask for the order's number")
    return tab.url.rpartition("/")[2]


def _open_a_reader(tab: Tab) -> None:
    tab.get_by_role("link", name="Open a reader Session here").click()
    expect(tab.get_by_text("and never another")).to_be_visible()
    tab.get_by_role("button", name="Make the Session").click()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("Support agent")
    expect(tab.get_by_text("Read only").first).to_be_visible()
