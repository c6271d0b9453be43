"""Contract S5, C1, C2, C4, M5: settling a Run's turn, through every interruption."""

from functools import partial
from typing import Any

import pytest

from memory.models import IdempotencyReceipt, MemoryVersion
from sessions.actions import settlements
from sessions.models import Checkpoint, Event, Run
from tenancy.models import ApiKey, PermissionAssignment, Principal
from tests.agents import (
    SESSIONS,
    agent_of,
    at,
    capture,
    checkpoint,
    kept,
    make_scene,
    mount,
    own_store,
    runner_of,
    settle,
    start_run,
    text,
    working_ref,
)
from tests.client import Api, random_id
from tests.factories import make_admin_key
from tests.retention import set_policy
from tests.stores import put_operation

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


@pytest.fixture
def runner(scene):
    return runner_of(scene)


def _begun(scene, *stores):
    """A Session that mounts stores for writing, and its running Run."""
    session = scene.session(*(mount(store, "read_write") for store in stores))["id"]
    return session, start_run(scene, session).ok(201)["id"]


def _traces():
    """How much there is of all that a settlement leaves behind."""
    kinds = (MemoryVersion, Checkpoint, Event, IdempotencyReceipt)
    return [kind.objects.count() for kind in kinds]


def _revoke(scene, store):
    grants = PermissionAssignment.objects.filter(subject_uuid=scene.agent.id, target_uuid=store.id)
    grants.update(permissions=["read"])


def _statuses(answer):
    return [result["status"] for result in answer.ok()["results"]]


# --- what is settled ----------------------------------------------------------------------------


def test_S5_a_turn_is_settled_store_by_store(scene, runner):
    store, other = scene.store(), scene.store()
    store.put("/old.md", "old").ok()
    session, run = _begun(scene, store, other)
    base = store.canonical

    settled = settle(
        runner,
        run,
        capture(store, base, text("/a.md", "learned")),
        capture(other, other.canonical, text("/b.md", "too")),
    ).ok()

    assert (settled["run"], settled["state"], settled["replayed"]) == (run, "settled", False)
    assert [result["status"] for result in settled["results"]] == ["committed", "committed"]
    version = settled["results"][0]["version"]
    assert at(store, session) == version
    assert [row["path"] for row in store.pages("documents", version=version)] == ["/a.md"]
    told = store.get(f"versions/{version}").ok()
    assert (told["kind"], told["parent_version"]) == ("session_checkpoint", base)
    assert told["actor"] == {"kind": "session_agent", "session": session, "agent": scene.agent.id}
    again = scene.api.get(f"/v1/runs/{run}").ok()
    assert again["state"] == "settled"
    assert again["ended_at"] is not None


def test_S5_each_checkpoint_is_told_once(scene, runner):
    store = scene.store()
    session, run = _begun(scene, store)
    body = capture(store, store.canonical, text("/a.md", "learned"))
    for _ in range(2):
        settle(runner, run, body, key="once").ok()

    told = scene.api.pages(f"{SESSIONS}/{session}/events", {"type": "memory.change_checkpointed"})

    assert [(event["run"], event["turn"]) for event in told] == [(run, run)]
    assert told[0]["data"]["changed_paths"] == ["/a.md"]
    assert told[0]["data"]["new_version"] == at(store, session)


def test_S5_unchanged_documents_go_by_their_hash_and_gone_ones_are_deleted(scene, runner):
    store = scene.store()
    for path in ("/a.md", "/b.md", "/c.md"):
        store.put(path, path).ok()
    _, run = _begun(scene, store)

    found = (kept("/a.md", "/a.md"), text("/b.md", "changed"))
    settled = settle(runner, run, capture(store, store.canonical, *found)).ok()

    version = settled["results"][0]["version"]
    assert store.read("/a.md", version).ok()["content"] == "/a.md"
    assert store.read("/b.md", version).ok()["content"] == "changed"
    assert store.read("/c.md", version).status == 404


@pytest.mark.parametrize("path", ["/new.md", "/b.md"])
def test_S5_a_hash_holds_only_at_the_same_path_of_the_base(scene, runner, path):
    store, other = scene.store(), scene.store()
    store.put("/a.md", "a").ok()
    store.put("/b.md", "b").ok()
    _, run = _begun(scene, store, other)
    before = _traces()

    refused = settle(
        runner,
        run,
        capture(other, other.canonical, text("/a.md", "text")),
        capture(store, store.canonical, kept(path, "a")),
    )

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert path in refused.message
    assert _traces() == before


def test_S5_what_is_captured_as_it_was_seals_nothing(scene, runner):
    store = scene.store()
    store.put("/a.md", "text", media_type="text/x-notes").ok()
    session, run = _begun(scene, store)
    body = capture(store, store.canonical, text("/a.md", "text"))

    first = settle(runner, run, body, key="once").ok()

    assert first["results"] == [
        {"store": store.id, "status": "unchanged", "version": None, "canonical_advanced": False}
    ]
    assert (first["state"], first["replayed"]) == ("settled", False)
    assert at(store, session) == store.canonical
    checkpoint(store, session, put_operation("/b.md", "text")).ok()
    again = settle(runner, run, body, key="once").ok()
    assert again == first | {"replayed": True}


def test_S5_a_turn_that_wrote_nothing_is_settled_too(scene, runner):
    run = start_run(scene, scene.session(mount(scene.store()))["id"]).ok(201)["id"]

    assert settle(runner, run, key="once").ok()["state"] == "settled"
    assert settle(runner, run, key="once").ok()["replayed"]


def test_S5_a_document_keeps_its_media_type(scene, runner):
    store = scene.store()
    store.put("/a", "text", media_type="text/x-notes").ok()
    _, run = _begun(scene, store)

    settled = settle(runner, run, capture(store, store.canonical, text("/a", "more"))).ok()

    found = store.read("/a", settled["results"][0]["version"]).ok()
    assert found["media_type"] == "text/x-notes"


# --- canonical ----------------------------------------------------------------------------------


def test_C1_personal_canonical_stays(scene, runner):
    store = scene.store()
    canonical = store.canonical
    _, run = _begun(scene, store)

    settled = settle(runner, run, capture(store, canonical, text("/a.md", "text"))).ok()

    assert not settled["results"][0]["canonical_advanced"]
    assert store.canonical == canonical


def test_C2_canonical_of_the_sessions_own_store_follows(scene, runner):
    store, session = own_store(scene)
    working_ref(store, session).ok(201)
    run = start_run(scene, session).ok(201)["id"]
    body = capture(store, store.canonical, text("/a.md", "text"))

    first = settle(runner, run, body, key="once").ok()["results"][0]

    assert first["canonical_advanced"]
    assert store.canonical == first["version"]
    again = settle(runner, run, body, key="once").ok()["results"][0]
    assert again == first | {"status": "replayed"}


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("granted", [("read", "write"), ("read",)])
def test_C4_a_capture_of_a_shared_store_refuses_the_whole_turn(scene, runner, granted):
    store, shared = scene.store(), scene.shared(*granted)
    session = scene.session(mount(store, "read_write"), mount(shared, "read_write"))["id"]
    run = start_run(scene, session).ok(201)["id"]
    before = _traces()

    refused = settle(
        runner,
        run,
        capture(store, store.canonical, text("/a.md", "text")),
        capture(shared, shared.canonical, text("/a.md", "text")),
        key="again",
    )

    assert (refused.status, refused.error) == (403, "memory.read_only")
    assert _traces() == before
    assert Run.objects.get(id=run).state == "running"
    alone = capture(store, store.canonical, text("/a.md", "text"))
    settle(runner, run, alone, key="again").ok()


@pytest.mark.parametrize(
    ("spoil", "status", "error"),
    [
        ("stale", 409, "memory.conflict"),
        ("released", 409, "memory.conflict"),
        ("grant", 403, "policy.denied"),
        ("unmounted", 403, "policy.denied"),
        ("read_only", 403, "memory.read_only"),
        ("archived", 403, "memory.read_only"),
        ("clash", 409, "memory.conflict"),
        ("gone", 404, "memory.not_found"),
    ],
)
def test_S5_one_that_may_not_be_committed_refuses_them_all(scene, runner, spoil, status, error):
    store, other, unmounted, readable = (scene.store() for _ in range(4))
    mounts = mount(store, "read_write"), mount(other, "read_write"), mount(readable)
    session = scene.session(*mounts)["id"]
    run = start_run(scene, session).ok(201)["id"]
    bad = capture(other, other.canonical, text("/b.md", "text"))
    match spoil:
        case "stale":
            checkpoint(other, session, put_operation("/c.md", "text")).ok()
        case "released":
            other.api.delete(other.url(f"working-refs/{session}"))
        case "grant":
            _revoke(scene, other)
        case "unmounted":
            bad |= {"store": unmounted.id, "base_version": unmounted.canonical}
        case "read_only":
            bad |= {"store": readable.id, "base_version": readable.canonical}
        case "archived":
            other.patch(lifecycle="archived").ok()
        case "clash":
            bad = capture(other, other.canonical, text("/a", "text"), text("/a/b", "text"))
        case "gone":
            bad |= {"store": random_id("store")}
    before = _traces()

    good = capture(store, store.canonical, text("/a.md", "text"))
    refused = settle(runner, run, good, bad, key="again")

    assert (refused.status, refused.error) == (status, error)
    assert _traces() == before
    assert Run.objects.get(id=run).state == "running"
    settle(runner, run, good, key="again").ok()


def test_S5_what_is_incomplete_is_400(scene, runner):
    store = scene.store()
    _, run = _begun(scene, store)
    whole = capture(store, store.canonical, text("/a.md", "text"))

    for wrong in (
        {"complete": False},
        {"entry_count": 2},
        {"reader": "two words"},
        {"documents": [text("/a.md", "text")] * 2, "entry_count": 2},
        {"documents": [{"path": "/a.md"}]},
        {"documents": [text("/a.md", "text") | kept("/a.md", "text")]},
        {"documents": [kept("/a.md", "text") | {"media_type": "text/plain"}]},
    ):
        refused = settle(runner, run, whole | wrong)
        assert (refused.status, refused.error) == (400, "validation.malformed"), wrong
    for field in ("complete", "entry_count", "reader", "base_version", "documents"):
        partial_capture = {name: value for name, value in whole.items() if name != field}
        assert settle(runner, run, partial_capture).error == "validation.malformed"
    assert settle(runner, run, whole, whole).error == "validation.malformed"
    assert settle(runner, run, whole, key=None).error == "validation.malformed"
    many = [whole | {"store": random_id("store")} for _ in range(33)]
    assert settle(runner, run, *many).error == "validation.malformed"


@pytest.mark.parametrize(("enumerates", "writer"), [(False, "native"), (True, "native")])
def test_S5_captures_come_from_where_whole_trees_are_captured(workspace, enumerates, writer):
    scene = make_scene(workspace, can_enumerate=enumerates, memory_writer=writer)
    runner, store = runner_of(scene), scene.store()
    store.put("/a.md", "text").ok()
    session, run = _begun(scene, store)
    before = _traces()

    refused = settle(runner, run, capture(store, store.canonical))

    assert (refused.status, refused.error) == (422, "runtime.harness_incompatible")
    assert scene.environment.id in refused.message
    assert _traces() == before
    assert at(store, session) == store.canonical
    assert settle(runner, run).ok()["state"] == "settled"


def test_S5_only_a_runner_of_the_environment_settles(workspace, scene):
    store = scene.store()
    session, run = _begun(scene, store)
    body = capture(store, store.canonical, text("/a.md", "text"))

    for api in (scene.api, agent_of(scene, session), Api(make_admin_key(workspace)[1])):
        assert settle(api, run, body).error == "policy.denied"
    assert settle(runner_of(make_scene(workspace)), run, body).status == 404
    assert settle(runner_of(scene), random_id("run"), body).status == 404


def test_X3_zero_data_retention_settles_nothing(workspace, scene, runner):
    store = scene.store()
    _, run = _begun(scene, store)
    body = capture(store, store.canonical, text("/a.md", "text"))
    settle(runner, run, body, key="once").ok()
    set_policy(workspace, zero_data_retention=True)
    before = _traces()

    assert settle(runner, run, body, key="once").error == "policy.denied"
    assert _traces() == before


def test_X1_a_redacted_path_is_409(scene, runner):
    store = scene.store()
    store.put("/a.md", "secret").ok()
    _, run = _begun(scene, store)
    admin = Api(make_admin_key(scene.workspace)[1])
    admin.post(store.url("redactions"), {"paths": ["/a.md"]}).ok()
    session = Run.objects.get(id=run).session_id

    refused = settle(runner, run, capture(store, at(store, session), text("/a.md", "again")))

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert "/a.md" in refused.message


def test_a_disabled_principal_settles_nothing(scene, runner):
    store = scene.store()
    _, run = _begun(scene, store)
    body = capture(store, store.canonical, text("/a.md", "text"))
    Principal.objects.filter(id=scene.person.id).update(state="disabled")

    assert settle(runner, run, body).error == "auth.disabled_tenancy"


def test_S5_a_failed_run_and_an_archived_session_settle_nothing(workspace, scene, runner):
    blind = make_scene(workspace, can_enumerate=False)
    store = blind.store()
    session = blind.session(mount(store, "read_write"))["id"]
    start_run(blind, session)
    failed = Run.objects.get(session=session).id
    assert settle(runner_of(blind), failed).error == "memory.conflict"

    session, run = _begun(scene, scene.store())
    scene.api.post(f"{SESSIONS}/{session}/archive").ok()
    assert settle(runner, run).error == "memory.read_only"


# --- once ---------------------------------------------------------------------------------------


def test_M5_a_turn_seals_a_store_once_and_a_run_is_settled_once(scene, runner):
    store = scene.store()
    session, run = _begun(scene, store)
    settle(runner, run, capture(store, store.canonical, text("/a.md", "text"))).ok()

    second = settle(runner, run, capture(store, at(store, session), text("/b.md", "text")))

    assert (second.status, second.error) == (409, "memory.conflict")
    assert Checkpoint.objects.filter(session=session).count() == 1
    next_run = start_run(scene, session).ok(201)["id"]
    settle(runner, next_run, capture(store, at(store, session), text("/b.md", "text"))).ok()
    assert Checkpoint.objects.filter(session=session).count() == 2


def test_S5_a_key_settles_one_request(scene, runner):
    store = scene.store()
    _, run = _begun(scene, store)
    body = capture(store, store.canonical, text("/a.md", "text"))
    first = settle(runner, run, body, key="once").ok()

    again = settle(runner, run, body, key="once").ok()

    results = [first["results"][0] | {"status": "replayed"}]
    assert again == first | {"results": results, "replayed": True}
    other = capture(store, store.canonical, text("/a.md", "other"))
    assert settle(runner, run, other, key="once").error == "memory.conflict"


def test_S5_a_receipt_without_its_outcome_is_not_guessed(scene, runner):
    store = scene.store()
    _, run = _begun(scene, store)
    body = capture(store, store.canonical, text("/a.md", "text"))
    settle(runner, run, body, key="once").ok()
    IdempotencyReceipt.objects.filter(key__startswith="once\n").update(outcome={"version": None})

    refused = settle(runner, run, body, key="once")

    assert (refused.status, refused.error) == (503, "memory.backend_unavailable")


def test_S5_a_replay_needs_the_grant_now(scene, runner):
    store = scene.store()
    _, run = _begun(scene, store)
    body = capture(store, store.canonical, text("/a.md", "text"))
    settle(runner, run, body, key="once").ok()
    _revoke(scene, store)

    assert settle(runner, run, body, key="once").error == "policy.denied"


# --- interruptions ------------------------------------------------------------------------------


SETTLE_STORE = settlements.settle_store


class Crash(Exception):
    """The process ends here."""


def _crashing(after, meanwhile=None):
    """`settle_store` of a process that ends when it has committed so many stores."""
    committed: list[Any] = []

    def settle_store(**given):
        if len(committed) == after:
            if meanwhile is None:
                raise Crash
            meanwhile()
        committed.append(SETTLE_STORE(**given))
        return committed[-1]

    return settle_store


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_S5_a_crash_after_any_store_loses_and_doubles_nothing(scene, runner, monkeypatch, after):
    stores = [scene.store() for _ in range(3)]
    session, run = _begun(scene, *stores)
    captures = [capture(one, one.canonical, text("/a.md", "text")) for one in stores]
    with monkeypatch.context() as patched:
        if after < 3:
            patched.setattr(settlements, "settle_store", _crashing(after))
        else:
            patched.setattr(settlements, "conclude_run", _crashing(0))
        assert settle(runner, run, *captures, key="once").status == 500
    assert Checkpoint.objects.filter(session=session).count() == after
    assert Run.objects.get(id=run).state == ("partially_settled" if after else "running")

    again = settle(runner, run, *captures, key="once")

    assert _statuses(again) == ["replayed"] * after + ["committed"] * (3 - after)
    assert again.ok()["state"] == "settled"
    assert Checkpoint.objects.filter(session=session).count() == 3
    for store, result in zip(stores, again.ok()["results"], strict=True):
        assert at(store, session) == result["version"]
        assert store.read("/a.md", result["version"]).ok()["content"] == "text"
    assert _statuses(settle(runner, run, *captures, key="once")) == ["replayed"] * 3


def test_S5_a_store_that_loses_after_the_check_is_a_conflict_and_others_stay(
    scene, runner, monkeypatch
):
    stores = [scene.store() for _ in range(3)]
    session, run = _begun(scene, *stores)
    captures = [capture(one, one.canonical, text("/a.md", "text")) for one in stores]
    move = partial(checkpoint, stores[1], session, put_operation("/b.md", "text"))
    moved: list[Any] = []

    def meanwhile():
        if not moved:
            moved.append(move().ok())

    with monkeypatch.context() as patched:
        patched.setattr(settlements, "settle_store", _crashing(1, meanwhile))
        first = settle(runner, run, *captures, key="once")

    assert _statuses(first) == ["committed", "conflict", "committed"]
    assert first.ok()["state"] == "partially_settled"
    assert first.ok()["results"][1]["version"] is None
    again = settle(runner, run, *captures, key="once")
    assert _statuses(again) == ["replayed", "conflict", "replayed"]
    rest = capture(stores[1], at(stores[1], session), text("/a.md", "text"))
    finished = settle(runner, run, rest)
    assert _statuses(finished) == ["committed"]
    assert finished.ok()["state"] == "settled"


def test_S5_a_grant_that_is_lost_after_the_check_commits_nothing(scene, runner, monkeypatch):
    stores = [scene.store() for _ in range(2)]
    session, run = _begun(scene, *stores)
    captures = [capture(one, one.canonical, text("/a.md", "text")) for one in stores]
    admin = Api(make_admin_key(scene.workspace)[1])

    def meanwhile():
        held = PermissionAssignment.objects.get(
            subject_uuid=scene.agent.id, target_uuid=stores[1].id
        )
        assert admin.delete(f"/v1/permission-assignments/{held.id}").status == 204

    monkeypatch.setattr(settlements, "settle_store", _crashing(1, meanwhile))
    answer = settle(runner, run, *captures)

    assert _statuses(answer) == ["committed", "conflict"]
    assert Checkpoint.objects.filter(session=session).count() == 1


def test_S5_a_change_of_authority_elsewhere_disturbs_no_settlement(scene, runner, monkeypatch):
    stores = [scene.store() for _ in range(2)]
    _, run = _begun(scene, *stores)
    captures = [capture(one, one.canonical, text("/a.md", "text")) for one in stores]

    monkeypatch.setattr(
        settlements, "settle_store", _crashing(1, lambda: make_admin_key(scene.workspace))
    )

    assert _statuses(settle(runner, run, *captures)) == ["committed", "committed"]


def test_S5_a_runner_that_is_revoked_between_two_stores_is_401(scene, runner, monkeypatch):
    stores = [scene.store() for _ in range(2)]
    session, run = _begun(scene, *stores)
    captures = [capture(one, one.canonical, text("/a.md", "text")) for one in stores]
    admin = Api(make_admin_key(scene.workspace)[1])
    key = ApiKey.objects.get(key_class="runner").id

    def meanwhile():
        assert admin.delete(f"/v1/api-keys/{key}").status == 204

    monkeypatch.setattr(settlements, "settle_store", _crashing(1, meanwhile))

    assert settle(runner, run, *captures).error == "auth.invalid_key"
    assert Checkpoint.objects.filter(session=session).count() == 1
