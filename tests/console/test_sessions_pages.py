"""The pages of Sessions: who sees which, what they tell, and what their buttons do."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.sessions.words import EVENTS, REASONS, REFUSALS
from console.templatetags.console import STATUS_BADGES
from console.templatetags.sessions import SELECTIONS
from memory.access import open_store
from memory.actions.change_sets import Operation
from memory.actions.stores import Owner, StoreSettings, create_store
from memory.models import OwnerKind, Ref, RefKind
from memory.queries.versions import canonical_id
from memory.versions.sealing import Put
from sessions.access import open_session, sent_for
from sessions.actions.checkpoints import NewCheckpoint, checkpoint
from sessions.actions.runs import start_run
from sessions.models import Access, EventKind, Run, SelectionKind, Session
from sessions.mounts.admission import NewMount
from sessions.mounts.resolver import Reason, Refusal
from sessions.queries.facts import Wish
from sessions.turns.checkpointing import Turn
from tenancy.models import ApiKey, PermissionAssignment
from tests.client import Api
from tests.console.conftest import Reader, Scene
from tests.console.crew import Crew, make_crew
from tests.factories import caller_for, grant, make_agent, make_store
from wire.ids import new_id


@pytest.fixture
def crew(scene: Scene) -> Crew:
    return make_crew(scene)


@pytest.fixture
def own(crew: Crew) -> str:
    """A store of the author's own, in which the agent writes."""
    owner = Owner(OwnerKind.PRINCIPAL, crew.scene.author.id)
    store = create_store(
        caller=caller_for(crew.scene.author), settings=StoreSettings("ada-notes", owner)
    ).store_id
    grant(crew.agent, store, "read", "write")
    return store


def writing(store: str, instructions: str | None = None) -> NewMount:
    return NewMount(Wish(store, Access.READ_WRITE), "/memory/own", instructions)


def work(crew: Crew, session: str, store: str, *, turn: str = "monday") -> str:
    """Let the agent seal a version in a turn; returns it."""
    author = caller_for(crew.scene.author)
    agent = sent_for(author, open_session(author, session).session)
    base = Ref.objects.get(store=store, kind=RefKind.SESSION).version_id
    wanted = NewCheckpoint(
        Turn(session, turn), base, (Operation(f"/{turn}\u202e.md", Put("# Day\n"), None),)
    )
    made = checkpoint(access=open_store(agent, store), wanted=wanted).version_id
    assert made
    return made


def run(crew: Crew, session: str) -> str:
    return start_run(access=open_session(caller_for(crew.scene.author), session)).require()


def test_the_list_is_of_mine_or_of_all_that_i_may_see(
    crew: Crew, author: Reader, reviewer: Reader, admin: Reader
) -> None:
    assert "No Session of yours" in author.text("/sessions")
    session = crew.start(crew.mount())
    link = f'href="/sessions/{session}"'

    assert link in author.text("/sessions")
    assert "Librarian" in author.text("/sessions")
    assert link not in admin.text("/sessions")
    assert link in admin.text("/sessions", all="yes")
    assert link not in reviewer.text("/sessions", all="yes")

    assert author.post(f"/sessions/{session}/archive").status_code == 303
    assert link not in author.text("/sessions")
    assert link in author.text("/sessions", archived="yes")


def test_the_list_has_pages_and_no_query_for_each_row(
    crew: Crew, author: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            author.text("/sessions")
        return len(captured)

    crew.start(crew.mount())
    one = queries()
    for _ in range(60):
        crew.start(crew.mount())
    assert queries() == one

    page = author.text("/sessions")
    more = re.search(r'href="(\?page=[^"]+)"', page)
    assert more
    rest = author.client.get(f"/sessions{more[1]}", headers={"HX-Request": "true"})
    shown = [set(re.findall(r'href="/sessions/(sess_[0-9a-f]+)"', text))
             for text in (page, rest.content.decode())]  # fmt: skip
    assert [len(each) for each in shown] == [50, 11]
    assert not shown[0] & shown[1]


def test_strangers_do_not_know_of_a_session(crew: Crew, reviewer: Reader) -> None:
    session = crew.start(crew.mount())
    for page in ("", "/events", "/connect"):
        real = reviewer.text(f"/sessions/{session}{page}", answers=404)
        nobodys = new_id("session")
        random = reviewer.text(f"/sessions/{nobodys}{page}", answers=404)
        answers = [text.split('id="main"')[1] for text in (real, random)]
        assert answers[0].replace(session, "") == answers[1].replace(nobodys, "")
    assert reviewer.post(f"/sessions/{session}/archive").status_code == 404


def test_a_page_tells_mounts_reasons_runs_and_checkpoints(
    crew: Crew, author: Reader, own: str
) -> None:
    session = crew.start(writing(own, "Keep <this>\u202e"), crew.mount(access="read_write"))
    started = run(crew, session)
    sealed = work(crew, session, own)

    page = author.text(f"/sessions/{session}")

    assert "Keep &lt;this&gt;" in page
    assert "U+202E" in page
    assert "This store belongs to many" in page
    assert f"/stores/{own}/versions/{sealed}" in page
    assert started in page
    assert "monday" in page
    assert f"/stores/{crew.scene.store}/versions/{canonical_id(crew.scene.store)}" in page


def test_an_admin_without_a_grant_sees_no_words(crew: Crew, admin: Reader, own: str) -> None:
    session = crew.start(writing(own, "Between the two of us"))
    run(crew, session)

    page = admin.text(f"/sessions/{session}")

    assert "You hold no grant of <code>read</code> on this Session." in page
    assert "Between the two of us" not in page
    assert "/memory/own" not in page
    assert "Checkpoints" not in page
    assert "ada-notes" not in page
    assert "needs a grant" in admin.text(f"/sessions/{session}/events", answers=403).replace(
        "This needs", "needs"
    )


def test_a_store_that_one_may_not_read_has_no_name(crew: Crew, reviewer: Reader, own: str) -> None:
    session = crew.start(writing(own), crew.mount())
    run(crew, session)
    work(crew, session, own)
    grant(crew.scene.reviewer, session, "read")

    for page in ("", "/events", "/connect"):
        text = reviewer.text(f"/sessions/{session}{page}")
        assert "ada-notes" not in text
        assert "team-memory" in text
        assert f"/stores/{own}" not in text.replace("/v1/memory-stores", "")
        assert "/monday" not in text


def test_a_session_with_many_mounts_takes_no_query_for_each(crew: Crew, author: Reader) -> None:
    grant(crew.scene.author, crew.scene.workspace, "read")
    grant(crew.agent, crew.scene.workspace, "read")
    stores = [make_store(crew.scene.workspace, f"store-{number}") for number in range(12)]

    def queries(count: int) -> int:
        mounts = [NewMount(Wish(store, Access.READ_ONLY)) for store in stores[:count]]
        session = crew.start(*mounts)
        for _ in range(count):
            run(crew, session)
        with CaptureQueriesContext(connection) as captured:
            author.text(f"/sessions/{session}")
            author.text(f"/sessions/{session}/events")
            author.text(f"/sessions/{session}/connect")
        return len(captured)

    one, many = queries(1), queries(12)
    # Each store that a page names is looked at once more before it is sent (contract R5).
    assert many - one <= 3 * 11


def test_pinning_and_releasing_a_working_ref(crew: Crew, author: Reader, admin: Reader) -> None:
    session, store = crew.start(crew.mount()), crew.scene.store
    url = f"/sessions/{session}/refs/{store}"
    assert "Pin team-memory" in author.text(f"/sessions/{session}")
    assert admin.post(f"{url}/pin").status_code == 403

    assert author.post(f"{url}/pin")["Location"] == f"/sessions/{session}"
    ref = Ref.objects.get(store=store, kind=RefKind.SESSION)
    assert ref.version_id == canonical_id(store)
    page = author.text(f"/sessions/{session}")
    assert "Pin team-memory" not in page
    assert f"{url}/release" in page
    assert author.post(f"{url}/pin").status_code == 409

    assert author.post(f"{url}/release").status_code == 303
    assert not Ref.objects.filter(store=store, kind=RefKind.SESSION).exists()
    assert author.post(f"{url}/release").status_code == 404


def test_archiving_ends_it(crew: Crew, author: Reader) -> None:
    session = crew.start(crew.mount())
    assert "Archive it" in author.text(f"/sessions/{session}")

    assert author.post(f"/sessions/{session}/archive").status_code == 303

    page = author.text(f"/sessions/{session}")
    assert Session.objects.get().state == "archived"
    assert "Archived" in page
    assert "Archive it" not in page
    assert "Make a key" not in author.text(f"/sessions/{session}/connect")


def test_a_key_is_shown_once_and_acts_as_the_agent(crew: Crew, author: Reader) -> None:
    session = crew.start(crew.mount())
    url = f"/sessions/{session}/connect"
    assert author.post(url, {"name": ""}).status_code == 422
    for day in ("2020-01-01", "9999-12-31"):
        assert author.post(url, {"name": "x", "expires_on": day}).status_code == 422

    answer = author.post(url, {"name": "Ada's laptop"})

    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    secret = re.search(r"ck_[\w-]{43}", answer.content.decode())
    assert secret
    assert Api(secret[0]).get(f"/v1/sessions/{session}").ok()["id"] == session
    page = author.text(url)
    assert secret[0] not in page
    assert "Ada&#x27;s laptop" in page

    key = ApiKey.objects.get(session_uuid=session)
    assert author.post(f"/sessions/{session}/keys/{key.id}/revoke").status_code == 303
    assert Api(secret[0]).get(f"/v1/sessions/{session}").status == 401
    assert "Revoked" in author.text(url)


def test_keys_are_the_acting_principals_business(
    crew: Crew, reviewer: Reader, admin: Reader
) -> None:
    session = crew.start(crew.mount())
    grant(crew.scene.reviewer, session, "read")
    url = f"/sessions/{session}/connect"
    assert "Make a key" not in reviewer.text(url)
    assert reviewer.post(url, {"name": "Mine"}).status_code == 403
    assert admin.post(url, {"name": "Admin's"}).status_code == 201
    assert "How to connect" not in admin.text(url)


def test_commands_hold_real_values_and_no_secret(crew: Crew, author: Reader, own: str) -> None:
    session = crew.start(writing(own), crew.mount(access="read_write"))
    run(crew, session)

    page = author.text(f"/sessions/{session}/connect")
    assert "http://testserver" in page
    assert f"/v1/sessions/{session}/mounts/1/tree" in page
    assert f"/v1/memory-stores/{own}/working-refs/{session}/checkpoint" in page
    assert not re.search(r"ck_[\w-]{43}", page)

    shared = author.text(f"/sessions/{session}/connect", mount="2")
    assert f"version={canonical_id(crew.scene.store)}" in shared
    assert "path=/guides/releases.md" in shared
    assert f"/v1/memory-stores/{crew.scene.store}/proposals" in shared
    assert author.get(f"/sessions/{session}/connect", mount="3").status_code == 404
    assert author.get(f"/sessions/{session}/connect", mount="x").status_code == 400


def test_the_log_is_filtered_paged_and_followed(
    crew: Crew, author: Reader, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.sessions.events.LISTED", 3)
    session = crew.start(writing(own))
    first = run(crew, session)
    second = run(crew, session)
    work(crew, session, own)
    url = f"/sessions/{session}/events"

    def positions(text: str) -> list[int]:
        return [int(found) for found in re.findall(r'data-label="#">(\d+)<', text)]

    page = author.text(url)
    assert positions(page) == [6, 5, 4]
    assert "/monday" in page
    assert "U+202E" in page
    assert "?before=4" in page
    assert positions(author.text(url, before="4")) == [3, 2, 1]
    assert "before=" not in author.text(url, before="4").split("<tbody")[1].split("more")[-1]
    assert positions(author.text(url, type="session.resources_resolved")) == [4, 2]
    assert positions(author.text(url, run=first)) == [3, 2]
    assert "No event matches" in author.text(url, run=new_id("run"))
    assert author.get(url, type="nonsense").status_code == 400
    assert author.get(url, run="nonsense").status_code == 400
    assert author.get(url, before="-1").status_code == 400
    assert second in page

    assert author.get(url, htmx=True, after="6").status_code == 204
    newer = author.get(url, htmx=True, after="4").content.decode()
    assert positions(newer) == [6, 5]
    assert "after=6" in newer
    assert "<html" not in newer


def test_there_are_words_for_everything() -> None:
    assert EVENTS.keys() == set(EventKind)
    assert REASONS.keys() == set(Reason)
    assert REFUSALS.keys() == set(Refusal)
    assert STATUS_BADGES.keys() >= {*Session.State, *Run.State, *Access}
    assert {kind.value for kind in SELECTIONS} == set(SelectionKind)


def test_a_refused_run_says_why(crew: Crew, author: Reader) -> None:
    session = crew.start(crew.mount())
    PermissionAssignment.objects.get(subject_uuid=crew.agent.id).delete()
    started = start_run(access=open_session(caller_for(crew.scene.author), session))
    assert started.error

    page = author.text(f"/sessions/{session}/events")

    assert "Run refused" in page
    assert "The agent may not read this store." in page


def test_environments_and_spaces_from_birth_on(crew: Crew, admin: Reader, author: Reader) -> None:
    for path in ("/environments", "/environments/new", "/spaces", "/spaces/new"):
        assert author.get(path).status_code == 403
    made: dict[str, Any] = {"name": "Cloud", "description": "", "memory_writer": "native"}
    assert admin.post("/environments/new", made | {"name": ""}).status_code == 422
    assert admin.post("/environments/new", made)["Location"] == "/environments"
    page = admin.text("/environments")
    assert "by calls" in page
    identifier = re.search(r'href="/environments/(env_[0-9a-f]+)">Cloud', page)
    assert identifier
    url = f"/environments/{identifier[1]}"
    assert admin.post(url, {"name": "Clouds", "description": "Far"}).status_code == 303
    assert admin.post(f"{url}/archive").status_code == 303
    assert "Archived" in admin.text(url)
    assert admin.post(url, {"name": "Again"}).status_code == 403

    space = admin.post("/spaces/new", {"name": "Room", "description": ""})["Location"]
    agent = make_agent(crew.scene.workspace, "Guest")
    member = {"form": "member", "member": f"agent:{agent.id}"}
    assert admin.post(space, member)["Location"] == space
    assert admin.post(space, member).status_code == 409
    assert "Guest" in admin.text(space)
    assert (
        admin.post(space, {"form": "words", "name": "Rooms", "description": ""}).status_code == 303
    )
    assert "Rooms" in admin.text("/spaces")
    assert admin.post(f"{space}/remove", {"member": agent.id}).status_code == 303
    assert admin.post(f"{space}/remove", {"member": agent.id}).status_code == 404
    assert admin.post(f"{space}/remove", {"member": "nonsense"}).status_code == 400


def test_the_fence_closes_them(crew: Crew, author: Reader, settings: Any) -> None:
    session = crew.start(crew.mount())
    settings.VERSIONED_SURFACE = False
    for path in ("/sessions", "/sessions/new", f"/sessions/{session}"):
        assert author.get(path).status_code == 503
