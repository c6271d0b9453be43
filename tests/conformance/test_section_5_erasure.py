"""Contract S7: a Session is erased, with what is its own; what others own stays."""

from typing import Any

import pytest
from django.db import connection

from jobs import leases
from jobs.models import Job
from jobs.runner import run_slice
from memory import refs
from memory.actions.stores import Owner
from memory.actors import Actor
from memory.erasure import draining
from memory.erasure.readback import look
from memory.models import (
    ActorKind,
    DocumentBody,
    DocumentVersion,
    ErasureReport,
    IdempotencyReceipt,
    Lifecycle,
    MemoryStore,
    MemoryVersion,
    OwnerKind,
    Ref,
    RefKind,
    Sink,
)
from memory.refs import RefName
from sessions.models import Event, Mount, Run, Session
from tenancy.models import ApiKey, AuditEntry
from tests.agents import (
    SESSIONS,
    Scene,
    agent_of,
    at,
    capture,
    checkpoint,
    make_scene,
    mount,
    runner_of,
    settle,
    start_run,
    text,
    working_ref,
)
from tests.client import Answer, Api, random_id
from tests.factories import grant, make_key, make_person
from tests.kills import work_and_die
from tests.stores import StoreClient, put_operation
from tests.work import take_turns, work_on_all
from wire.ids import uuid_from_id

pytestmark = pytest.mark.django_db

SECRET = "words for the agent alone"
TOLD = {"instructions": SECRET, "mount_path": "/secret-plans"}


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


def _erase(api: Api, session: str) -> Answer:
    return api.post(f"{SESSIONS}/{session}/erasure", key=None)


def _told(api: Api, session: str) -> Any:
    return api.get(f"{SESSIONS}/{session}/erasure").ok()


def _own(scene: Scene, session: str) -> StoreClient:
    """A store of the Session with two documents."""
    store = scene.store("read", "write", owner=Owner(OwnerKind.SESSION, session))
    store.put("/a.md", SECRET).ok()
    store.put("/b.md", SECRET).ok()
    return store


@pytest.fixture
def others(scene):
    """A personal store, which a Session mounts and writes."""
    store = scene.store()
    store.put("/kept.md", "kept").ok()
    return store


@pytest.fixture
def session(scene, others):
    """A Session that wrote in a store of its own and in a personal one; its first Run goes on."""
    made = scene.session(mount(others, "read_write", **TOLD))["id"]
    start_run(scene, made).ok(201)
    return made


@pytest.fixture
def own(scene, session):
    store = _own(scene, session)
    working_ref(store, session).ok(201)
    agents = StoreClient(agent_of(scene, session), store.id)
    checkpoint(agents, session, put_operation("/c.md", SECRET)).ok()
    return store


# --- closing ------------------------------------------------------------------------------------


def test_S7_asking_for_it_closes_the_session_and_its_stores_at_once(
    scene, admin_api, session, own, others
):
    agent = agent_of(scene, session)
    run = Run.objects.get().id
    runner = runner_of(scene)
    base = at(others, session)

    told = _erase(admin_api, session).ok(202)

    assert (told["state"], told["pending"]) == ("running", [])
    assert (told["job"]["kind"], told["job"]["target"]["id"]) == ("session.erase", session)
    assert told["report"]["operation"] == "session_erasure"
    read = scene.api.get(f"{SESSIONS}/{session}").ok()
    assert read["state"] == "erasing"
    assert [(one["mount_path"], one["instructions"]) for one in read["mounts"]] == [(None, None)]
    assert own.get().error == own.read("/a.md").error == "memory.not_found"
    assert own.put("/late.md", "late").error == "memory.not_found"
    assert agent.get(f"{SESSIONS}/{session}").error == "auth.invalid_key"
    assert start_run(scene, session).error == "memory.read_only"
    for answer in (
        settle(runner, run, capture(others, base, text("/late.md", "late"))),
        scene.api.post(f"{SESSIONS}/{session}/keys", {"name": "Late"}),
        working_ref(scene.store(), session),
        checkpoint(others, session, put_operation("/late.md", "late")),
    ):
        assert (answer.status, answer.error) == (403, "memory.read_only")
    assert scene.api.get(f"/v1/runs/{run}").ok()["state"] == "stopped"


def test_S7_its_store_owns_nothing_new(scene, admin_api, workspace, session):
    _erase(admin_api, session).ok(202)

    body = {"name": "Late", "owner": {"kind": "session", "id": session}}
    late = admin_api.post("/v1/memory-stores", body)

    assert (late.status, late.error) == (400, "validation.malformed")
    assert not MemoryStore.objects.filter(owner_uuid=session).exists()


def test_S7_it_takes_an_admin_that_nobody_only_named(scene, workspace, admin_api, session):
    admin = make_person(workspace, is_admin=True)
    named = make_key(workspace, may_act_for=[admin], key_class=ApiKey.Class.ADMIN)[1]
    writer = make_person(workspace)
    grant(writer, session, "read", "write", "admin")

    for api in (scene.api, Api(named, acting=admin.id), _api(workspace, writer)):
        assert _erase(api, session).error == "policy.denied"
    assert _erase(agent_of(scene, session), session).error == "policy.denied"
    assert _erase(_api(workspace, make_person(workspace)), session).error == "memory.not_found"
    assert Session.objects.get(id=session).state == "active"
    _erase(admin_api, session).ok(202)


def _api(workspace: Any, person: Any) -> Api:
    return Api(make_key(workspace, principal=person)[1])


def test_S7_how_it_stands_is_told_to_who_may_read_the_session(scene, workspace, admin_api, session):
    address = f"{SESSIONS}/{session}/erasure"
    assert scene.api.get(address).error == "memory.not_found"

    _erase(admin_api, session).ok(202)

    assert scene.api.get(address).ok() == admin_api.get(address).ok()
    assert _api(workspace, make_person(workspace)).get(address).error == "memory.not_found"
    assert runner_of(scene).get(address).error == "policy.denied"


def test_S7_an_archived_session_is_erased_too(scene, admin_api, session, own):
    scene.api.post(f"{SESSIONS}/{session}/archive").ok()

    _erase(admin_api, session).ok(202)
    work_on_all()

    assert _told(admin_api, session)["state"] == "erased"


def test_S7_it_is_fenced_with_the_versioned_surface(admin_api, session, settings):
    settings.VERSIONED_SURFACE = False

    assert _erase(admin_api, session).status == 503
    assert Session.objects.get(id=session).state == "active"


# --- to the end ---------------------------------------------------------------------------------


def test_S7_nothing_of_its_own_is_left_and_what_others_own_stays(
    scene, admin_api, session, own, others
):
    seen = at(others, session)
    _erase(admin_api, session).ok(202)

    work_on_all()

    told = _told(admin_api, session)
    assert (told["state"], told["pending"]) == ("erased", [])
    assert told["job"]["state"] == "succeeded"
    assert told["job"]["progress"] == {"done": 2, "total": 2}
    assert MemoryStore.objects.get(id=own.id).lifecycle == Lifecycle.DELETED
    for model in (DocumentVersion, MemoryVersion):
        assert not model.objects.filter(store=own.id).exists()
    assert DocumentBody.objects.count() == 1
    assert others.read("/kept.md").ok()["content"] == "kept"
    assert at(others, session) == seen
    assert not Mount.objects.exclude(instructions=None, mount_path=None).exists()
    assert not ApiKey.objects.filter(session_uuid=session, revoked_at=None).exists()
    assert {one["event"] for one in admin_api.pages("/v1/audit-entries")} >= {
        "session.erasure_requested",
        "session.erased",
    }
    assert SECRET not in str([*AuditEntry.objects.values(), *Job.objects.values()])


def test_S7_X4_it_is_read_back_and_the_report_tells_each_sink(admin_api, session, own):
    _erase(admin_api, session).ok(202)
    work_on_all()

    report = _told(admin_api, session)["report"]

    cleared = {one["sink"] for one in report["sinks"] if one["state"] == "cleared"}
    assert cleared == {"rows", "search_index", "receipts", "caches"}
    assert {one["sink"] for one in report["sinks"]} == set(Sink.values)
    counts = (report["version_count"], report["path_count"], report["hash_count"])
    assert counts == (4, 3, 3)
    assert admin_api.get(f"/v1/erasure-reports/{report['job']}").ok() == report


def test_S7_X4_what_is_left_anywhere_keeps_its_sink_pending(admin_api, session, own, monkeypatch):
    _erase(admin_api, session).ok(202)
    report = ErasureReport.objects.get(operation="session_erasure")

    assert look(report) >= {Sink.ROWS, Sink.SEARCH_INDEX, Sink.RECEIPTS}
    work_on_all()
    assert look(report) == frozenset()
    Mount.objects.update(instructions=SECRET)
    assert look(report) == {Sink.ROWS}


def test_S7_nothing_is_attested_before_its_end(admin_api, session, own):
    report = _erase(admin_api, session).ok(202)["report"]["job"]
    address = f"/v1/erasure-reports/{report}/attestations"
    body = {"sink": "native_continuation_state"}

    assert admin_api.post(address, body, key=None).error == "memory.conflict"
    work_on_all()
    assert admin_api.post(address, body, key=None).ok()


def test_S7_the_tombstone_tells_identifiers_and_its_log(scene, admin_api, session, own):
    before = scene.api.pages(f"{SESSIONS}/{session}/events")
    run = Run.objects.get().id
    _erase(admin_api, session).ok(202)
    work_on_all()

    read = scene.api.get(f"{SESSIONS}/{session}").ok()
    events = scene.api.pages(f"{SESSIONS}/{session}/events")

    assert (read["state"], SECRET in str(read)) == ("erased", False)
    assert [one["type"] for one in events[len(before) :]] == [
        "session.erasure_requested",
        "session.erased",
    ]
    assert events[len(before)]["data"] == {"runs": [run]}
    assert [one["id"] for one in events[: len(before)]] == [one["id"] for one in before]
    listed = scene.api.pages(SESSIONS, {"state": "erased"})
    assert [one["id"] for one in listed] == [session]


def test_S7_asked_again_it_tells_the_same(admin_api, session, own):
    first = _erase(admin_api, session).ok(202)

    assert _erase(admin_api, session).ok(202)["job"]["id"] == first["job"]["id"]
    work_on_all()
    again = _erase(admin_api, session).ok(202)
    assert (again["state"], again["job"]["id"]) == ("erased", first["job"]["id"])
    assert Job.objects.filter(kind="session.erase").count() == 1
    assert AuditEntry.objects.filter(event="session.erasure_requested").count() == 1


def test_S7_delayed_retries_recreate_nothing(scene, admin_api, others):
    asked = mount(others, "read_only", **TOLD)
    session = scene.start(asked, key="make").ok(201)["id"]
    start_run(scene, session, key="run").ok(201)
    _erase(admin_api, session).ok(202)
    work_on_all()

    assert scene.start(asked, key="make").error == "memory.conflict"
    assert start_run(scene, session, key="run").error == "memory.read_only"
    assert Session.objects.count() == 1
    told = IdempotencyReceipt.objects.filter(store=None).exclude(fingerprint=None)
    assert not told.exists()


def test_S7_a_session_without_stores_and_mounts_is_erased(scene, admin_api):
    session = scene.session()["id"]

    _erase(admin_api, session).ok(202)
    work_on_all()

    assert _told(admin_api, session)["state"] == "erased"


# --- pending ------------------------------------------------------------------------------------


def _pending(api: Api, session: str) -> list[tuple[str, str, str]]:
    told = _told(api, session)
    return [(one["kind"], one["id"], one["store"]) for one in told["pending"]]


def _wait(admin_api: Api, session: str) -> None:
    _erase(admin_api, session).ok(202)
    work_on_all()
    told = _told(admin_api, session)
    assert told["state"] == "pending"
    assert told["job"]["result"]["pending"] == len(told["pending"])


@pytest.fixture
def shared(scene, session):
    """A store of the Workspace on whose working ref somebody wrote for the Session."""
    store = scene.shared("read", "write", "review")
    working_ref(store, session).ok(201)
    return store


def _written(store: StoreClient, session: str) -> str:
    return str(checkpoint(store, session, put_operation("/n.md", "new")).ok()["version"])


def test_S7_a_shared_working_ref_that_nobody_proposed_is_pending_until_it_is_released(
    scene, admin_api, session, own, shared
):
    _written(shared, session)

    _wait(admin_api, session)

    assert _pending(admin_api, session) == [("working_ref", shared.id, shared.id)]
    assert MemoryStore.objects.get(id=own.id).lifecycle == Lifecycle.DELETED
    assert Session.objects.get(id=session).state == "erasing"
    released = shared.api.delete(shared.url(f"working-refs/{session}"), key=None)
    assert released.status == 204
    assert _pending(admin_api, session) == []
    _erase(admin_api, session).ok(202)
    work_on_all()
    assert _told(admin_api, session)["state"] == "erased"


def test_S7_work_that_is_proposed_is_in_good_hands(scene, admin_api, session, shared):
    head = _written(shared, session)
    body = {"title": "Keep it", "head_version": head}
    proposed = shared.api.post(shared.url("proposals"), body)
    proposed.ok(201)

    _erase(admin_api, session).ok(202)
    work_on_all()

    assert _told(admin_api, session)["state"] == "erased"
    assert at(shared, session) == head


def test_S7_a_shared_working_ref_without_work_of_its_own_holds_nothing_up(
    scene, admin_api, session, shared
):
    admin_api.post(shared.url("redactions"), {"paths": ["/never.md"]}).ok()

    _erase(admin_api, session).ok(202)
    work_on_all()

    assert _told(admin_api, session)["state"] == "erased"


def test_S7_open_proposals_of_its_agent_are_pending_until_they_are_decided(
    scene, admin_api, workspace, session, shared
):
    body = {"title": "A change", "operations": [put_operation("/p.md", "proposed")]}
    agent = agent_of(scene, session)
    proposal = agent.post(shared.url("proposals"), body).ok(201)["id"]

    _wait(admin_api, session)

    assert _pending(admin_api, session) == [("proposal", proposal, shared.id)]
    answer = {"response": "reject"}
    shared.api.post(shared.url(f"proposals/{proposal}/respond"), answer).ok()
    _erase(admin_api, session).ok(202)
    work_on_all()
    assert _told(admin_api, session)["state"] == "erased"


def test_S7_a_curation_run_keeps_its_store_which_takes_no_writes(scene, admin_api, session, own):
    run = random_id("curation")
    Ref.objects.create(
        store_id=own.id,
        kind=RefKind.CURATION,
        owner_uuid=run,
        version_id=own.canonical,
        updated_at=MemoryStore.objects.get(id=own.id).updated_at,
    )

    _wait(admin_api, session)

    assert _pending(admin_api, session) == [("curation", run, own.id)]
    assert own.put("/late.md", "late").error == "memory.read_only"
    version = own.get().ok()["version"]
    grant(scene.person, own.id, "admin")
    again = own.api.patch(own.url(), {"version": version, "archived": False})
    assert again.status == 400
    _release(own, run)
    _erase(admin_api, session).ok(202)
    work_on_all()
    assert MemoryStore.objects.get(id=own.id).lifecycle == Lifecycle.DELETED
    assert _told(admin_api, session)["state"] == "erased"


def _release(store: StoreClient, run: str) -> None:
    actor = Actor(ActorKind.CURATOR, run)
    refs.release(store_id=store.id, name=RefName(RefKind.CURATION, run), actor=actor)


def test_S7_a_store_that_workers_could_not_drain_is_pending_and_tried_again(
    admin_api, session, own, monkeypatch
):
    def fail(*_: Any) -> Any:
        raise RuntimeError

    monkeypatch.setattr(leases, "ATTEMPTS", 1)
    with monkeypatch.context() as broken:
        broken.setitem(draining.PARTS, "bodies", fail)
        _erase(admin_api, session).ok(202)
        take_turns()

    assert _told(admin_api, session)["state"] == "pending"
    assert _pending(admin_api, session) == [("store", own.id, own.id)]
    _erase(admin_api, session).ok(202)
    work_on_all()
    assert _told(admin_api, session)["state"] == "erased"


def test_S7_what_was_decided_is_noticed_without_asking_again(admin_api, session, shared):
    _written(shared, session)
    _wait(admin_api, session)
    job = Job.objects.get(kind="session.erase")
    assert not run_slice(job.id)
    shared.api.delete(shared.url(f"working-refs/{session}"), key=None)

    work_on_all()

    assert _told(admin_api, session)["state"] == "erased"


# --- killed -------------------------------------------------------------------------------------


def test_S7_stopped_at_any_statement_it_goes_on_to_the_same_end(
    admin_api, session, own, monkeypatch
):
    monkeypatch.setattr(draining, "BATCH", 20)
    monkeypatch.setattr(leases, "ATTEMPTS", 10_000)
    _erase(admin_api, session).ok(202)

    work_and_die()

    told = _told(admin_api, session)
    assert (told["state"], told["job"]["progress"]) == ("erased", {"done": 2, "total": 2})
    assert told["report"]["version_count"] == 4
    assert Event.objects.filter(session=session, kind="session.erased").count() == 1
    assert not _rows(own.id)


def _rows(store_id: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM memory_memoryversion WHERE store_id = %s",
            [uuid_from_id(store_id)],
        )
        return int(cursor.fetchone()[0])
