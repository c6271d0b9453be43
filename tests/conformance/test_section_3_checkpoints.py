"""Contract C1, C2, C6, C7, M5: working refs, and what a Session's checkpoint does to canonical."""

import pytest

from memory.actions.stores import Owner
from memory.models import IdempotencyReceipt, MemoryStore, MemoryVersion, OwnerKind, Ref
from sessions.models import Checkpoint, Event
from tenancy.models import PermissionAssignment
from tests.agents import (
    SESSIONS,
    agent_of,
    at,
    checkpoint,
    make_scene,
    mount,
    own_store,
    working_ref,
)
from tests.client import random_id
from tests.race import race
from tests.stores import StoreClient, as_person, delete_operation, put_operation

pytestmark = pytest.mark.django_db

PUT = put_operation("/a.md", "text")


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


def _at_work(scene, store):
    """A Session with a working ref in a store, and the store as its agent sees it."""
    session = scene.session(mount(store, "read_write"))["id"]
    working_ref(store, session).ok(201)
    return session, StoreClient(agent_of(scene, session), store.id)


def _status(answer):
    return answer.status


# --- working refs -------------------------------------------------------------------------------


@pytest.mark.parametrize("owner", ["personal", "review"])
def test_C7_a_working_ref_is_made_at_canonical_with_write(scene, owner):
    store = scene.store() if owner == "personal" else scene.shared()
    session = scene.session(mount(store))["id"]

    made = working_ref(store, session).ok(201)

    assert made | {"updated_at": ""} == {
        "kind": "session",
        "session": session,
        "store": store.id,
        "version": store.canonical,
        "updated_at": "",
    }
    assert made in store.pages("refs")
    assert store.pages("reflog")[0]["ref"] == {"kind": "session", "session": session}


def test_C7_its_agent_may_be_a_reader_and_its_session_need_not_mount_the_store(scene):
    store = scene.store(agent=("read",))

    working_ref(store, scene.session()["id"]).ok(201)


def test_C7_one_that_exists_is_409_and_names_its_version(scene):
    store = scene.store()
    session = scene.session()["id"]
    first = working_ref(store, session).ok(201)["version"]
    store.put("/a.md", "text").ok()

    refused = working_ref(store, session)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert first in refused.message


def test_C7_no_version_can_be_chosen(scene):
    store = scene.store()
    body = {"session": scene.session()["id"], "version": store.canonical}

    assert store.api.post(store.url("working-refs"), body).error == "validation.malformed"


def test_C7_without_write_there_is_no_ref_to_make_or_release(workspace, scene):
    store = scene.store()
    session = scene.session()["id"]
    reader = as_person(workspace, store.id, "read", "review", "admin")
    stranger = as_person(workspace, store.id)

    assert working_ref(reader, session).error == "policy.denied"
    assert working_ref(stranger, session).status == 404
    working_ref(store, session).ok(201)
    released = reader.api.delete(reader.url(f"working-refs/{session}"))
    assert released.error == "policy.denied"
    writer = as_person(workspace, store.id, "read", "write")
    assert writer.api.delete(writer.url(f"working-refs/{session}")).status == 204


def test_C7_what_is_not_there_is_404(workspace, scene):
    store = scene.store()
    foreign = make_scene(workspace)

    assert working_ref(store, random_id("session")).status == 404
    session = foreign.session()["id"]
    assert store.api.delete(store.url(f"working-refs/{session}")).status == 404
    assert checkpoint(store, session, PUT).status == 404
    assert checkpoint(store, random_id("session"), PUT).status == 404


def test_C7_a_ref_is_made_once_a_key_and_a_replay_tells_it_as_it_was(scene):
    store = scene.store()
    session = scene.session()["id"]
    first = working_ref(store, session, key="once").ok(201)
    checkpoint(store, session, PUT).ok()

    again = working_ref(store, session, key="once")

    assert again.ok(201) == first
    assert again.headers["Checkfu-Replayed"] == "true"
    other = scene.session()["id"]
    assert working_ref(store, other, key="once").error == "memory.conflict"
    assert working_ref(store, other, key=None).error == "validation.malformed"


def test_C7_releasing_erases_nothing_and_ends_the_ref(scene):
    store = scene.store()
    session, _ = _at_work(scene, store)
    sealed = checkpoint(store, session, PUT).ok()["version"]

    assert store.api.delete(store.url(f"working-refs/{session}")).status == 204

    assert store.api.delete(store.url(f"working-refs/{session}")).status == 404
    assert [ref["kind"] for ref in store.pages("refs")] == ["canonical"]
    assert store.read("/a.md", sealed).ok()["content"] == "text"
    assert store.pages("reflog")[0]["after"] is None


def test_C7_archiving_a_session_leaves_its_refs_which_can_still_be_released(scene):
    store = scene.store()
    session, _ = _at_work(scene, store)
    scene.api.post(f"{SESSIONS}/{session}/archive").ok()

    assert [ref["kind"] for ref in store.pages("refs")] == ["canonical", "session"]
    assert scene.api.pages(f"{SESSIONS}/{session}/working-refs") == store.pages("refs")[1:]
    assert checkpoint(store, session, PUT).error == "memory.read_only"
    assert working_ref(scene.store(), session).error == "memory.read_only"
    assert store.api.delete(store.url(f"working-refs/{session}")).status == 204


def test_C7_an_archived_store_keeps_its_refs_as_they_are(scene):
    store = scene.store()
    session, _ = _at_work(scene, store)
    store.patch(lifecycle="archived").ok()

    assert working_ref(store, scene.session()["id"]).error == "memory.read_only"
    assert checkpoint(store, session, PUT).error == "memory.read_only"
    released = store.api.delete(store.url(f"working-refs/{session}"))
    assert released.error == "memory.read_only"


@pytest.mark.django_db(transaction=True)
def test_C7_of_two_that_make_a_ref_at_once_one_does(workspace):
    scene = make_scene(workspace)
    store = scene.store()
    session = scene.session()["id"]

    answers = race(*[lambda: working_ref(store, session)] * 3)

    assert sorted(map(_status, answers)) == [201, 409, 409]


# --- checkpoints --------------------------------------------------------------------------------


def test_C7_a_checkpoint_by_the_sessions_key(scene):
    store = scene.store()
    session, agents = _at_work(scene, store)
    base = store.canonical

    made = checkpoint(agents, session, PUT, message="What I learned").ok()

    assert made["changed_paths"] == ["/a.md"]
    assert (made["canonical_advanced"], made["replayed"]) == (False, False)
    version = store.get(f"versions/{made['version']}").ok()
    assert version["kind"] == "session_checkpoint"
    assert version["parent_version"] == base
    assert version["message"] == "What I learned"
    assert version["actor"] == {
        "kind": "session_agent",
        "session": session,
        "agent": scene.agent.id,
    }
    assert at(store, session) == made["version"]


def test_C7_a_checkpoint_by_whoever_holds_write(workspace, scene):
    store = scene.shared()
    session = scene.session(mount(store))["id"]
    working_ref(store, session).ok(201)
    writer = as_person(workspace, store.id, "read", "write")

    made = checkpoint(writer, session, PUT).ok()

    assert store.get(f"versions/{made['version']}").ok()["actor"]["kind"] == "api_key"
    for permissions in (("read",), ("read", "review", "admin")):
        reader = as_person(workspace, store.id, *permissions)
        assert checkpoint(reader, session, PUT).error == "policy.denied"


def test_C7_nothing_changed_no_version(scene):
    store = scene.store()
    store.put("/a.md", "text").ok()
    session, agents = _at_work(scene, store)
    events = Event.objects.count()

    same = put_operation("/a.md", "text", over="text")
    made = checkpoint(agents, session, same).ok()

    assert made == {
        "version": None,
        "changed_paths": [],
        "canonical_advanced": False,
        "replayed": False,
    }
    assert not Checkpoint.objects.exists()
    assert Event.objects.count() == events


def test_C7_it_is_all_or_nothing_on_the_base_it_names(scene):
    store = scene.store()
    session, agents = _at_work(scene, store)
    base = at(store, session)
    checkpoint(agents, session, PUT).ok()
    versions = MemoryVersion.objects.count()

    stale = checkpoint(agents, session, put_operation("/b.md", "text"), base=base)
    assert (stale.status, stale.error) == (409, "memory.conflict")
    assert at(store, session) in stale.message
    wrong = checkpoint(agents, session, put_operation("/b.md", "text"), PUT)
    assert (wrong.status, wrong.error) == (409, "memory.conflict")
    assert MemoryVersion.objects.count() == versions


def test_C7_deletes_and_writes_go_together(scene):
    store = scene.store()
    store.put("/old.md", "old").ok()
    session, agents = _at_work(scene, store)

    made = checkpoint(agents, session, PUT, delete_operation("/old.md", over="old")).ok()

    assert made["changed_paths"] == ["/a.md", "/old.md"]
    documents = store.pages("documents", version=made["version"])
    assert [row["path"] for row in documents] == ["/a.md"]


def test_M5_a_turn_seals_one_version_of_a_store_at_most(scene):
    store, other = scene.store(), scene.store()
    session = scene.session(mount(store, "read_write"), mount(other, "read_write"))["id"]
    agents = agent_of(scene, session)
    for one in (store, other):
        working_ref(one, session).ok(201)
    here, there = StoreClient(agents, store.id), StoreClient(agents, other.id)
    second = put_operation("/b.md", "text")

    first = checkpoint(here, session, PUT, turn="turn-1").ok()["version"]
    refused = checkpoint(here, session, second, turn="turn-1")
    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert first in refused.message
    checkpoint(there, session, PUT, turn="turn-1").ok()
    checkpoint(here, session, second, turn="turn-2").ok()
    checkpoint(here, session, put_operation("/c.md", "text")).ok()
    checkpoint(here, session, put_operation("/d.md", "text")).ok()
    assert Checkpoint.objects.filter(store=store.id).count() == 4


@pytest.mark.parametrize("turn", ["", "a turn", "x" * 129, "né", 3])
def test_C7_a_turn_has_a_plain_name(scene, turn):
    store = scene.store()
    session, agents = _at_work(scene, store)

    assert checkpoint(agents, session, PUT, turn=turn).error == "validation.malformed"


def test_C7_an_exact_retry_tells_the_same_whatever_moved_since(scene):
    store, session = own_store(scene)
    working_ref(store, session).ok(201)
    base = at(store, session)
    first = checkpoint(store, session, PUT, base=base, key="once").ok()
    store.put("/elsewhere.md", "text").ok()
    checkpoint(store, session, put_operation("/b.md", "text")).ok()

    again = checkpoint(store, session, PUT, base=base, key="once").ok()

    assert first["canonical_advanced"]
    assert again == first | {"replayed": True}
    other = checkpoint(store, session, put_operation("/c.md", "x"), base=base, key="once")
    assert other.error == "memory.conflict"
    assert checkpoint(store, session, PUT, key=None).error == "validation.malformed"


def test_C7_a_retry_needs_write_now(scene):
    store = scene.store("read", "write", owner=Owner(OwnerKind.WORKSPACE, scene.workspace.id))
    session = scene.session(mount(store))["id"]
    working_ref(store, session).ok(201)
    base = at(store, session)
    checkpoint(store, session, PUT, base=base, key="once").ok()
    PermissionAssignment.objects.filter(
        subject_uuid=scene.person.id, permissions=["read", "write"]
    ).update(permissions=["read"])

    assert checkpoint(store, session, PUT, base=base, key="once").error == "policy.denied"


def test_C7_X3_zero_data_retention_forbids_it_and_its_retry(scene, admin_api):
    store = scene.store()
    session, agents = _at_work(scene, store)
    base = at(store, session)
    checkpoint(agents, session, PUT, base=base, key="once").ok()
    policy = admin_api.get("/v1/retention-policy").ok()
    change = {"version": policy["version"], "zero_data_retention": True}
    admin_api.patch("/v1/retention-policy", change).ok()

    for refused in (
        checkpoint(agents, session, PUT, base=base, key="once"),
        checkpoint(agents, session, put_operation("/b.md", "text")),
        checkpoint(agents, session, delete_operation("/a.md", over="text")),
    ):
        assert (refused.status, refused.error) == (403, "policy.denied")
        assert "zero data retention" in refused.message


@pytest.mark.parametrize("known", [{"version"}, {"canonical_advanced"}, set()])
def test_C7_a_receipt_without_its_outcome_is_not_guessed(scene, known):
    store = scene.store()
    session, agents = _at_work(scene, store)
    base = at(store, session)
    made = checkpoint(agents, session, PUT, base=base, key="once").ok()
    outcome = {name: made[name] for name in known} | {"other": 1}
    IdempotencyReceipt.objects.filter(key="once").update(outcome=outcome)

    refused = checkpoint(agents, session, PUT, base=base, key="once")

    assert (refused.status, refused.error) == (503, "memory.backend_unavailable")


@pytest.mark.django_db(transaction=True)
def test_C7_of_two_checkpoints_at_once_on_one_base_one_is_made(workspace):
    scene = make_scene(workspace)
    store, session = own_store(scene)
    working_ref(store, session).ok(201)
    base = at(store, session)

    answers = race(
        *[
            lambda path=path: checkpoint(store, session, put_operation(path, "text"), base=base)
            for path in ("/a.md", "/b.md", "/c.md")
        ]
    )

    assert sorted(map(_status, answers)) == [200, 409, 409]
    assert Checkpoint.objects.count() == 1
    positions = Event.objects.filter(session=session).values_list("position", flat=True)
    assert sorted(positions) == [1]


# --- where an agent may write -------------------------------------------------------------------


def test_C6_an_agent_writes_where_its_session_mounts_for_writing(scene):
    readable, unmounted = scene.store(), scene.store()
    shared = scene.shared()
    session = scene.session(mount(readable), mount(shared, "read_write"))["id"]
    agents = agent_of(scene, session)
    for store in (readable, unmounted, shared):
        working_ref(store, session).ok(201)

    for store, error in (
        (readable, "memory.read_only"),
        (shared, "memory.read_only"),
        (unmounted, "policy.denied"),
    ):
        refused = checkpoint(StoreClient(agents, store.id), session, PUT)
        assert (refused.status, refused.error) == (403, error)


def test_C6_a_mount_is_what_it_comes_to_now(scene):
    store = scene.store()
    session, agents = _at_work(scene, store)
    checkpoint(agents, session, PUT).ok()
    grants = PermissionAssignment.objects.filter(subject_uuid=scene.agent.id, target_uuid=store.id)
    grants.update(permissions=["read"])

    refused = checkpoint(agents, session, put_operation("/b.md", "text"))

    assert (refused.status, refused.error) == (403, "policy.denied")


def test_C6_no_agent_checkpoints_another_session(scene):
    store = scene.store()
    _, agents = _at_work(scene, store)
    other, _ = _at_work(scene, store)

    assert checkpoint(agents, other, PUT).error == "policy.denied"
    assert working_ref(agents, scene.session()["id"]).error == "policy.denied"
    assert agents.api.delete(agents.url(f"working-refs/{other}")).error == "policy.denied"


def test_C6_an_agents_change_set_on_its_own_ref_is_held_to_its_mount(scene):
    store, readable = scene.store(), scene.store()
    session = scene.session(mount(store, "read_write"), mount(readable))["id"]
    agents = agent_of(scene, session)
    for one in (store, readable):
        working_ref(one, session).ok(201)
    ref = {"kind": "session", "session": session}

    StoreClient(agents, store.id).change(PUT, ref=ref).ok()
    refused = StoreClient(agents, readable.id).change(PUT, ref=ref)
    assert (refused.status, refused.error) == (403, "memory.read_only")


# --- C1, C2 -------------------------------------------------------------------------------------


def test_C1_personal_canonical_stays_and_other_sessions_start_from_it(scene):
    store = scene.store()
    canonical = store.canonical
    session, agents = _at_work(scene, store)
    checkpoint(agents, session, PUT).ok()

    other, _ = _at_work(scene, store)

    assert store.canonical == canonical == at(store, other)


def test_C2_session_owned_canonical_follows_its_checkpoint(scene):
    store, session = own_store(scene)
    working_ref(store, session).ok(201)

    first = checkpoint(store, session, PUT).ok()
    second = checkpoint(store, session, put_operation("/b.md", "text")).ok()

    assert first["canonical_advanced"]
    assert second["canonical_advanced"]
    assert store.canonical == second["version"] == at(store, session)


def test_C2_canonical_that_moved_by_itself_is_kept(scene):
    store, session = own_store(scene)
    working_ref(store, session).ok(201)
    store.put("/elsewhere.md", "text").ok()
    moved = store.canonical

    made = checkpoint(store, session, PUT).ok()

    assert not made["canonical_advanced"]
    assert store.canonical == moved
    assert not checkpoint(store, session, put_operation("/b.md", "x")).ok()["canonical_advanced"]


def test_C2_it_follows_its_own_session_and_no_other(scene):
    store, _ = own_store(scene)
    other = scene.session()["id"]
    working_ref(store, other).ok(201)
    before = store.canonical

    assert not checkpoint(store, other, PUT).ok()["canonical_advanced"]
    assert store.canonical == before


def test_C2_the_sessions_agent_writes_it_without_a_mount(scene):
    store, session = own_store(scene)
    working_ref(store, session).ok(201)

    made = checkpoint(StoreClient(agent_of(scene, session), store.id), session, PUT).ok()

    assert made["canonical_advanced"]


def test_C2_direct_writes_by_a_principal_or_key_with_write(workspace, scene):
    store, _ = own_store(scene)
    writer = as_person(workspace, store.id, "read", "write")

    writer.put("/a.md", "text").ok()
    reader = as_person(workspace, store.id, "read")
    assert reader.put("/b.md", "text").error == "policy.denied"


# --- what retains -------------------------------------------------------------------------------


def test_C7_a_working_ref_counts_as_a_change_of_the_store(scene):
    store = scene.store()
    session = scene.session()["id"]

    def generation():
        return MemoryStore.objects.get(id=store.id).generation

    before = generation()
    working_ref(store, session).ok(201)
    assert generation() == before + 1
    store.api.delete(store.url(f"working-refs/{session}"))
    assert generation() == before + 2
    assert Ref.objects.filter(store=store.id).count() == 1
