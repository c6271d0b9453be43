"""What one agent learned reaches another: begun, decided and handed on in the Console alone."""

import io
import re
import tarfile
from pathlib import Path

from django.urls import reverse
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from memory.queries.versions import canonical_id
from sessions.models import Session
from tests.browser.conftest import Open
from tests.browser.test_sessions import run_commands, secret_of
from tests.browser.world import World, write
from tests.client import Api
from tests.docs.shell import Shell

LEARNED = "Ask before you delete.\n"


def test_a_change_goes_all_the_way_from_one_session_to_another(
    world: World, open_as: Open, tmp_path: Path
) -> None:
    tab = open_as("author").new_page()
    _start(tab)
    proposal = _work(tab, tmp_path)
    _approve(open_as("reviewer").new_page(), proposal)
    learned = canonical_id(world.imported)

    tab.goto(reverse("console:version", args=[world.imported, learned]))
    tab.get_by_role("link", name="Open a reader Session here").click()
    tab.get_by_role("button", name="Make the Session").click()
    agent = _key(tab)
    reader = Session.objects.latest("id").id
    write(world.author, world.imported, {"/learned.md": "Never delete.\n"}, "Change the rule")

    assert canonical_id(world.imported) != learned
    sent = agent.get(f"/v1/sessions/{reader}/mounts/1/archive")
    with tarfile.open(fileobj=io.BytesIO(sent.content)) as archive:
        member = archive.extractfile("learned.md")
        assert member
        assert member.read().decode() == LEARNED
    tab.goto(reverse("console:session", args=[reader]))
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Download mount 1 as tar").click()
    assert download.value.suggested_filename == f"{learned}.tar"
    assert Path(download.value.path()).read_bytes() == sent.content
    tab.get_by_role("link", name="Documents", exact=True).click()
    expect(tab.get_by_role("heading", name="What mount 1 reads now")).to_be_visible()
    expect(tab.get_by_role("row").filter(has_text="/learned.md")).to_be_visible()


def _start(tab: Tab) -> None:
    """A Session that mounts a store of the person's own and one of many, both for writing."""
    tab.goto(reverse("console:session-new"))
    for name in ("ada-scratch", "agent-rules"):
        tab.get_by_role("button", name=f"Add {name}").click()
        mount = tab.get_by_role("region", name=name)
        mount.get_by_label("Access").select_option("read_write")
    expect(tab.locator("#preview")).to_contain_text("This store belongs to many")
    tab.get_by_role("button", name="Make the Session").click()
    tab.get_by_role("button", name="Pin ada-scratch").click()
    expect(tab.get_by_role("status").first).to_contain_text("is kept for this Session")


def _key(tab: Tab) -> Api:
    tab.get_by_role("link", name="Connect", exact=True).click()
    tab.get_by_role("button", name="Make a key").click()
    return Api(secret_of(tab))


def _work(tab: Tab, place: Path) -> str:
    """Let the agent read, checkpoint and propose by the commands of the page; the Proposal's ID."""
    _key(tab)
    secret = secret_of(tab)
    with Shell({"HOME": str(place)}) as shell:
        shell.run(f"cd {place}")
        own = run_commands(shell, tab, secret)
        tab.get_by_role("navigation", name="Mount").get_by_role("link").last.click()
        expect(tab.locator(".command").last).to_contain_text("Propose a change")
        shared = run_commands(shell, tab, secret)
    assert '"changed_paths":["/learned.md"]' in own["Checkpoint a turn"]
    found = re.search(r"mprop_[0-9a-f]{32}", shared["Propose a change"])
    assert found
    return found[0]


def _approve(tab: Tab, proposal: str) -> None:
    tab.goto(reverse("console:proposal", args=[proposal]))
    expect(tab.get_by_role("main")).to_contain_text("Ask before you delete.")
    tab.click("#approve summary")
    tab.click("#approve button.good")
    expect(tab.locator("#approve")).to_have_count(0)
    expect(tab.get_by_role("main")).to_contain_text("Approved")
