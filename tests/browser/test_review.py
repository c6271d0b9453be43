"""What the product is for, done by hand in a real browser, with and without scripts."""

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.core.management import call_command
from django.utils.http import urlencode
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from memory.queries.documents import read_document
from memory.queries.versions import canonical_id
from proposals.models import Proposal
from tests.browser.conftest import Open
from tests.browser.world import World
from tests.client import VERSION
from tests.factories import make_key
from tests.gitrepos import GitRepo

GUIDE = "# Guide\n\nAlways write tests first.\n\nKeep functions short.\n"


@pytest.fixture
def imported(world: World, tmp_path: Path) -> str:
    """A store imported from a git history of documents."""
    repository = GitRepo(tmp_path)
    repository.commit({"rules/guide.md": "# Guide\n"}, "Begin the guide\n")
    repository.commit({"rules/guide.md": GUIDE, "rules/sql.md": "# SQL\n"}, "Write it out\n")
    output = StringIO()
    call_command(
        "import_git", str(tmp_path), workspace=world.workspace.name, name="rules", stdout=output
    )
    return output.getvalue().split()[-1]


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
def test_a_reviewer_approves_a_real_change(
    world: World, imported: str, open_as: Open, base: str, scripts: bool
) -> None:
    before = canonical_id(imported)
    author = open_as("author", java_script_enabled=scripts).new_page()
    _propose(author, imported, "/rules/guide.md", "tests first", "tests always", "Test always")
    _propose(author, imported, "/rules/sql.md", "# SQL", "# SQL, with care", "Care for SQL")
    first, second = Proposal.objects.order_by("id").filter(store=imported)

    reviewer = open_as("reviewer", java_script_enabled=scripts).new_page()
    reviewer.goto("/")
    reviewer.get_by_role("link", name="Test always").click()
    expect(reviewer.get_by_role("heading", level=1)).to_have_text("Test always")
    expect(reviewer.locator("td.del mark").first).to_have_text("first")
    expect(reviewer.locator("td.add mark").first).to_have_text("always")
    reviewer.click("#approve summary")
    reviewer.fill("#note-approve", "Read and agreed.")
    reviewer.click("#approve button.good")
    expect(reviewer.locator("#notices")).to_contain_text("exactly the reviewed head")
    expect(reviewer.locator(".timeline")).to_contain_text("Read and agreed.")
    assert canonical_id(imported) == first.head_id

    reviewer.goto("/")
    expect(reviewer.locator("tr", has_text="Care for SQL")).to_contain_text("Canonical moved")
    reviewer.get_by_role("link", name="Care for SQL").click()
    expect(reviewer.locator("#state")).to_contain_text("Canonical moved since this Proposal's base")
    expect(reviewer.locator("#approve")).to_have_count(0)
    _approve_anyway(reviewer, second, scripts)
    assert canonical_id(imported) == first.head_id
    reviewer.reload()
    expect(reviewer.locator("#state")).to_contain_text("Superseded")

    secret = make_key(world.workspace, principal=world.author)[1]
    old = _read(base, secret, imported, "/rules/guide.md", before)
    assert (old["content"], old["version"]) == (GUIDE, before)
    now = _read(base, secret, imported, "/rules/guide.md", None)
    assert now["content"] == GUIDE.replace("tests first", "tests always")
    assert now["version"] == first.head_id


def _propose(tab: Tab, store: str, path: str, old: str, new: str, title: str) -> None:
    tab.goto(f"/stores/{store}/document?{urlencode({'path': path})}")
    tab.get_by_role("link", name="Propose an edit").click()
    text = tab.locator("#id_text")
    text.fill(text.input_value().replace(old, new))
    tab.fill("#id_title", title)
    tab.get_by_role("button", name="Look at the diff first").click()
    expect(tab.locator("#file-1")).to_contain_text(new)
    tab.get_by_role("button", name="Open the Proposal").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text(title)


def _approve_anyway(tab: Tab, proposal: Proposal, scripts: bool) -> None:
    """Send the approval that a page opened before canonical moved would send."""
    token = tab.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    form: dict[str, str | float | bool] = {
        "csrfmiddlewaretoken": token,
        "response": "approve",
        "base_version": proposal.base_id,
        "head_version": proposal.head_id,
        "diff_hash": f"sha256:{bytes(proposal.diff_hash).hex()}",
        "note": "",
    }
    answer = tab.request.post(f"/proposals/{proposal.id}/respond", form=form)
    assert answer.ok
    assert "the Proposal is superseded" in answer.text().replace("\n", " ")


def _read(base: str, secret: str, store: str, path: str, version: str | None) -> Any:
    query = urlencode({"path": path} | ({"version": version} if version else {}))
    request = Request(
        f"{base}/v1/memory-stores/{store}/document?{query}",
        headers={"Authorization": f"Bearer {secret}", "Checkfu-Version": VERSION},
    )
    with urlopen(request) as answer:
        return json.load(answer)


def test_the_page_notices_that_canonical_moved(world: World, open_as: Open) -> None:
    context = open_as("reviewer")
    page = context.new_page()
    page.goto(f"/proposals/{world.proposals['fresh']}")
    expect(page.locator("#state")).to_contain_text("Canonical is still at the base.")
    page.click("#reject summary")
    page.fill("#note-reject", "half a thought")

    other = context.new_page()
    other.goto(f"/proposals/{world.proposals['hidden']}")
    other.click("#approve summary")
    other.click("#approve button.good")
    expect(other.locator("#notices")).to_contain_text("Approved")

    expect(page.locator("#state")).to_contain_text("Canonical moved")
    expect(page.locator("#approve")).to_have_count(0)
    expect(page.locator("#approve-slot")).to_contain_text("Re-propose")
    expect(page.locator("#note-reject")).to_have_value("half a thought")
    page.locator("#approve-slot button").click()
    expect(page.locator("#notices")).to_contain_text("the same change on today's canonical")


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
def test_conflicts_are_resolved_and_nothing_else_is_proposed(
    world: World, open_as: Open, scripts: bool
) -> None:
    page = open_as("author", java_script_enabled=scripts).new_page()
    page.goto(f"/proposals/{world.proposals['conflicted']}")
    page.get_by_role("link", name="Trial", exact=True).click()
    expect(page.locator("#conflicts")).to_contain_text("2 paths do not apply")
    expect(page.locator(".file")).to_have_count(1)
    page.get_by_role("button", name="Re-propose").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Resolve conflicts")

    clean, contested = page.locator(".file").all()
    expect(clean).to_contain_text("Merges cleanly")
    clean.get_by_label("The merged text, with both changes").check()
    expect(contested).to_contain_text("Conflict 1 of 1: canonical has")
    contested.get_by_label("A text written by hand").check()
    text = contested.locator("textarea")
    text.fill("# Support\n\nAnswer within four working hours.\n\nEscalate to the captain.\n")
    page.get_by_role("button", name="Look at what I wrote first").click()
    expect(page.locator(".file").nth(1)).to_contain_text("What you wrote changes this on canonical")
    expect(page.locator(".file").nth(1)).to_contain_text("four working hours")
    page.get_by_role("button", name="Re-propose with these").click()

    expect(page.locator("#notices")).to_contain_text("as you resolved it on today's canonical")
    expect(page.locator("td.add", has_text="within 3 minutes")).to_be_visible()
    expect(page.locator("td.add", has_text="four working hours")).to_be_visible()
    made = Proposal.objects.get(replaces=world.proposals["conflicted"])
    oncall = read_document(world.store, "/guides/oncall.md", made.head_id).text
    assert oncall is not None
    assert "3 minutes" in oncall
    assert "Tuesdays" in oncall


def test_the_review_page_by_keys(world: World, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto(f"/proposals/{world.proposals['fresh']}")
    page.keyboard.press("j")
    expect(page.locator("#file-1")).to_have_class("panel file at")
    page.keyboard.press("j")
    expect(page.locator("#file-2")).to_have_class("panel file at")
    page.keyboard.press("k")
    expect(page.locator("#file-1")).to_have_class("panel file at")
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator("tr.at")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator("table.split").first).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("#key-help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#key-help")).to_be_hidden()
    page.keyboard.press("a")
    expect(page.locator("#note-approve")).to_be_focused()
    page.keyboard.type("jar")
    expect(page.locator("#note-approve")).to_have_value("jar")
    assert Proposal.objects.get(id=world.proposals["fresh"]).status == "open"


def test_what_is_not_shown_is_loaded_in_place(world: World, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto(f"/stores/{world.imported}/history")
    page.get_by_role("link", name="Show more").click()
    page.get_by_role("link", name="Say clear instead of simple").click()
    file = page.locator(".file", has_text="everything.md")
    expect(file).to_contain_text("Not shown:")
    file.get_by_role("link", name="Load this file").click()
    expect(file).not_to_contain_text("Not shown:")
    expect(file).to_contain_text("Rule 1199")


def test_filters_answer_as_one_types(world: World, open_as: Open) -> None:
    page = open_as("reviewer").new_page()
    page.goto("/stores")
    all_of_them = page.locator("#results tbody tr").count()
    page.fill("#q", "rules")
    expect(page.locator("#results tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("q=rules"))
    page.go_back()
    expect(page.locator("#results tbody tr")).to_have_count(all_of_them)


def test_copying_and_the_theme(world: World, open_as: Open) -> None:
    context = open_as("reviewer", permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"/stores/{world.store}")
    page.get_by_role("button", name=f"Copy {world.store}").click()
    assert page.evaluate("navigator.clipboard.readText()") == world.store
    page.get_by_title("Theme").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert 'data-theme="dark"' in context.request.get("/stores").text()


def test_a_narrow_screen_has_a_menu_without_scripts(world: World, open_as: Open) -> None:
    narrow = {"width": 390, "height": 844}
    page = open_as("reviewer", java_script_enabled=False, viewport=narrow).new_page()
    page.goto("/")
    expect(page.locator(".topnav")).to_be_hidden()
    page.locator(".topnav-menu summary").click()
    page.locator(".topnav-menu").get_by_role("link", name="Stores").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Stores")
    expect(page.locator(".copy").first).to_be_hidden()
