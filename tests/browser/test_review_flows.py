"""The review page by keys alone, in two tabs at once, and after a reload."""

import re

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from console.drawing import diffs as diffing
from proposals.models import Proposal
from tests.browser.conftest import Open
from tests.browser.world import World, decide, propose

LINES = [f"line {number}\n" for number in range(1, 101)]


@pytest.fixture
def long(world: World) -> str:
    """A Proposal that changes line 50 of 100."""
    text = "".join(LINES)
    first = propose(world.author, world.store, "Long", {"/long.txt": text})
    decide(world.reviewer, world.store, first, "approve")
    changed = text.replace("line 50\n", "line fifty\n")
    return propose(world.author, world.store, "Longer", {"/long.txt": changed, "/z.txt": "z  z\n"})


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
def test_a_gap_opens_step_by_step(world: World, long: str, open_as: Open, scripts: bool) -> None:
    page = open_as("reviewer", java_script_enabled=scripts).new_page()
    page.goto(f"/proposals/{long}")
    expect(page.get_by_text("line 30", exact=True)).to_have_count(0)
    page.locator("#file-1").get_by_role("link", name="20 more lines").first.click()
    expect(page.get_by_text("line 30", exact=True).first).to_be_visible()
    expect(page.get_by_text("line 20", exact=True)).to_have_count(0)
    page.locator("#file-1").get_by_role("link", name=re.compile("^Show")).first.click()
    expect(page.get_by_text("line 1", exact=True).first).to_be_visible()
    assert (f"/proposals/{long}" in page.url) is scripts


def test_keys_reach_everything(world: World, long: str, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto(f"/proposals/{long}")
    page.keyboard.press("e")
    expect(page.get_by_text("line 30", exact=True).first).to_be_visible()
    expect(page.locator("a[data-gap]:focus")).to_have_count(1)
    page.keyboard.press("w")
    expect(page).to_have_url(re.compile("space=ignored"))
    page.keyboard.press("w")
    expect(page).to_have_url(re.compile("space=shown"))
    page.keyboard.press("/")
    expect(page.get_by_label("Filter files")).to_be_focused()
    page.keyboard.type("long")
    expect(page.locator("#file-2")).to_be_hidden()
    page.get_by_label("Filter files").fill("")
    expect(page.locator("#file-2")).to_be_visible()
    page.get_by_label("Filter files").blur()
    page.keyboard.press("v")
    expect(page.locator("#viewed-progress")).to_contain_text("Viewed 1 of 2")


def test_the_focus_comes_back(world: World, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto(f"/proposals/{world.proposals['fresh']}")
    opener = page.get_by_role("button", name="Keys")
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#key-help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    page.keyboard.press("r")
    expect(page.locator("#note-reject")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#reject summary")).to_be_focused()


def test_a_draft_outlives_a_reload(world: World, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto(f"/proposals/{world.proposals['fresh']}")
    page.keyboard.press("r")
    page.keyboard.type("Half a thought")
    page.locator("#talks textarea").last.fill("And another")
    page.reload()
    expect(page.locator("#note-reject")).to_have_value("Half a thought")
    expect(page.locator("#talks textarea").last).to_have_value("And another")
    page.locator("#talks").get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator("#talks .said-text").last).to_have_text("And another")
    page.reload()
    expect(page.locator("#talks textarea").last).to_have_value("")


def test_a_draft_of_an_edit_does_too(world: World, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto(f"/proposals/{world.proposals['fresh']}")
    said = page.locator(".said", has_text="Please say which dialect.")
    said.get_by_text("Edit").click()
    said.locator("textarea").fill("Please say which dialect, and why.")
    page.reload()
    expect(said.locator("textarea")).to_have_value("Please say which dialect, and why.")
    said.get_by_role("button", name="Save").click()
    expect(page.locator(".said", has_text="and why.").locator(".said-text")).to_be_visible()
    page.reload()
    edited = page.locator(".said", has_text="and why.").locator("textarea")
    expect(edited).to_have_value("Please say which dialect, and why.")


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
def test_two_tabs_decide_once(world: World, open_as: Open, scripts: bool) -> None:
    context = open_as("reviewer", java_script_enabled=scripts)
    one, other = context.new_page(), context.new_page()
    for tab in (one, other):
        tab.goto(f"/proposals/{world.proposals['fresh']}")
    _decide(one, "reject", "Not now.")
    expect(one.locator("#notices")).to_contain_text("Rejected")
    _decide(other, "approve", "Fine.")
    expect(other.get_by_role("alert")).to_contain_text("already rejected")
    expect(other.locator(".timeline")).to_contain_text("tried to approve and was refused")
    assert Proposal.objects.get(id=world.proposals["fresh"]).status == "rejected"
    one.go_back()
    expect(one.locator("#state")).to_contain_text("Rejected")


def test_a_double_click_decides_once(world: World, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto(f"/proposals/{world.proposals['fresh']}")
    page.click("#approve summary")
    page.dblclick("#approve button.good")
    expect(page.locator("#state")).to_contain_text("Approved")
    expect(page.locator(".timeline")).not_to_contain_text("refused")


def test_loading_all_takes_the_tick_away(
    world: World, open_as: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diffing, "FILE_LINES", 5)
    page = open_as("reviewer").new_page()
    page.goto(f"/proposals/{world.proposals['fresh']}")
    page.click("#approve summary")
    expect(page.get_by_label("without having seen")).to_be_visible()
    page.keyboard.press("Escape")
    while page.get_by_role("link", name="Load this file").count():
        page.get_by_role("link", name="Load this file").first.click()
        page.wait_for_function("() => !document.querySelector('.htmx-request')")
        page.wait_for_timeout(100)
    page.click("#approve summary")
    expect(page.get_by_label("without having seen")).to_have_count(0)
    page.click("#approve button.good")
    expect(page.locator("#notices")).to_contain_text("Approved")


def _decide(tab: Tab, response: str, note: str) -> None:
    tab.click(f"#{response} summary")
    tab.fill(f"#note-{response}", note)
    tab.click(f"#{response} form button")
