"""Contract S1, S3, S4, S5: what a Run finds when it starts, and what keeps it from that."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import IdempotencyReceipt, MemoryStore, Ref
from memory.retention import has_zero_retention
from sessions.models import Run, Session
from tenancy.models import PermissionAssignment
from tests.agents import (
    SESSIONS,
    agent_of,
    at,
    checkpoint,
    exactly,
    make_scene,
    mount,
    runner_of,
    start_run,
    working_ref,
)
from tests.client import Api, random_id
from tests.factories import grant, make_admin_key, make_key, make_person
from tests.interleaving import answer_when_stopped
from tests.race import outcomes, race
from tests.retention import set_policy
from tests.stores import put_operation

pytestmark = pytest.mark.django_db

PUT = put_operation("/a.md", "text")


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


def _events(scene, session, kind):
    return scene.api.pages(f"{SESSIONS}/{session}/events", {"type": kind})


def _kinds(scene, session):
    return [event["type"] for event in scene.api.pages(f"{SESSIONS}/{session}/events")]


# --- starting -----------------------------------------------------------------------------------


def test_S3_the_first_run_makes_the_working_ref_at_canonical(scene):
    store, readable = scene.store(), scene.store()
    store.put("/a.md", "text").ok()
    session = scene.session(mount(store, "read_write"), mount(readable))["id"]

    run = start_run(scene, session).ok(201)

    assert (run["session"], run["state"], run["ended_at"]) == (session, "running", None)
    assert [(one["effective"], one["version"]) for one in run["mounts"]] == [
        ("read_write", store.canonical),
        ("read_only", readable.canonical),
    ]
    assert at(store, session) == store.canonical
    assert Ref.objects.filter(kind="session").count() == 1
    move = store.pages("reflog")[0]
    assert move["actor"] == {"kind": "session_agent", "session": session, "agent": scene.agent.id}


@pytest.mark.parametrize("access", ["read_only", "read_write"])
def test_S3_a_run_of_many_mounts_asks_no_more_than_one_of_few(scene, access):
    asked = []
    for count in (3, 12):
        session = scene.session(*(mount(scene.store(), access) for _ in range(count)))["id"]
        with CaptureQueriesContext(connection) as queries:
            start_run(scene, session).ok(201)
        asked.append(len(queries))

    assert asked[0] == asked[1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("store", range(2))
def test_S5_a_run_that_would_make_many_refs_makes_none_when_one_store_is_archived(scene, store):
    """Stores are locked at the end, by their IDs; what was decided meanwhile is seen there."""
    stores = [scene.store(), scene.store()]
    session = scene.session(*(mount(one, "read_write") for one in stores))["id"]

    def archive():
        MemoryStore.objects.filter(id=stores[store].id).update(lifecycle="archived")

    answer = answer_when_stopped(
        lambda: start_run(scene, session), reading="memory_refmove", meanwhile=archive
    )

    assert answer.error == "memory.read_only"
    assert not Ref.objects.filter(kind="session").exists()
    assert not Run.objects.exists()


def test_S3_S4_a_run_tells_what_it_resolved_and_was_shown(scene):
    store, readable = scene.store(), scene.store()
    readable.put("/a.md", "text").ok()
    session = scene.session(mount(store, "read_write"), mount(readable))["id"]

    run = start_run(scene, session).ok(201)

    [resolved] = _events(scene, session, "session.resources_resolved")
    assert (resolved["run"], resolved["data"]["mounts"]) == (run["id"], run["mounts"])
    shown = _events(scene, session, "memory.accessed")
    assert [event["data"]["version"] for event in shown] == [store.canonical, readable.canonical]
    assert {(event["run"], event["turn"]) for event in shown} == {(run["id"], run["id"])}
    manifest = scene.api.pages(f"{SESSIONS}/{session}/events/{shown[1]['id']}/manifest")
    assert [entry["path"] for entry in manifest] == ["/a.md"]


def test_S4_under_zero_data_retention_a_run_tells_one_count(workspace, scene):
    session = scene.session(mount(scene.store()), mount(scene.store()))["id"]
    set_policy(workspace, zero_data_retention=True)
    assert has_zero_retention(workspace.id)

    start_run(scene, session).ok(201)

    [told] = _events(scene, session, "memory.accessed")
    assert told["data"] == {"method": "mount", "store_count": 2, "document_count": 0}


def test_S3_the_current_state_and_named_refs_freeze_at_each_runs_start(scene):
    store, named = scene.store(), scene.store()
    mounts = mount(store), mount(named, selection={"kind": "canonical"})
    session = scene.session(*mounts)["id"]
    first = start_run(scene, session).ok(201)
    for one in (store, named):
        one.put("/a.md", "text").ok()

    second = start_run(scene, session).ok(201)

    again = scene.api.get(f"/v1/runs/{first['id']}").ok()
    assert again == first
    versions = [one["version"] for one in second["mounts"]]
    assert versions == [store.canonical, named.canonical]
    assert versions != [one["version"] for one in first["mounts"]]


def test_S3_an_exact_version_never_moves(scene):
    store = scene.store()
    chosen = store.canonical
    session = scene.session(mount(store, selection=exactly(chosen)))["id"]
    store.put("/a.md", "text").ok()

    assert start_run(scene, session).ok(201)["mounts"][0]["version"] == chosen


def test_S3_a_later_run_reads_where_the_working_ref_is(scene):
    store = scene.store()
    session = scene.session(mount(store, "read_write"))["id"]
    start_run(scene, session).ok(201)
    sealed = checkpoint(store, session, PUT).ok()["version"]

    assert start_run(scene, session).ok(201)["mounts"][0]["version"] == sealed


def test_S3_a_native_writer_begins_at_the_selected_version(workspace):
    scene = make_scene(workspace, memory_writer="native", can_enumerate=False)
    store = scene.store()
    chosen = store.canonical
    store.put("/a.md", "text").ok()
    session = scene.session(mount(store, "read_write", selection=exactly(chosen)))["id"]

    start_run(scene, session).ok(201)

    assert at(store, session) == chosen


def test_a_run_is_started_once_a_key(scene):
    session = scene.session(mount(scene.store(), "read_write"))["id"]
    first = start_run(scene, session, key="once").ok(201)

    again = start_run(scene, session, key="once")

    assert again.ok(201) == first
    assert again.headers["Checkfu-Replayed"] == "true"
    assert Run.objects.count() == 1
    assert start_run(scene, scene.session()["id"], key="once").error == "memory.conflict"
    assert start_run(scene, session, key=None).error == "validation.malformed"


@pytest.mark.django_db(transaction=True)
def test_S3_runs_that_start_at_once_share_one_working_ref(workspace):
    scene = make_scene(workspace)
    store, other = scene.store(), scene.store()
    session = scene.session(mount(store, "read_write"), mount(other, "read_write"))["id"]

    answers = race(*[lambda: start_run(scene, session).status] * 3)

    assert outcomes(answers, int) == [201] * 3
    assert Ref.objects.filter(kind="session").count() == 2
    events = scene.api.pages(f"{SESSIONS}/{session}/events")
    assert [event["position"] for event in events] == list(range(1, len(events) + 1))


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["read", "act_as"])
def test_S1_a_principal_without_what_it_needs_is_refused_and_told_once(scene, lost):
    store = scene.shared("read")
    session = scene.session(mount(store))["id"]
    target = store.id if lost == "read" else scene.agent.id
    held = PermissionAssignment.objects.filter(subject_uuid=scene.person.id, target_uuid=target)
    held.delete()

    refused = start_run(scene, session, key="again")

    assert (refused.status, refused.error) == (403, "policy.denied")
    assert not Run.objects.exists()
    assert not IdempotencyReceipt.objects.filter(key="again").exists()
    [told] = _events(scene, session, "run.refused")
    reason = "principal_without_read" if lost == "read" else "principal_without_act_as"
    assert told["data"] == {"mounts": [{"mount": 1, "store": store.id, "reasons": [reason]}]}
    grant(scene.person, target, lost)
    start_run(scene, session, key="again").ok(201)


def test_S1_without_act_as_nothing_runs_even_without_a_mount(scene):
    session = scene.session()["id"]
    PermissionAssignment.objects.filter(target_uuid=scene.agent.id).delete()

    assert start_run(scene, session).error == "policy.denied"
    [told] = _events(scene, session, "run.refused")
    assert told["data"] == {"mounts": []}


@pytest.mark.parametrize(("enumerates", "writer"), [(False, "capture"), (True, "none")])
def test_S5_what_cannot_tell_its_writes_fails_a_run_that_would_write(workspace, enumerates, writer):
    scene = make_scene(workspace, can_enumerate=enumerates, memory_writer=writer)
    store = scene.store()
    session = scene.session(mount(store, "read_write"))["id"]

    refused = start_run(scene, session, key="once")

    assert (refused.status, refused.error) == (422, "runtime.harness_incompatible")
    [run] = scene.api.pages(f"{SESSIONS}/{session}/runs")
    assert run["state"] == "failed"
    assert run["id"] in refused.message
    assert run["ended_at"] is not None
    assert "session.resources_resolved" in _kinds(scene, session)
    assert "memory.accessed" not in _kinds(scene, session)
    assert not Ref.objects.filter(kind="session").exists()
    assert start_run(scene, session, key="once").message == refused.message
    assert Run.objects.count() == 1


@pytest.mark.parametrize(("enumerates", "writer"), [(False, "capture"), (False, "none")])
def test_S5_what_only_reads_needs_no_enumeration(workspace, enumerates, writer):
    scene = make_scene(workspace, can_enumerate=enumerates, memory_writer=writer)
    session = scene.session(mount(scene.store()), mount(scene.shared(), "read_write"))["id"]

    assert start_run(scene, session).ok(201)["state"] == "running"


def test_S3_a_mount_that_cannot_be_had_refuses_the_run_without_a_trace(scene):
    store, other = scene.store(), scene.store()
    gone = {"kind": "session", "session": scene.session()["id"]}
    session = scene.session(mount(other, "read_write"), mount(store, selection=gone))["id"]
    before = _kinds(scene, session)

    refused = start_run(scene, session)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert _kinds(scene, session) == before
    assert not Run.objects.exists()
    assert not Ref.objects.filter(kind="session").exists()


def test_S3_a_working_ref_elsewhere_is_409_and_names_both(workspace):
    scene = make_scene(workspace, memory_writer="native")
    store = scene.store()
    chosen = store.canonical
    store.put("/a.md", "text").ok()
    session = scene.session(mount(store, "read_write", selection=exactly(chosen)))["id"]
    working_ref(store, session).ok(201)

    refused = start_run(scene, session)

    assert refused.error == "memory.conflict"
    assert chosen in refused.message
    assert store.canonical in refused.message


def test_S2_an_archived_store_that_was_to_be_written_refuses_the_run(scene):
    store = scene.store()
    session = scene.session(mount(store, "read_write"))["id"]
    store.patch(lifecycle="archived").ok()

    assert start_run(scene, session).error == "memory.read_only"


def test_an_archived_session_starts_nothing(scene):
    session = scene.session()["id"]
    scene.api.post(f"{SESSIONS}/{session}/archive").ok()

    assert start_run(scene, session).error == "memory.read_only"
    assert Session.objects.get(id=session).event_count == 1


# --- who ----------------------------------------------------------------------------------------


def test_who_may_start_runs(workspace, scene):
    session = scene.session()["id"]
    url = f"{SESSIONS}/{session}/runs"
    stranger, reader, writer = (make_person(workspace) for _ in range(3))
    grant(reader, session, "read")
    grant(writer, session, "read", "write")

    def as_person(person):
        return Api(make_key(workspace, principal=person)[1]).post(url, {})

    assert as_person(stranger).status == 404
    run = start_run(scene, session).ok(201)["id"]
    api = Api(make_key(workspace, principal=stranger)[1])
    for path in ("/v1/runs/{}", "/v1/runs/{}/settlement"):
        verb = api.post if path.endswith("settlement") else api.get
        known, unknown = (verb(path.format(one)) for one in (run, random_id("run")))
        assert (known.status, known.content) == (404, unknown.content), "as a random ID does"
    assert as_person(reader).error == "policy.denied"
    as_person(writer).ok(201)
    assert agent_of(scene, session).post(url, {}).error == "policy.denied"
    assert runner_of(scene).post(url, {}).error == "policy.denied"
    assert Api(make_admin_key(workspace)[1]).post(url, {}).error == "policy.denied"


def test_who_may_read_runs(workspace, scene):
    session = scene.session()["id"]
    run = start_run(scene, session).ok(201)
    foreign = runner_of(make_scene(workspace))

    for api in (scene.api, agent_of(scene, session), runner_of(scene)):
        assert api.get(f"/v1/runs/{run['id']}").ok() == run
        assert api.pages(f"{SESSIONS}/{session}/runs") == [run]
    assert foreign.get(f"/v1/runs/{run['id']}").status == 404
    admin = Api(make_admin_key(workspace)[1])
    assert admin.get(f"/v1/runs/{run['id']}").error == "policy.denied"
    assert scene.api.get(f"/v1/runs/{random_id('run')}").status == 404


def test_runs_are_listed_newest_first(scene):
    session = scene.session()["id"]
    made = [start_run(scene, session).ok(201)["id"] for _ in range(3)]

    listed = scene.api.pages(f"{SESSIONS}/{session}/runs", {"limit": "2"})

    assert [run["id"] for run in listed] == made[::-1]
