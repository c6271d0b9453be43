"""Talking about a Proposal in a real browser: by mouse, without scripts, by keys alone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from proposals.models import Comment
from tests.browser.conftest import Open
from tests.browser.world import World

GUIDE = "/guides/releases.md"


def _address(world: World, proposal: str = "fresh") -> str:
    return f"/proposals/{world.proposals[proposal]}"


def _require_accessible(tab: Tab) -> None:
    found = Axe().run(tab).response["violations"]
    assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
@pytest.mark.parametrize("layout", ["unified", "split"])
def test_a_line_is_asked_about_answered_and_resolved(
    world: World, open_as: Open, scripts: bool, layout: str
) -> None:
    reviewer = open_as("reviewer", java_script_enabled=scripts).new_page()
    reviewer.goto(f"{_address(world)}?layout={layout}")
    sql = reviewer.locator(".file", has_text="/style/sql.md")
    sql.get_by_role("link", name="Comment on line 3").click()
    row = sql.locator("tr:has-text('Keywords in capitals') + tr.talk-row")
    expect(row.locator("textarea")).to_be_focused()
    row.locator("textarea").fill("All of <i>them</i>?")
    row.get_by_role("button", name="Comment").click()
    expect(row.locator(".said-text")).to_have_text("All of <i>them</i>?")
    expect(reviewer.locator("#open-threads")).to_have_text("4 unresolved threads")
    made = Comment.objects.latest("id")
    assert (made.path, made.side, made.line) == ("/style/sql.md", "head", 3)

    author = open_as("author", java_script_enabled=scripts).new_page()
    author.goto(f"{_address(world)}?layout={layout}")
    thread = author.locator(f"#talk-{made.id}")
    thread.get_by_text("Reply", exact=True).first.click()
    thread.locator("form textarea").last.fill("Those of the standard.")
    thread.get_by_role("button", name="Reply").click()
    expect(thread.locator(".said")).to_have_count(2)
    thread.get_by_role("button", name="Resolve").click()
    expect(thread).to_contain_text("Resolved by Ada Author")
    expect(author.locator("#open-threads")).to_have_text("3 unresolved threads")
    expect(author.locator(".timeline")).to_contain_text("line 5 of")


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
def test_ones_own_words_are_edited_and_deleted(world: World, open_as: Open, scripts: bool) -> None:
    page = open_as("author", java_script_enabled=scripts).new_page()
    page.goto(_address(world))
    form = page.locator("#talks form", has_text="Comment on the Proposal")
    form.locator("textarea").fill("A first thought")
    form.get_by_role("button", name="Comment").click()
    mine = page.locator(".said", has_text="A first thought")
    mine.get_by_text("Edit", exact=True).click()
    mine.locator("textarea").fill("A second thought")
    mine.get_by_role("button", name="Save").click()
    mine = page.locator(".said", has_text="A second thought")
    expect(mine).to_contain_text(", edited")
    mine.get_by_text("Edit", exact=True).click()
    mine.get_by_role("button", name="Delete").click()
    expect(page.locator("#talks")).to_contain_text("Deleted by its author")
    expect(page.locator("#talks")).not_to_contain_text("A second thought")


def test_two_forms_keep_what_is_typed_in_each(world: World, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto(_address(world))
    file = page.locator(".file", has_text=GUIDE).first
    file.get_by_role("link", name="Comment on line 6").click()
    file.locator("textarea:focus").fill("half a thought")
    file.get_by_role("link", name="Comment on line 8").click()
    other = file.locator("tr.talk-row textarea:focus")
    expect(other).to_have_value("")
    other.fill("a whole one")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(file).to_contain_text("a whole one")
    half = file.locator("tr.talk-row textarea:visible").first
    expect(half).to_have_value("half a thought")
    file.get_by_role("link", name="Comment on line 6").click()
    expect(half).to_be_focused()
    file.get_by_role("link", name="Cancel").click()
    expect(half).to_have_count(0)
    _require_accessible(page)


def test_by_keys_alone_a_line_is_named_in_the_form_of_its_file(world: World, open_as: Open) -> None:
    page = open_as("reviewer", java_script_enabled=False).new_page()
    page.goto(_address(world))
    file = page.locator(".file", has_text=GUIDE).first
    file.get_by_role("link", name="Comment", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#new-comment textarea")).to_be_focused()
    page.keyboard.type("How many robots?")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    expect(page.locator(".errorlist")).to_contain_text("lines on this side")
    expect(page.locator("#new-comment textarea")).to_have_value("How many robots?")
    page.locator("#new-comment input[name=line]").fill("12")
    page.keyboard.press("Enter")
    row = page.locator("tr:has-text('25 min') + tr.talk-row")
    expect(row).to_contain_text("How many robots?")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_threads_and_forms_are_accessible(world: World, open_as: Open, theme: str) -> None:
    page = open_as("reviewer", color_scheme=theme).new_page()
    page.goto(f"{_address(world)}?comment={GUIDE}:head:5")
    for details in page.locator(".talk details").all():
        details.evaluate("each => (each.open = true)")
    _require_accessible(page)


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
def test_files_are_ticked_off(world: World, open_as: Open, scripts: bool) -> None:
    page = open_as("reviewer", java_script_enabled=scripts).new_page()
    page.goto(_address(world))
    page.locator("#file-2").get_by_role("button", name="Viewed").click()
    expect(page.locator("#viewed-progress")).to_contain_text("Viewed 1 of 4")
    expect(page.locator("#viewed-2")).to_contain_text("viewed")
    if scripts:
        page.keyboard.press("v")
        expect(page.locator("#viewed-progress")).to_contain_text("Viewed 2 of 4")
        expect(page.locator("#file-2")).to_have_class("panel file at")
        _require_accessible(page)
    page.reload()
    page.get_by_role("button", name="Mark all").click()
    expect(page.locator("#viewed-progress")).to_contain_text("Viewed 4 of 4")
