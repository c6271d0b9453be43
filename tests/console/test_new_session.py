"""The form of a new Session: every button works without scripting, and one form makes one."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import DocumentVersion
from memory.queries.versions import canonical_id
from sessions.models import Mount, Session
from tests.client import Api
from tests.console.conftest import Reader, Scene
from tests.console.crew import Crew, make_crew
from tests.erasure import erase_bodies
from tests.factories import grant, make_environment, make_key, make_space, make_store

URL = "/sessions/new"


@pytest.fixture
def crew(scene: Scene) -> Crew:
    return make_crew(scene)


def form(crew: Crew, *stores: str, **more: Any) -> dict[str, Any]:
    """What a browser would send of a form with these stores, all of them only read."""
    fields = {
        "token": "0" * 32,
        "agent": crew.agent.id,
        "environment": crew.environment.id,
        "place": "personal",
        "mount": list(stores),
    }
    for store in stores:
        fields |= {f"{store}-access": "read_only", f"{store}-revision": "current"}
    return fields | more


def value_of(page: str, name: str) -> str:
    """What a hidden field or a chosen option holds."""
    hidden = re.search(rf'name="{re.escape(name)}" value="([^"]*)"', page)
    chosen = re.search(
        rf'<select name="{re.escape(name)}".*?<option value="([^"]*)" selected', page, re.DOTALL
    )
    found = chosen or hidden
    assert found, name
    return found[1]


def posted(reader: Reader, fields: dict[str, Any], *, answers: int = 200) -> str:
    response = reader.post(URL, fields)
    assert response.status_code == answers, response.content.decode()
    assert "no-store" in response["Cache-Control"]
    return str(response.content.decode())


def test_an_empty_workspace_says_what_is_needed_first(
    scene: Scene, author: Reader, admin: Reader
) -> None:
    assert "Ask an admin" in author.text(URL)
    assert "/environments/new" in admin.text(URL)
    assert "/agents/new" in admin.text(URL)


def test_a_new_form_has_sensible_values(crew: Crew, author: Reader) -> None:
    page = author.text(URL)

    assert value_of(page, "agent") == crew.agent.id
    assert value_of(page, "environment") == crew.environment.id
    assert value_of(page, "place") == "personal"
    assert "team-memory" in page
    assert "Nothing yet. Add a store" in page


def test_a_store_is_added_and_removed_by_buttons(crew: Crew, author: Reader) -> None:
    store = crew.scene.store

    added = posted(author, form(crew, add=store))
    assert value_of(added, "mount") == store
    assert value_of(added, f"{store}-access") == "read_only"
    assert "canonical at this moment" in added

    typed = form(crew, store, **{f"{store}-instructions": "Read me", "unmount": store})
    assert f'name="{store}-access"' not in posted(author, typed)


def test_stores_are_searched_by_name(crew: Crew, author: Reader) -> None:
    other = make_store(crew.scene.workspace, "recipes")
    grant(crew.scene.author, other, "read")

    page = posted(author, form(crew, stores="recip", do="find"))

    assert "Add recipes" in page
    assert "Add team-memory" not in page


def test_what_was_typed_stays(crew: Crew, author: Reader) -> None:
    store = crew.scene.store
    typed = {f"{store}-instructions": "Mind the <gap>\u202e", f"{store}-mount_path": "/memory/team"}

    page = posted(author, form(crew, store, do="preview", **typed))

    assert "Mind the &lt;gap&gt;" in page
    assert 'value="/memory/team"' in page
    assert "errorlist" not in page


def test_choosing_a_version_makes_it_read_only_and_says_so(crew: Crew, author: Reader) -> None:
    store, version = crew.scene.store, canonical_id(crew.scene.store)
    writing = {f"{store}-access": "read_write", f"{store}-revision": "version"}

    page = posted(author, form(crew, store, **writing, choose=f"{store}:{version}"))
    assert value_of(page, f"{store}-access") == "read_only"
    assert value_of(page, f"{store}-version") == version
    assert "Switched to read only, because an exact version is chosen." in page
    assert "and never another" in page

    kept = {
        f"{store}-access": "read_only",
        f"{store}-revision": "version",
        f"{store}-version": version,
        f"{store}-told": "yes",
    }
    cleared = posted(author, form(crew, store, **kept, clear=store))
    assert value_of(cleared, f"{store}-access") == "read_only"
    assert value_of(cleared, f"{store}-revision") == "current"
    assert "clearing the version does not give write access back" in cleared

    left = posted(author, form(crew, store, **kept | {f"{store}-revision": "current"}, do="x"))
    assert value_of(left, f"{store}-access") == "read_only"
    assert "clearing the version does not give write access back" in left


def test_the_picker_searches_by_everything(crew: Crew, author: Reader) -> None:
    scene = crew.scene
    scene.approve(scene.propose("Mention the cat", {"/cats.md": "# Cats\n"}))
    store = scene.store
    choosing = form(crew, store, pick=store, **{f"{store}-revision": "version"})
    version = canonical_id(store)

    def offered(**searched: str) -> set[str]:
        fields = {f"{store}-pick-{name}": value for name, value in searched.items()}
        page = posted(author, choosing | fields)
        return set(re.findall(rf'name="choose" value="{store}:(memver_[0-9a-f]+)"', page))

    everything = offered()
    assert version in everything
    assert offered(words="THE CAT") == {version}
    assert offered(words=version) == {version}
    assert offered(path="/cats") == {version}
    assert offered(author=f"principal:{scene.author.id}") < everything
    assert offered(since="2020-01-01") == everything
    assert offered(until="2020-01-01") == set()
    assert offered(until="9999-12-31") == everything
    assert offered(words="no such words") == set()
    page = posted(
        author,
        choosing | {f"{store}-pick-since": "2020-02-01", f"{store}-pick-until": "2020-01-01"},
    )
    assert "This is before the first day." in page


def test_more_stores_than_a_session_mounts_are_refused(crew: Crew, author: Reader) -> None:
    stores = [make_store(crew.scene.workspace, f"store-{number}") for number in range(33)]

    page = posted(author, form(crew, *stores, do="create"), answers=400)

    assert "32 stores at most" in page
    assert not Session.objects.exists()


def test_the_picker_says_which_texts_are_gone(crew: Crew, author: Reader) -> None:
    store = crew.scene.store
    document = DocumentVersion.objects.get(store=store, path="/notes.txt")
    erase_bodies(store, [document.id])
    choosing = form(crew, store, pick=store, **{f"{store}-revision": "version"})

    page = posted(author, choosing)

    assert "1 of 2 texts gone" in page
    assert re.search(r'value="[^"]+" disabled', page)


def test_the_preview_names_each_reduction(crew: Crew, author: Reader) -> None:
    store = crew.scene.store

    page = posted(author, form(crew, store, **{f"{store}-access": "read_write"}, do="preview"))

    assert "This store belongs to many" in page
    part = author.client.post(
        URL, form(crew, store, do="preview"), headers={"HX-Request": "true", "HX-Target": "preview"}
    ).content.decode()
    assert 'id="preview"' in part
    assert "<form" not in part


def test_a_session_is_made_as_it_was_asked_for(crew: Crew, author: Reader) -> None:
    store, version = crew.scene.store, canonical_id(crew.scene.store)
    space = make_space(crew.scene.workspace, crew.scene.author)
    typed = {
        f"{store}-revision": "version",
        f"{store}-version": version,
        f"{store}-mount_path": "/memory/team",
        f"{store}-instructions": "Read\r\nthis",
    }

    response = author.post(
        URL, form(crew, store, **typed, place="private", space=space.id, do="create")
    )

    made = Session.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/sessions/{made.id}")
    assert (made.principal, made.space_id, made.place) == (crew.scene.author, space.id, "private")
    mount = Mount.objects.get()
    assert (mount.selection_id, mount.requested) == (version, "read_only")
    assert (mount.mount_path, mount.instructions) == ("/memory/team", "Read\nthis")


def test_a_form_sent_twice_makes_one_session(crew: Crew, author: Reader) -> None:
    sent = form(crew, crew.scene.store, do="create")

    first, second = author.post(URL, sent), author.post(URL, sent)

    assert first["Location"] == second["Location"]
    assert Session.objects.count() == 1
    assert "has made its Session before" in author.text(second["Location"])
    author.post(URL, sent | {"place": "dm"})
    assert Session.objects.count() == 2


@pytest.mark.parametrize(
    ("wrong", "status", "said"),
    [
        ({"agent": ""}, 422, "This field is required"),
        ({"place": "private"}, 422, "Choose the space"),
        ({"STORE-revision": "version"}, 422, "Choose one of the versions below."),
        ({"STORE-revision": "proposal", "STORE-owner": "x"}, 422, "begins with mprop_"),
        ({"STORE-mount_path": "memory"}, 422, "errorlist"),
        ({"STORE-instructions": "x" * 4_097}, 422, "4096"),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    crew: Crew, author: Reader, wrong: dict[str, str], status: int, said: str
) -> None:
    store = crew.scene.store
    fields = {name.replace("STORE", store): value for name, value in wrong.items()}

    page = posted(author, form(crew, store, **fields, do="create"), answers=status)

    assert said in page
    assert "errorlist" not in posted(author, form(crew, store, **fields, do="preview"))
    assert not Session.objects.exists()


def test_mount_paths_stay_apart(crew: Crew, author: Reader) -> None:
    other = make_store(crew.scene.workspace, "recipes")
    grant(crew.scene.author, other, "read")
    grant(crew.agent, other, "read")
    paths = {f"{crew.scene.store}-mount_path": "/m", f"{other}-mount_path": "/m/deeper"}

    page = posted(author, form(crew, crew.scene.store, other, **paths, do="create"), answers=422)

    assert "or inside it" in page


def test_what_admission_refuses_is_said_before(crew: Crew, author: Reader) -> None:
    unread = make_store(crew.scene.workspace, "recipes")
    grant(crew.scene.author, unread, "read")
    page = posted(author, form(crew, unread, do="create"), answers=403)
    assert "The agent may not read this store." in page

    native = make_environment(crew.scene.workspace, memory_writer="native")
    store, version = crew.scene.store, canonical_id(crew.scene.store)
    exact = {f"{store}-revision": "version", f"{store}-version": version}
    assert (
        author.post(URL, form(crew, store, **exact, environment=native.id, do="create")).status_code
        == 303
    )

    erase_bodies(store, [DocumentVersion.objects.get(store=store, path="/notes.txt").id])
    page = posted(author, form(crew, store, **exact, do="create"), answers=409)
    assert "Not every text of this version is there any more" in page


def test_who_may_not_act_as_the_agent_is_told(crew: Crew, reviewer: Reader) -> None:
    page = reviewer.text(URL)
    assert "You may not act as this agent yet" in page
    listed = posted(reviewer, form(crew, crew.scene.store, do="preview"))
    assert "You may not act as this agent." in listed


def test_other_peoples_stores_and_versions_stay_unknown(crew: Crew, author: Reader) -> None:
    hidden = make_store(crew.scene.workspace, "their-secret")
    assert author.get(URL, store=hidden).status_code == 404
    assert author.post(URL, form(crew, add=hidden)).status_code == 404

    store = crew.scene.store
    page = author.text(URL, store=store, version=canonical_id(hidden))
    assert "The store has no such version" in page


@pytest.mark.parametrize(
    "sent",
    [
        {"add": "nonsense"},
        {"mount": ["nonsense"]},
        {"choose": "nonsense"},
        {"choose": "STORE:nonsense"},
        {"clear": "nonsense"},
        {"unmount": "nonsense"},
        {"pick": "nonsense"},
        {"pick": "STORE", "older": "nonsense"},
        {"pick": "STORE", "STORE-pick-author": "nonsense", "STORE-pick-since": "x"},
        {"STORE-version": "nonsense"},
        {"STORE-access": "none", "STORE-revision": "nonsense"},
        {"stores": "\0"},
        {"token": "x", "do": "create"},
        {"agent": "nonsense", "space": "nonsense", "place": "nonsense", "do": "create"},
    ],
)
def test_nonsense_is_never_a_fault_of_ours(
    crew: Crew, author: Reader, sent: dict[str, Any]
) -> None:
    store = crew.scene.store
    spelled = {
        name.replace("STORE", store): value.replace("STORE", store)
        if isinstance(value, str)
        else value
        for name, value in sent.items()
    }
    choosing = {f"{store}-revision": "version"}

    response = author.post(URL, form(crew, store, **{**choosing, **spelled}))

    assert response.status_code in {200, 400, 404, 422}
    assert not Session.objects.exists()


def test_version_and_document_pages_lead_here(crew: Crew, author: Reader) -> None:
    store, version = crew.scene.store, canonical_id(crew.scene.store)
    link = f"{URL}?store={store}&amp;version={version}"
    for page in (
        author.text(f"/stores/{store}/versions/{version}"),
        author.text(f"/stores/{store}/document", path="/notes.txt"),
    ):
        assert link in page
    prefilled = author.text(URL, store=store, version=version)
    assert value_of(prefilled, f"{store}-access") == "read_only"
    assert value_of(prefilled, f"{store}-version") == version


def test_thirty_two_stores_take_no_more_queries_than_one(crew: Crew, author: Reader) -> None:
    stores = [make_store(crew.scene.workspace, f"store-{number}") for number in range(32)]
    grant(crew.scene.author, crew.scene.workspace, "read")
    grant(crew.agent, crew.scene.workspace, "read")

    def queries(count: int) -> int:
        exact = {
            f"{store}-{name}": value
            for store in stores[:count]
            for name, value in (("revision", "version"), ("version", canonical_id(store)))
        }
        sent = form(crew, *stores[:count], do="preview") | exact
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page = posted(author, sent)
        assert page.count("and never another") == count
        return len(captured)

    one, many = queries(1), queries(32)
    # Each store on the page is looked at once more before it is sent (contract R5).
    assert many - one <= 31 + 2


def test_the_agent_of_the_form_reads_what_it_promised(crew: Crew, author: Reader) -> None:
    store, version = crew.scene.store, canonical_id(crew.scene.store)
    exact = {f"{store}-revision": "version", f"{store}-version": version}
    made = author.post(URL, form(crew, store, **exact, do="create"))["Location"]
    api = Api(make_key(crew.scene.workspace, principal=crew.scene.author)[1])
    told = api.get(f"/v1{made}").ok()
    assert told["mounts"][0]["selection"] == {"kind": "version", "version": version}
