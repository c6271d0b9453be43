"""Histories in a real browser: lines that are picked, links that stay, filters, tags."""

import re

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from console.links import document_url
from memory.queries.versions import canonical_id
from tests.browser.conftest import Open
from tests.browser.world import World

PATH = "/guides/releases.md"
KINDS = {"Canonical", "Session", "Proposal", "Curation"}


def _source(world: World, **more: str) -> str:
    return document_url(world.store, PATH, canonical_id(world.store), **{"view": "source"} | more)


def _picked(tab: Tab) -> list[str]:
    found: list[str] = tab.eval_on_selector_all("tr.picked", "rows => rows.map(row => row.id)")
    return found


def test_clicks_pick_lines_and_the_links_follow(world: World, open_as: Open) -> None:
    tab = open_as("reviewer").new_page()
    tab.goto(_source(world))
    tab.click("#L3 .ln a")
    assert _picked(tab) == ["L3"]
    tab.click("#L5 .ln a", modifiers=["Shift"])
    assert _picked(tab) == ["L3", "L4", "L5"]
    assert tab.url.endswith("#L3-L5")
    copy = tab.get_by_role("button", name="Copy permalink", exact=True)
    expect(tab.get_by_text("Lines 3 to 5")).to_be_visible()
    permalink = copy.get_attribute("data-copy") or ""
    assert permalink.endswith("#L3-L5")
    assert f"version={canonical_id(world.store)}" in permalink

    tab.goto("about:blank")
    tab.goto(permalink)
    assert _picked(tab) == ["L3", "L4", "L5"]
    tab.click("#L1 .ln a", modifiers=["Shift"])
    assert _picked(tab) == ["L1", "L2", "L3"]


def test_lines_of_a_rendered_document_lead_to_its_source(world: World, open_as: Open) -> None:
    tab = open_as("reviewer").new_page()
    tab.goto(f"{document_url(world.store, PATH)}#L4")
    tab.wait_for_selector("tr.picked")
    assert _picked(tab) == ["L4"]
    assert "view=source" in tab.url
    tab.goto(f"{document_url(world.store, PATH, view='blame')}#L2-L3")
    tab.wait_for_selector("tr.picked")
    assert _picked(tab) == ["L2", "L3"]


def test_without_scripts_an_anchor_is_enough(world: World, open_as: Open) -> None:
    tab = open_as("reviewer", java_script_enabled=False).new_page()
    tab.goto(_source(world))
    tab.click("#L5 .ln a")
    assert tab.url.endswith("#L5")
    assert tab.locator("tr:target").get_attribute("id") == "L5"
    expect(tab.get_by_role("button", name="Copy permalink")).to_be_hidden()
    tab.click("summary:has-text('Links')")
    tab.click("a:has-text('Permalink')")
    assert f"version={canonical_id(world.store)}" in tab.url


def test_who_last_changed_a_line_is_found_by_clicking(world: World, open_as: Open) -> None:
    """From the queue, as somebody who has read no documentation."""
    tab = open_as("reviewer", java_script_enabled=False).new_page()
    tab.goto("/")
    tab.click(".topnav a:has-text('Stores')")
    tab.click("main a:has-text('team-memory')")
    tab.click("a:has-text('guides')")
    tab.click("a:has-text('oncall.md')")
    tab.click("a:has-text('Who wrote it')")
    row = tab.locator("tr", has_text="Hand over on").locator("xpath=.")
    expect(row).to_contain_text("Ada Author")
    tab.click("a.earlier >> nth=0")
    expect(tab.locator("main")).to_contain_text("Hand over on Mondays")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_the_history_is_narrowed_and_walked(world: World, open_as: Open, scripts: bool) -> None:
    tab = open_as("reviewer", java_script_enabled=scripts).new_page()
    tab.goto(f"/stores/{world.imported}/history")
    assert tab.locator("tr[id^=memver_]").count() == 50
    tab.click("text=Show more")
    expect(tab.locator("tr[id^=memver_]")).to_have_count(63 if scripts else 13)
    tab.goto(f"/stores/{world.imported}/history")
    tab.fill("input[name=path]", "/rules/everything")
    tab.click("button:has-text('Filter')")
    expect(tab.locator("tr[id^=memver_]")).to_have_count(2)
    assert "path=%2Frules%2Feverything" in tab.url
    tab.go_back()
    expect(tab.locator("tr[id^=memver_]").first).to_be_visible()
    tab.go_forward()
    expect(tab.locator("tr[id^=memver_]")).to_have_count(2)


def test_each_kind_of_branch_is_told_from_the_others(world: World, open_as: Open) -> None:
    tab = open_as("author").new_page()
    seen = set()
    for store in (world.own, world.store):
        tab.goto(f"/stores/{store}/history")
        branches = tab.locator("tr[id^=memver_] [data-label=Branch]").all_inner_texts()
        seen |= {kind for kind in KINDS if any(kind in branch for branch in branches)}
        assert tab.locator("tr[id^=memver_] .graph svg").count() == len(branches)
    assert seen == KINDS


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_a_version_is_named_compared_and_swapped(
    world: World, open_as: Open, scripts: bool
) -> None:
    tab = open_as("author", java_script_enabled=scripts).new_page()
    tab.goto(f"/stores/{world.store}/versions/{canonical_id(world.store)}")
    tab.click("summary:has-text('Name this version')")
    tab.fill("input[name=name]", "before the freeze")
    tab.click("button:has-text('Give it the tag')")
    expect(tab.locator("#notices")).to_contain_text("The version has its tag.")
    tab.goto(f"/stores/{world.store}/compare")
    tab.fill("input[name=words]", "before the freeze")
    tab.click("button:has-text('Search')")
    tab.click("a:has-text('Head') >> nth=0")
    tab.fill("input[name=words]", "Begin")
    tab.click("button:has-text('Search')")
    tab.click("a:has-text('Base') >> nth=0")
    expect(tab.locator(".file").first).to_be_visible()
    before = tab.url
    tab.click("a:has-text('Swap')")
    assert re.findall("memver_[0-9a-f]+", tab.url) == re.findall("memver_[0-9a-f]+", before)[::-1]
