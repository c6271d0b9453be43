"""Taking an export in a real browser: the progress is shown, and only a whole file is saved."""

import json
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Route, expect

from memory.queries.versions import canonical_id
from tests.browser.conftest import Open
from tests.browser.world import World
from tests.exports import check_shape


@pytest.fixture
def address(world: World, monkeypatch: pytest.MonkeyPatch) -> str:
    """The Export tab of a store whose pages are short, so that there are many."""
    monkeypatch.setattr("memory.exporting.pages.MAX_PAGE_ITEMS", 10)
    return reverse("console:store-export", args=[world.store])


def _saved(path: Path) -> int:
    """How many items a saved file holds; fails when it is not whole."""
    pages = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    for page in pages:
        check_shape(page, "page")
    assert [page["next_page"] is None for page in pages].index(True) == len(pages) - 1
    return sum(len(page["items"]) for page in pages)


def test_a_file_of_pages_is_saved_with_how_far_it_is(
    world: World, open_as: Open, address: str
) -> None:
    tab = open_as("reviewer").new_page()
    tab.goto(address)

    with tab.expect_download() as saving:
        tab.get_by_role("link", name="Download the pages").click()

    assert saving.value.suggested_filename == f"{world.store}.ndjson"
    items = _saved(saving.value.path())
    state = tab.locator("[data-export-state]")
    expect(state).to_contain_text(f"All {items} items")
    assert state.locator("progress").evaluate("bar => [bar.value, bar.max]") == [items, items]
    expect(tab.get_by_role("button", name="Stop")).to_be_hidden()


def test_a_store_that_changes_on_the_way_is_not_saved(
    world: World, open_as: Open, address: str
) -> None:
    tab = open_as("reviewer").new_page()
    tab.goto(address)

    def cut(route: Route) -> None:
        answer = route.fetch()
        lines = answer.body().split(b"\n")
        route.fulfill(response=answer, body=b"\n".join(lines[:2]) + b"\n")

    tab.route("**/export/pages", cut)
    tab.get_by_role("link", name="Download the pages").click()

    expect(tab.locator("[data-export-state]")).to_contain_text("The store changed after 20 of")


def test_without_scripts_the_same_file_is_saved(world: World, open_as: Open, address: str) -> None:
    tab = open_as("reviewer", java_script_enabled=False).new_page()
    tab.goto(address)

    with tab.expect_download() as saving:
        tab.get_by_role("link", name="Download the pages").click()
    assert _saved(saving.value.path()) > 20

    with tab.expect_download() as saving:
        tab.get_by_role("link", name="Download", exact=False).last.click()
    check_shape(json.loads(saving.value.path().read_bytes()))


def test_a_version_is_forked_by_hand(world: World, open_as: Open) -> None:
    tab = open_as("author").new_page()
    tab.goto(reverse("console:version", args=[world.own, canonical_id(world.own)]))
    tab.get_by_role("link", name="Fork").click()
    tab.get_by_label("Name").fill("tried out")
    tab.get_by_role("button", name="Make the fork").click()

    expect(tab.get_by_role("heading", level=1)).to_have_text("tried out")
    expect(tab.locator("#notices")).to_contain_text("evolves alone")
