"""Working through the queue in a real browser: views, keys, several decisions, notices."""

import re

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from proposals.models import Proposal
from tests.browser.conftest import Open
from tests.browser.world import World, propose
from tests.notices.telling import tell_all

both = pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])


def status(proposal: str) -> str:
    return Proposal.objects.get(id=proposal).status


def row(tab: Tab, title: str):
    return tab.locator("tr", has_text=title)


@both
def test_several_decisions_each_with_its_result(world: World, open_as: Open, scripts: bool) -> None:
    one = propose(world.author, world.store, "Bulk one", {"/bulk/one.md": "first\n"})
    two = propose(world.author, world.store, "Bulk two", {"/bulk/two.md": "second\n"})
    three = propose(world.author, world.store, "Bulk three", {"/bulk/three.md": "third\n"})
    tab = open_as("reviewer", java_script_enabled=scripts).new_page()
    tab.goto("/")
    for title in ("Bulk one", "Bulk two", "Bulk three"):
        row(tab, title).get_by_role("checkbox").check()
    if scripts:
        expect(tab.locator("[data-picked]")).to_have_text("3 chosen")
    tab.get_by_role("button", name="Decide on those chosen").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Decide on 3 Proposals")
    for text in ("first", "second", "third"):
        expect(tab.locator("td.add", has_text=text).first).to_be_visible()
    tab.locator(f"#{one}").get_by_label("Approve").check()
    tab.locator(f"#{two}").get_by_label("Reject").check()
    tab.fill(f"#{two}-note", "Not here.")
    tab.get_by_role("button", name="Send these decisions").click()
    expect(row(tab, "Bulk one")).to_contain_text("Canonical is exactly the reviewed head.")
    expect(row(tab, "Bulk two")).to_contain_text("Canonical stays as it was.")
    expect(tab.locator(".page-lead")).to_contain_text("1 left alone")
    assert [status(each) for each in (one, two, three)] == ["approved", "rejected", "open"]
    tab.get_by_role("link", name="Back to the queue").click()
    expect(row(tab, "Bulk three")).to_contain_text("Canonical moved")


@both
def test_a_view_is_saved_and_the_queue_begins_with_it(
    world: World, open_as: Open, scripts: bool
) -> None:
    propose(world.author, world.store, "Only this one", {"/only.md": "1\n"})
    tab = open_as("reviewer", java_script_enabled=scripts).new_page()
    tab.goto("/?show=all")
    tab.fill("#q", "Only this")
    tab.get_by_role("button", name="Filter").click()
    expect(row(tab, "Only this one")).to_have_count(1)
    expect(tab.locator("tr", has_text="Careful")).to_have_count(0)
    tab.locator("summary", has_text="Save this view").click()
    tab.fill("#save-name", "Mine")
    tab.check("#save-is_default")
    tab.locator(".save-view").get_by_role("button", name="Save").click()
    expect(tab.locator("#notices")).to_contain_text("The view is saved.")
    tab.goto("/")
    expect(tab).to_have_url(re.compile("q=Only"))
    expect(tab.locator("#saved-views [aria-current]")).to_contain_text("Mine")
    tab.get_by_role("button", name="Begin with everything again").click()
    tab.goto("/")
    expect(tab.locator("#q")).to_have_value("")


def test_the_keys_choose_and_open_and_send_nothing(world: World, open_as: Open) -> None:
    tab = open_as("reviewer").new_page()
    tab.goto("/?section=waiting")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    rows = tab.locator("[data-row]")
    expect(rows.nth(1)).to_have_class("at")
    tab.keyboard.press("x")
    expect(rows.nth(1).get_by_role("checkbox")).to_be_checked()
    tab.keyboard.press("k")
    tab.keyboard.press("x")
    expect(tab.locator("[data-picked]")).to_have_text("2 chosen")
    tab.keyboard.press("b")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Decide on 2 Proposals")
    tab.keyboard.press("j")
    tab.keyboard.press("r")
    item = tab.locator("[data-item]").first
    if item.locator("[data-verdict=r]").count():
        expect(item.locator("[data-verdict=r]")).to_be_checked()
        tab.keyboard.press("l")
        expect(item.locator("[data-verdict=l]")).to_be_checked()
    tab.go_back()
    expect(tab.locator("[data-picked]")).to_have_text("2 chosen")


def test_a_key_opens_the_form_of_the_proposal(world: World, open_as: Open) -> None:
    opened = propose(world.author, world.store, "By keys", {"/keys.md": "1\n"})
    tab = open_as("reviewer").new_page()
    tab.goto("/?q=By+keys")
    tab.keyboard.press("j")
    tab.keyboard.press("a")
    expect(tab.locator("#note-approve")).to_be_visible()
    tab.goto("/?q=By+keys")
    tab.keyboard.press("j")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", level=1)).to_have_text("By keys")
    assert status(opened) == "open"


@both
def test_a_notice_leads_there_and_is_read(world: World, open_as: Open, scripts: bool) -> None:
    tell_all()
    tab = open_as("reviewer", java_script_enabled=scripts).new_page()
    tab.goto("/notices")
    tab.get_by_role("button", name="Mark all as read").click()
    expect(tab.locator(".bell .count")).to_have_count(0)
    propose(world.author, world.store, "Tell me", {"/tell.md": "1\n"})
    tell_all()
    tab.goto("/")
    expect(tab.locator(".bell .count")).to_have_text("1")
    tab.locator(".bell").click()
    tab.get_by_role("button", name="Tell me").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Tell me")
    expect(tab.locator(".bell .count")).to_have_count(0)
