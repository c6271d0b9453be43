"""A reader Session in a real browser: pinned once, it reads the same bytes whatever happens."""

import re
import tarfile
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from console.links import document_url
from memory.queries.versions import canonical_id
from sessions.models import Session
from tests.browser.conftest import Open
from tests.browser.test_pages import findings
from tests.browser.world import World, write
from tests.client import Api
from tests.docs.shell import Shell

BEFORE = "# Log\n\nEntry 59\n"
AFTER = "# Log\n\nEverything is different now.\n"


def secret_of(tab: Tab) -> str:
    found = re.search(r"ck_[\w-]{43}", tab.locator("#secret").inner_text())
    assert found
    return found[0]


@pytest.mark.parametrize("scripting", [True, False])
def test_a_pinned_reader_reads_the_same_bytes_after_canonical_moved(
    world: World, open_as: Open, scripting: bool
) -> None:
    tab = open_as("author", java_script_enabled=scripting).new_page()
    pinned = canonical_id(world.imported)
    tab.goto(reverse("console:version", args=[world.imported, pinned]))
    tab.get_by_role("link", name="Open a reader Session here").click()

    mount = tab.get_by_role("region", name="agent-rules")
    expect(mount.get_by_label("Access")).to_have_value("read_only")
    expect(mount.get_by_label("Revision")).to_have_value("version")
    expect(mount).to_contain_text("Switched to read only, because an exact version is chosen.")
    expect(tab.locator("#preview")).to_contain_text("and never another")
    tab.get_by_role("button", name="Make the Session").click()
    expect(tab.get_by_role("status").first).to_contain_text("The Session is there.")

    session = Session.objects.latest("id")
    tab.get_by_role("link", name="Connect", exact=True).click()
    tab.get_by_role("button", name="Make a key").click()
    agent = Api(secret_of(tab))
    document = f"/v1/memory-stores/{world.imported}/document"
    reads = {"path": "/log.md", "version": pinned}
    assert agent.get(document, reads).ok()["content"] == BEFORE

    write(world.author, world.imported, {"/log.md": AFTER}, "Change the log")
    moved = canonical_id(world.imported)
    assert moved != pinned

    mounted = agent.get(f"/v1/sessions/{session.id}").ok()["mounts"][0]
    assert mounted["selection"] == {"kind": "version", "version": pinned}
    assert agent.get(document, reads).ok()["content"] == BEFORE
    tab.goto(reverse("console:session", args=[session.id]))
    row = tab.get_by_role("row").filter(has_text="agent-rules").first
    version = row.get_by_role("cell").last.get_by_role("link").first
    expect(version).to_have_attribute(
        "href", reverse("console:version", args=[world.imported, pinned])
    )
    tab.goto(document_url(world.imported, "/log.md", pinned))
    expect(tab.get_by_role("main")).to_contain_text("Entry 59")


@pytest.mark.parametrize("scripting", [True, False])
def test_a_version_is_found_chosen_and_cleared(
    world: World, open_as: Open, scripting: bool
) -> None:
    tab = open_as("author", java_script_enabled=scripting).new_page()
    tab.goto(reverse("console:session-new"))
    tab.get_by_role("button", name="Add agent-rules").click()
    mount = tab.get_by_role("region", name="agent-rules")
    mount.get_by_label("Access").select_option("read_write")
    mount.get_by_text("Mount path and instructions").click()
    mount.get_by_label("Instructions").fill("Follow them.")
    mount.get_by_label("Revision").select_option("version")
    if not scripting:
        mount.get_by_role("button", name="Show what belongs to this revision").click()
        mount.get_by_role("button", name="Find a version").click()
    mount.get_by_label("Message, tag or ID").fill("clear instead")
    mount.get_by_label("Message, tag or ID").press("Enter")
    offers = mount.get_by_role("list", name="Versions").get_by_role("listitem")
    expect(offers).to_have_count(1)
    expect(offers).to_contain_text("All texts there")
    offers.get_by_role("button", name=re.compile("Choose")).click()

    expect(mount.get_by_label("Access")).to_have_value("read_only")
    expect(mount.get_by_label("Access")).to_be_focused()
    expect(mount).to_contain_text("Switched to read only")
    expect(mount.get_by_label("Instructions")).to_have_value("Follow them.")
    mount.get_by_role("button", name="Clear the version").click()
    expect(mount.get_by_label("Revision")).to_have_value("current")
    expect(mount.get_by_label("Access")).to_have_value("read_only")
    expect(mount).to_contain_text("does not give write access back")


def test_the_preview_follows_without_touching_what_is_typed(world: World, open_as: Open) -> None:
    tab = open_as("author").new_page()
    tab.goto(reverse("console:session-new"))
    tab.get_by_label("Store's name or description").fill("ada")
    expect(tab.get_by_role("button", name="Add agent-rules")).to_have_count(0)
    tab.get_by_role("button", name="Add ada-scratch").click()
    mount = tab.get_by_role("region", name="ada-scratch")
    mount.get_by_text("Mount path and instructions").click()
    mount.get_by_label("Instructions").fill("Half a sen")
    mount.get_by_label("Access").select_option("read_write")
    expect(tab.locator("#preview")).to_contain_text("Read and write")
    tab.get_by_label("Place").select_option("private")
    expect(tab.locator("#preview")).to_contain_text("Choose the space")
    tab.get_by_label(re.compile("^Space")).select_option(label="Release room")
    expect(tab.locator("#preview")).to_contain_text("Others take part in this place")
    expect(mount.get_by_label("Instructions")).to_have_value("Half a sen")


def test_the_form_is_filled_by_keyboard_alone(world: World, open_as: Open) -> None:
    tab = open_as("author").new_page()
    tab.goto(reverse("console:session-new"))
    tab.get_by_role("button", name="Add agent-rules").focus()
    tab.keyboard.press("Enter")
    access = tab.get_by_role("region", name="agent-rules").get_by_label("Access")
    expect(access).to_be_focused()
    tab.keyboard.press("Tab")
    expect(tab.get_by_role("region", name="agent-rules").get_by_label("Revision")).to_be_focused()
    tab.get_by_role("button", name="Make the Session").focus()
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Mounts")).to_be_visible()


def test_a_double_click_makes_one_session(world: World, open_as: Open) -> None:
    before = Session.objects.count()
    tab = open_as("author").new_page()
    tab.goto(reverse("console:session-new"))
    tab.get_by_role("button", name="Make the Session").dblclick()
    expect(tab.get_by_role("heading", name="Mounts")).to_be_visible()
    assert Session.objects.count() == before + 1


def test_the_commands_do_what_they_say(world: World, open_as: Open, tmp_path: Path) -> None:
    address = reverse("console:session-connect", args=[world.sessions["worked"]])
    tab = open_as("author").new_page()
    tab.goto(address)
    tab.get_by_role("button", name="Make a key").click()
    secret = secret_of(tab)
    with Shell({"HOME": str(tmp_path)}) as shell:
        shell.run(f"cd {tmp_path}")
        own = run_commands(shell, tab, secret)
        tab.goto(f"{address}?mount=2")
        shared = run_commands(shell, tab, secret)
    assert '"path":"/learned/names.md"' in own["List the documents"].replace('": "', '":"')
    assert "Ask before you rename." in own["Read one of them"]
    assert "memver_" in own["Checkpoint a turn"]
    assert "mprop_" in shared["Propose a change"]
    with tarfile.open(tmp_path / "memory.tar") as archive:
        assert len(archive.getnames()) >= 91


def run_commands(shell: Shell, tab: Tab, secret: str) -> dict[str, str]:
    """What each command of the page prints, by its title."""
    printed = {}
    for command in tab.locator(".command").all():
        text = command.locator("pre").inner_text()
        title = command.get_by_role("heading").inner_text().strip()
        printed[title] = shell.run(text.replace("the-secret-of-a-key-of-this-Session", secret))
    return printed


def test_events_appear_by_themselves(world: World, open_as: Open) -> None:
    session = world.sessions["worked"]
    tab = open_as("author").new_page()
    tab.goto(reverse("console:session-events", args=[session]))
    expect(tab.get_by_text("Session archived")).to_have_count(1)  # the filter's choice
    other = open_as("author").new_page()
    other.goto(reverse("console:session", args=[session]))
    other.get_by_text("Archive…").click()
    other.get_by_role("button", name="Archive it").click()
    expect(tab.get_by_role("cell", name="Session archived")).to_be_visible()


@pytest.mark.parametrize("wrong", ["missing version", "key made"])
def test_states_that_no_address_leads_to_are_clean(world: World, open_as: Open, wrong: str) -> None:
    tab = open_as("author").new_page()
    if wrong == "key made":
        tab.goto(reverse("console:session-connect", args=[world.sessions["worked"]]))
        tab.get_by_role("button", name="Make a key").click()
        expect(tab.locator("#secret")).to_be_visible()
    else:
        tab.goto(f"{reverse('console:session-new')}?store={world.imported}&pick=yes")
        tab.get_by_role("button", name="Make the Session").click()
        expect(tab.locator(".errorlist").first).to_be_visible()
    assert list(findings(tab)) == []
