"""Erasing and verifying as somebody does who never did it before, in a real browser."""

import pytest
from playwright.sync_api import expect

from jobs.models import Job
from memory.models import PathFence
from memory.queries.documents import read_document
from memory.queries.versions import canonical_id
from tests.browser.conftest import Open
from tests.browser.world import World
from tests.factories import grant
from tests.work import run_to_the_end

PATH = "/guides/rollback.md"


def _work(job_address: str) -> None:
    """Do what a worker does."""
    run_to_the_end(Job.objects.get(id=job_address.rpartition("/")[2]))


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
def test_a_document_is_erased_and_the_store_verified(
    world: World, open_as: Open, scripts: bool
) -> None:
    grant(world.admin, world.store, "read")
    before = canonical_id(world.store)
    page = open_as("admin", java_script_enabled=scripts).new_page()
    page.goto("/stores")
    page.get_by_role("link", name="team-memory").click()
    page.get_by_role("navigation", name="Store").get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Erase documents…").click()

    page.get_by_label("Part of a path").fill("rollback")
    page.keyboard.press("Enter")
    page.get_by_label(PATH).check()
    page.get_by_role("button", name="Show what would go").click()
    expect(page.locator("main")).to_contain_text("paths themselves stay")
    expect(page.locator("main")).to_contain_text("Releases need two people")
    page.get_by_label("Type the name of the store to confirm").fill("team")
    page.get_by_role("button", name="Erase for ever").click()
    expect(page.locator("main")).to_contain_text("This is not its name.")
    assert not PathFence.objects.filter(path=PATH).exists()
    page.get_by_label("Type the name of the store to confirm").fill("team-memory")
    page.get_by_role("button", name="Erase for ever").click()

    expect(page.locator("#notices")).to_contain_text("Erased.")
    assert read_document(world.store, PATH, before).text is None
    _work(page.url)
    page.reload()
    rows = page.locator("tr", has_text="What the database answers with.")
    expect(rows).to_contain_text("looked at, nothing found")
    backups = page.locator("tr", has_text="Dumps and snapshots")
    backups.locator("summary").click()
    backups.get_by_role("button", name="Attest it").click()
    expect(page.locator("tr", has_text="Dumps and snapshots")).to_contain_text("attested")

    page.get_by_role("button", name="Verify the store").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Verify a store")
    _work(page.url)
    page.reload()
    expect(page.locator("main")).to_contain_text("As it should be")
    page.goto(f"/stores/{world.store}/document?path={PATH}")
    expect(page.locator("main")).to_contain_text("This document was redacted")


def test_what_changed_meanwhile_is_looked_at_again(world: World, open_as: Open) -> None:
    context = open_as("admin")
    page = context.new_page()
    page.goto(f"/stores/{world.store}/erase?path={PATH}")
    page.get_by_role("button", name="Show what would go").click()
    author = open_as("author").new_page()
    author.goto(f"/stores/{world.store}/propose?path={PATH}")
    author.fill("#id_text", "Other words\n")
    author.fill("#id_title", "Say it otherwise")
    author.get_by_role("button", name="Open the Proposal").click()
    expect(author.get_by_role("heading", level=1)).to_have_text("Say it otherwise")

    page.get_by_label("Type the name of the store to confirm").fill("team-memory")
    page.get_by_role("button", name="Erase for ever").click()
    expect(page.locator("main")).to_contain_text("What would be erased changed since you looked")
    assert not PathFence.objects.filter(path=PATH).exists()
