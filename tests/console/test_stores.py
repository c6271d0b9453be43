"""The list of stores, a store's tabs, its settings, and making one."""

import re

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.models import MemoryStore
from tests.browser.world import write
from tests.console.conftest import Reader, Scene
from tests.factories import grant, make_agent, make_store


def test_the_list_shows_what_may_be_read(scene: Scene, author: Reader, admin: Reader) -> None:
    make_store(scene.workspace, "closed-store")
    page = author.text("/stores")
    assert "team-memory" in page
    assert "closed-store" not in page
    page = admin.text("/stores")
    assert "closed-store" in page
    assert page.count("No read grant") == 2


def test_the_list_is_narrowed_by_words(scene: Scene, author: Reader) -> None:
    assert "team-memory" in author.text("/stores", q="TEAM")
    assert "No store matches" in author.text("/stores", q="<b>none</b>")
    part = author.get("/stores", htmx=True, q="team").content.decode()
    assert part.strip().startswith('<div class="table-wrap">')


def test_a_long_list_is_paged_without_an_extra_query_a_row(
    scene: Scene, admin: Reader, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    made = [make_store(scene.workspace, f"store-{number:03}") for number in range(60)]
    with django_assert_max_num_queries(9):
        first = admin.text("/stores")
    assert "Show more" in first
    page = first.split("?page=")[1].split('"')[0]
    rest = admin.get("/stores", htmx=True, page=page).content.decode()
    assert "Show more" not in rest
    for store in made:
        assert (store in first) + (store in rest) == 1


def test_documents_by_directory(scene: Scene, author: Reader) -> None:
    root = author.text(scene.path)
    assert "guides" in root
    assert "notes.txt" in root
    assert "releases.md" not in root
    inside = author.text(scene.path, dir="/guides/")
    assert "releases.md" in inside
    assert "Parent directory" in inside
    assert "releases.md" in author.text(scene.path, q="LEASE")
    assert "No path holds" in author.text(scene.path, q="nothing-like-it")


def test_documents_at_an_exact_version(scene: Scene, author: Reader) -> None:
    before = MemoryStore.objects.get(id=scene.store).refs.get(kind="canonical").version_id
    scene.approve(scene.propose("More", {"/more.md": "more\n"}))
    assert "more.md" in author.text(scene.path)
    page = author.text(scene.path, version=before)
    assert "more.md" not in page
    assert "not canonical" in page
    assert f"version={before}" in page


def test_an_admin_is_told_which_grant_is_missing(scene: Scene, admin: Reader) -> None:
    for tab in ("", "/history", "/refs", "/proposals", "/document?path=/notes.txt", "/compare"):
        page = admin.text(f"{scene.path}{tab}", answers=403)
        assert "You hold no grant of <code>read</code> on this store." in page
        assert "two" not in page
        assert "releases.md" not in page
    assert "Begin" not in admin.text(f"{scene.path}/history", answers=403)


def test_history_tells_every_version(
    scene: Scene, author: Reader, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    grant(scene.admin, scene.store, "read", "admin")
    form = {"form": "governance", "version": "1", "canonical_writes": "direct"}
    Reader(scene.admin).post(f"{scene.path}/settings", form | {"self_approval": "denied"})
    for number in range(60):
        write(scene.author, scene.store, {"/log.md": f"{number}\n"}, f"Entry {number}")
    with django_assert_max_num_queries(24):
        first = author.text(f"{scene.path}/history")
    assert "Entry 59" in first
    assert not re.search(r"Entry 9\s*<", first)
    page = first.split("?page=")[1].split('"')[0]
    rest = author.get(f"{scene.path}/history", htmx=True, page=page).content.decode()
    assert re.search(r"Entry 9\s*<", rest)
    assert "The empty beginning" in rest


def test_refs_and_the_reflog(scene: Scene, author: Reader) -> None:
    proposal = scene.propose("Open one", {"/open.md": "open\n"})
    page = author.text(f"{scene.path}/refs")
    assert page.count("Canonical") >= 3
    assert f"/proposals/{proposal}" in page
    assert "released" in page


@pytest.mark.parametrize("owner", ["workspace", "principal", "agent_definition"])
def test_making_a_store(scene: Scene, admin: Reader, owner: str) -> None:
    agent = make_agent(scene.workspace)
    owners = {
        "workspace": scene.workspace.id,
        "principal": scene.admin.id,
        "agent_definition": agent.id,
    }
    form = {
        "name": "fresh",
        "description": "two\r\nlines",
        "owner": f"{owner}:{owners[owner]}",
        "canonical_writes": "direct",
        "self_approval": "allowed",
        "metadata": "team: platform\r\n\r\nurl: https://example.org/a",
    }
    answer = admin.post("/stores/new", form)
    assert answer.status_code == 303, answer.content.decode()
    store = MemoryStore.objects.get(name="fresh")
    assert answer["Location"] == f"/stores/{store.id}"
    assert store.description == "two\nlines"
    assert store.metadata == {"team": "platform", "url": "https://example.org/a"}
    assert store.owner_id == owners[owner]
    assert store.canonical_writes == (None if owner == "principal" else "direct")


def test_a_store_that_cannot_be_made(scene: Scene, author: Reader) -> None:
    form = {
        "name": "fresh",
        "owner": f"principal:{scene.author.id}",
        "canonical_writes": "review",
        "self_approval": "denied",
    }
    wrong = {"name": " x ", "metadata": "no colon"}
    answer = author.post("/stores/new", form | wrong)
    assert answer.status_code == 422
    assert b"Write each line as" in answer.content
    answer = author.post("/stores/new", form | {"owner": f"workspace:{scene.workspace.id}"})
    assert answer.status_code == 403
    assert not MemoryStore.objects.filter(name="fresh").exists()


@pytest.mark.parametrize(
    "long",
    [
        {"description": "d" * 4_097},
        {"metadata": "\n".join(f"key-{number}: x" for number in range(65))},
        {"metadata": "k" * 129 + ": x"},
        {"metadata": "key: " + "x" * 1_025},
    ],
    ids=["description", "keys", "key", "text"],
)
def test_what_is_longer_than_the_api_takes(
    scene: Scene, author: Reader, long: dict[str, str]
) -> None:
    form = {
        "name": "fresh",
        "owner": f"principal:{scene.author.id}",
        "canonical_writes": "review",
        "self_approval": "denied",
    }
    assert author.post("/stores/new", form | long).status_code == 422
    assert not MemoryStore.objects.filter(name="fresh").exists()


def test_settings_are_changed_by_whom_they_may(scene: Scene, author: Reader, admin: Reader) -> None:
    form = {
        "form": "settings",
        "version": "1",
        "name": "renamed",
        "description": "",
        "metadata": "",
    }
    assert author.post(f"{scene.path}/settings", form).status_code == 403
    assert "Changing these needs" in author.text(f"{scene.path}/settings")
    grant(scene.admin, scene.store, "read", "admin")
    assert admin.post(f"{scene.path}/settings", form).status_code == 303
    assert "renamed" in author.text(scene.path)
    conflict = admin.post(f"{scene.path}/settings", form | {"name": "again"})
    assert conflict.status_code == 409
    assert b"again" in conflict.content


def test_archiving_and_bringing_back(scene: Scene, author: Reader, admin: Reader) -> None:
    grant(scene.admin, scene.store, "read", "admin")
    archive = {"lifecycle": "archived", "version": "1"}
    assert author.post(f"{scene.path}/lifecycle", archive).status_code == 403
    assert admin.post(f"{scene.path}/lifecycle", archive).status_code == 303
    assert "Propose a document" not in author.text(scene.path)
    assert author.get(f"{scene.path}/propose").status_code == 403
    assert "team-memory" not in author.text("/stores")
    assert "team-memory" in author.text("/stores", archived="yes")
    assert admin.post(f"{scene.path}/lifecycle", archive).status_code == 409
    back = {"lifecycle": "active", "version": "2"}
    assert admin.post(f"{scene.path}/lifecycle", back).status_code == 303
    for nonsense in ({"lifecycle": "deleted"}, {"lifecycle": "active", "version": "x"}):
        assert admin.post(f"{scene.path}/lifecycle", nonsense).status_code == 400
