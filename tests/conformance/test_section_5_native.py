"""Contract S6: native reads and writes, their receipts, and all that refuses them."""

import pytest

from jobs.models import Job
from memory.models import BodyErasure, DocumentVersion, IdempotencyReceipt, MemoryVersion
from sessions.models import Checkpoint, Event, EventKind, InputMount, MemoryCall
from tenancy.models import PermissionAssignment
from tests.agents import at, checkpoint, exactly, runner_of
from tests.client import Api, random_id
from tests.erasure import erase_bodies
from tests.factories import grant, make_admin_key, make_key, make_person, make_service
from tests.native import (
    AtWork,
    at_work,
    call,
    enter,
    finish,
    listed,
    native_scene,
    read,
    recover,
    send_input,
)
from tests.retention import set_policy
from tests.stores import delete_operation, hash_of, put_operation
from tests.work import run_to_the_end

pytestmark = pytest.mark.django_db

PUT = put_operation("/a.md", "text")
OTHER = put_operation("/b.md", "other")


@pytest.fixture
def scene(workspace):
    return native_scene(workspace)


@pytest.fixture
def work(scene) -> AtWork:
    return at_work(scene)


def _lose(subject, permissions, target):
    """Take a grant back, and leave these permissions of it."""
    held = PermissionAssignment.objects.filter(subject_uuid=subject.id, target_uuid=target)
    held.delete()
    if permissions:
        grant(subject, target, *permissions)


def _nothing_written(work) -> bool:
    return not Checkpoint.objects.exists() and at(work.store, work.session) == work.store.canonical


# --- writing ------------------------------------------------------------------------------------


def test_S6_a_call_seals_a_checkpoint_on_what_the_round_reads(work):
    base, entered = work.store.canonical, work.round()

    wrote = call(work.agent, entered, PUT, name="toolu_1", message="Learned.").ok(201)

    sealed = at(work.store, work.session)
    assert wrote | {"at": ""} == {
        "round": entered,
        "call": "toolu_1",
        "mount": 1,
        "store": work.store.id,
        "base_version": base,
        "version": sealed,
        "changed_paths": ["/a.md"],
        "at": "",
    }
    version = work.store.get(f"versions/{sealed}").ok()
    assert (version["kind"], version["parent_version"]) == ("session_checkpoint", base)
    assert version["message"] == "Learned."
    assert version["actor"] == {
        "kind": "session_agent",
        "session": work.session,
        "agent": work.scene.agent.id,
    }
    assert work.store.canonical == base
    (told,) = work.events("memory.change_checkpointed")
    assert (told["data"]["new_version"], told["turn"]) == (sealed, entered)
    assert Checkpoint.objects.get().turn == entered


@pytest.mark.parametrize("who", ["runner", "person"])
def test_S6_what_others_send_for_the_agent_is_the_agents(work, who):
    api = runner_of(work.scene) if who == "runner" else work.scene.api
    wrote = call(api, work.round(), PUT).ok(201)

    actor = work.store.get(f"versions/{wrote['version']}").ok()["actor"]
    assert actor["kind"] == "session_agent"


def test_M5_what_alters_nothing_seals_nothing_and_is_the_rounds_call(work):
    work.store.put("/a.md", "text").ok()
    entered = work.round()

    wrote = call(work.agent, entered, put_operation("/a.md", "text", over="text")).ok(201)

    assert (wrote["version"], wrote["changed_paths"]) == (None, [])
    assert wrote["base_version"] == work.store.canonical
    assert not Checkpoint.objects.exists()
    assert recover(work.agent, entered).ok() == wrote
    assert call(work.agent, entered, OTHER, name="call-2").error == "memory.conflict"


def test_S6_a_call_changes_what_it_says_and_infers_no_deletion(work):
    for path in ("/a.md", "/b.md"):
        work.store.put(path, "text").ok()
    entered = work.round()

    deletion = delete_operation("/a.md", over="text")
    wrote = call(work.agent, entered, deletion, put_operation("/c.md", "new")).ok(201)

    assert wrote["changed_paths"] == ["/a.md", "/c.md"]
    documents = work.store.pages("documents", version=wrote["version"])
    assert [row["path"] for row in documents] == ["/b.md", "/c.md"]


def test_S6_content_that_is_not_as_expected_refuses_and_leaves_the_round_its_call(work):
    entered = work.round()

    missed = call(work.agent, entered, put_operation("/a.md", "text", over="before"), key="k")

    assert missed.error == "memory.conflict"
    assert not MemoryCall.objects.exists()
    call(work.agent, entered, PUT, key="k").ok(201)


# --- exact calls --------------------------------------------------------------------------------


def test_S6_an_exact_replay_returns_the_first_result(work):
    entered = work.round()
    first = call(work.agent, entered, PUT, key="once")

    again = call(work.agent, entered, PUT, key="once")
    with_another_key = call(work.agent, entered, PUT)
    by_the_runner = call(runner_of(work.scene), entered, PUT, key="once")

    for told in (again, with_another_key, by_the_runner):
        assert told.ok(201) == first.ok(201)
        assert told.headers["Checkfu-Replayed"] == "true"
    assert "Checkfu-Replayed" not in first.headers
    assert Checkpoint.objects.count() == 1
    assert len(work.events("memory.change_checkpointed")) == 1
    finish(work.agent, entered).ok()
    assert call(work.agent, entered, PUT, key="once").ok(201) == first.ok(201)


def test_S6_a_round_has_one_call_and_batches_are_refused(work):
    entered = work.round()
    call(work.agent, entered, PUT).ok(201)

    second = call(work.agent, entered, OTHER, name="call-2")
    same_name = call(work.agent, entered, OTHER)
    same_words = call(work.agent, entered, PUT, name="call-2")

    assert second.error == same_name.error == same_words.error == "memory.conflict"
    assert "no batches" in second.message
    assert Checkpoint.objects.count() == 1
    address = f"/v1/rounds/{work.round()}/memory-calls/call-1"
    for batch in ([{"mount": 1, "operations": [PUT]}] * 2, {"calls": [{"mount": 1}] * 2}):
        assert work.agent.post(address, batch).error == "validation.malformed"


def test_S6_a_second_write_on_the_same_base_is_409_and_nothing_is_rebased(work):
    base = work.store.canonical
    first, second = work.round(), work.round()
    sealed = call(work.agent, first, PUT).ok(201)["version"]

    late = call(work.agent, second, OTHER)

    assert (late.status, late.error) == (409, "memory.conflict")
    assert sealed in late.message
    assert base in late.message
    assert at(work.store, work.session) == sealed
    assert not MemoryCall.objects.filter(round=second).exists()


def test_S6_a_ref_that_others_moved_is_409(work):
    entered = work.round()
    checkpoint(work.store, work.session, OTHER).ok()

    assert call(work.agent, entered, PUT).error == "memory.conflict"


def test_S6_a_finished_round_is_neither_written_nor_read(work):
    entered = work.round()
    finish(work.agent, entered).ok()

    assert call(work.agent, entered, PUT).error == "memory.conflict"
    assert read(work.agent, entered, "/a.md").error == "memory.conflict"
    assert listed(work.agent, entered).error == "memory.conflict"
    assert _nothing_written(work)


def test_M5_a_turn_that_was_checkpointed_under_the_rounds_name_is_409(work):
    entered = work.round()
    checkpoint(work.store, work.session, OTHER, turn=entered).ok()

    assert call(work.agent, entered, PUT).error == "memory.conflict"


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"mount": 0}, "call-1"),
        ({"mount": "1"}, "call-1"),
        ({"operations": []}, "call-1"),
        ({"base_version": "memver_" + "0" * 32}, "call-1"),
        ({}, "a%20b"),
        ({}, "x" * 129),
    ],
)
def test_a_call_that_is_not_as_documented_is_400(work, more, name):
    body = {"mount": 1, "operations": [PUT], **more}
    address = f"/v1/rounds/{work.round()}/memory-calls/{name}"

    assert work.agent.post(address, body).error == "validation.malformed"
    assert work.agent.post(address, body, key=None).error == "validation.malformed"


def test_a_mount_that_the_input_has_not_is_404(work):
    entered = work.round()

    assert call(work.agent, entered, PUT, at=2).status == 404
    assert read(work.agent, entered, "/a.md", at=2).status == 404


# --- authority ----------------------------------------------------------------------------------


def test_S6_only_what_was_offered_is_written_whatever_is_granted_later(scene):
    store = scene.store(agent=("read",))
    work = at_work(scene, store)
    entered = work.round()
    grant(scene.agent, store.id, "write")

    refused = call(work.agent, entered, PUT)

    assert refused.error == "memory.read_only"
    assert "not offered" in refused.message
    assert _nothing_written(work)
    call(work.agent, work.round(), PUT).ok(201)


@pytest.mark.parametrize("loser", ["agent", "person"])
def test_S6_a_lost_write_refuses_and_downgrades_nothing(scene, loser):
    work = at_work(scene)
    entered = work.round()
    _lose(getattr(scene, loser), ["read"], work.store.id)

    refused = call(work.agent, entered, PUT, key="again")

    assert (refused.status, refused.error) == (403, "policy.denied")
    assert "`write`" in refused.message
    assert _nothing_written(work)
    told = scene.api.get(f"/v1/rounds/{entered}").ok()["mounts"][0]
    assert told["writable"] is True
    listed(work.agent, entered).ok()
    grant(getattr(scene, loser), work.store.id, "write")
    call(work.agent, entered, PUT, key="again").ok(201)


def test_S6_without_act_as_nothing_is_read_or_written(work):
    entered = work.round()
    _lose(work.scene.person, [], work.scene.agent.id)

    assert call(work.agent, entered, PUT).error == "policy.denied"
    assert listed(work.agent, entered).error == "policy.denied"


def test_S6_a_replay_needs_write_now_and_recovery_does_not(work):
    entered = work.round()
    first = call(work.agent, entered, PUT, key="once").ok(201)
    _lose(work.scene.agent, ["read"], work.store.id)

    assert call(work.agent, entered, PUT, key="once").error == "policy.denied"
    assert recover(work.agent, entered).ok() == first


def test_S6_automations_work_on_no_input(workspace, scene):
    service = make_service(workspace)
    grant(service, scene.agent, "act_as")
    api = Api(make_key(workspace, principal=service)[1])
    body = {"agent": scene.agent.id, "environment": scene.environment.id, "mounts": []}
    session = api.post("/v1/sessions", body).ok(201)["id"]

    assert api.post(f"/v1/sessions/{session}/inputs", {}).error == "policy.denied"
    grant(scene.person, session, "read", "write")
    accepted = send_input(scene, session).ok(201)["id"]
    assert enter(api, accepted).error == "policy.denied"


@pytest.mark.parametrize("lifecycle", ["archived", "deleting"])
def test_S6_a_store_that_is_not_active_is_refused_whatever_is_asked(work, admin_api, lifecycle):
    work.store.put("/a.md", "text").ok()
    written, entered = work.round(), work.round()
    call(work.agent, written, OTHER).ok(201)
    if lifecycle == "archived":
        work.store.patch(lifecycle="archived").ok()
    else:
        admin_api.delete(work.store.url(), key=None).ok(202)

    answers = [
        call(work.agent, entered, PUT),
        read(work.agent, entered, "/a.md"),
        listed(work.agent, entered),
        recover(work.agent, written),
        call(work.agent, written, OTHER),
        enter(work.agent, work.scene.api.get(f"/v1/rounds/{written}").ok()["input"]),
    ]

    archived = lifecycle == "archived"
    finish(work.agent, written).ok()
    expected = "memory.read_only" if archived else "memory.not_found"
    assert [answer.error for answer in answers[:5]] == [expected] * 5
    assert answers[5].error == "memory.conflict"


def test_an_archived_session_writes_and_reads_nothing_and_finishes_its_rounds(work):
    entered = work.round()
    work.scene.api.post(f"/v1/sessions/{work.session}/archive").ok()

    assert call(work.agent, entered, PUT).error == "auth.invalid_key"
    for api in (runner_of(work.scene), work.scene.api):
        assert call(api, entered, PUT).error == "memory.read_only"
        assert read(api, entered, "/a.md").error == "memory.read_only"
    assert finish(runner_of(work.scene), entered).ok()["state"] == "finished"


def test_X3_zero_data_retention_forbids_calls_and_their_replays(workspace, work):
    entered = work.round()
    first = call(work.agent, entered, PUT, key="once").ok(201)
    set_policy(workspace, zero_data_retention=True)

    assert call(work.agent, entered, PUT, key="once").error == "policy.denied"
    assert call(work.agent, work.round(), OTHER).error == "policy.denied"
    assert recover(work.agent, entered).ok() == first


# --- reading ------------------------------------------------------------------------------------


def test_S6_reads_are_of_exactly_the_rounds_version(work):
    work.store.put("/a.md", "before").ok()
    frozen, entered = work.store.canonical, work.round()
    work.store.put("/a.md", "after", over="before").ok()
    call(work.agent, entered, put_operation("/a.md", "written", over="before")).ok(201)

    document = read(work.agent, entered, "/a.md").ok()

    assert (document["version"], document["content"]) == (frozen, "before")
    page = listed(work.agent, entered).ok()
    assert page["version"] == frozen
    assert [row["content_sha256"] for row in page["data"]] == [hash_of("before")]
    assert read(work.agent, entered, "/b.md").status == 404


def test_reads_are_listed_page_by_page_and_by_prefix(work):
    work.store.change(*[put_operation(f"/{n}/a.md", str(n)) for n in range(3)]).ok()
    entered = work.round()

    first = listed(work.agent, entered, limit="2").ok()
    rest = listed(work.agent, entered, limit="2", page=first["next_page"]).ok()

    paths = [row["path"] for page in (first, rest) for row in page["data"]]
    assert paths == ["/0/a.md", "/1/a.md", "/2/a.md"]
    assert [row["path"] for row in listed(work.agent, entered, prefix="/1/").ok()["data"]] == [
        "/1/a.md"
    ]


@pytest.mark.parametrize("loser", ["agent", "person"])
def test_S6_reads_need_both_reads_now(work, loser):
    work.store.put("/a.md", "text").ok()
    entered = work.round()
    call(work.agent, entered, OTHER).ok(201)
    _lose(getattr(work.scene, loser), [], work.store.id)

    for api in (work.agent, runner_of(work.scene), work.scene.api):
        for refused in (
            read(api, entered, "/a.md"),
            listed(api, entered),
            recover(api, entered),
            call(api, entered, OTHER),
        ):
            assert (refused.status, refused.error) == (403, "policy.denied")


def test_X3_a_round_tells_no_text_after_its_ceiling(workspace, work, clock):
    set_policy(workspace, body_lifetime_days=30)
    work.store.put("/a.md", "xylophone").ok()
    entered = work.round()
    assert b"xylophone" in read(work.scene.api, entered, "/a.md").content
    clock.move(days=30)

    gone = read(work.scene.api, entered, "/a.md")

    assert gone.error == "memory.not_found"
    (row,) = listed(work.scene.api, entered).ok()["data"]
    assert row["erased"]["reason"] == "expired"


# --- plans and receipts -------------------------------------------------------------------------


def test_S6_a_plan_without_a_version_is_unavailable_and_never_canonical(work):
    entered = work.round()
    accepted = work.scene.api.get(f"/v1/rounds/{entered}").ok()["input"]
    InputMount.objects.update(version=None)

    answers = [
        read(work.agent, entered, "/a.md"),
        listed(work.agent, entered),
        call(work.agent, entered, PUT),
    ]
    finish(work.agent, entered).ok()
    answers.append(enter(work.agent, accepted))

    for answer in answers:
        assert (answer.status, answer.error) == (503, "memory.backend_unavailable")
        assert "mount 1" in answer.message
    assert work.agent.get(f"/v1/inputs/{accepted}").ok()["mounts"][0]["version"] is None
    assert _nothing_written(work)


def test_S6_an_exact_version_that_lost_a_body_is_unavailable(scene):
    store = scene.store()
    store.put("/a.md", "text").ok()
    chosen = store.canonical
    work = at_work(scene, store, selection=exactly(chosen))
    accepted = work.input()
    lost = DocumentVersion.objects.get(store=store.id)
    erase_bodies(store.id, [lost.id], BodyErasure.Reason.RETIRED)

    refused = enter(work.agent, accepted)

    assert (refused.status, refused.error) == (503, "memory.backend_unavailable")
    assert chosen in refused.message


def test_S6_recovery_tells_what_the_call_was_told(work):
    entered = work.round()
    wrote = call(work.agent, entered, PUT).ok(201)
    finish(work.agent, entered).ok()
    checkpoint(work.store, work.session, OTHER).ok()

    for api in (work.agent, runner_of(work.scene), work.scene.api):
        assert recover(api, entered).ok() == wrote


def test_S6_a_missing_receipt_is_unavailable_and_no_permission_to_write_again(work):
    entered = work.round()
    never = recover(work.agent, entered)
    call(work.agent, entered, PUT).ok(201)
    other_name = recover(work.agent, entered, "call-2")

    for answer in (never, other_name):
        assert (answer.status, answer.error) == (503, "memory.backend_unavailable")
        assert "no permission to write again" in answer.message


def test_X1_a_redaction_takes_the_receipt_and_the_texts(work, admin_api):
    accepted = work.input()
    entered = work.round(accepted)
    wrote = call(work.agent, entered, PUT, key="once").ok(201)
    assert recover(work.agent, entered).ok() == wrote
    admin_api.post(work.store.url("redactions"), {"paths": ["/a.md"]}).ok()

    assert recover(work.agent, entered).error == "memory.backend_unavailable"
    assert call(work.agent, entered, PUT, key="once").error == "memory.conflict"
    assert call(work.agent, entered, PUT).error == "memory.conflict"
    finish(work.agent, entered).ok()
    later = enter(work.agent, accepted).ok(201)["id"]
    assert read(work.agent, later, "/a.md").status == 404
    assert call(work.agent, later, OTHER).error == "memory.conflict"
    call(work.agent, work.round(), OTHER).ok(201)
    assert not IdempotencyReceipt.objects.filter(
        memory_call__round=entered, fingerprint__isnull=False
    ).exists()


def test_X2_a_deleted_store_takes_its_calls_and_plans_along(scene, admin_api):
    work, kept = at_work(scene), at_work(scene)
    accepted = work.input()
    entered = work.round(accepted)
    call(work.agent, entered, PUT, key="once").ok(201)
    call(kept.agent, kept.round(), PUT).ok(201)

    job = admin_api.delete(work.store.url(), key=None).ok(202)
    run_to_the_end(Job.objects.get(id=job["id"]))

    assert not MemoryVersion.objects.filter(store=work.store.id).exists()
    assert MemoryCall.objects.get().mount.store_id == kept.store.id
    assert InputMount.objects.get(input=accepted).version_id is None
    told = work.scene.api.get(f"/v1/rounds/{entered}").ok()["mounts"][0]
    assert (told["version"], told["store"]) == (None, work.store.id)
    assert recover(work.agent, entered).error == "memory.backend_unavailable"
    assert call(work.agent, entered, PUT, key="once").status == 404
    finish(work.agent, entered).ok()
    assert enter(work.agent, accepted).status == 404


def test_S4_events_of_native_work_hold_no_path_and_no_text(work):
    entered = work.round()
    call(work.agent, entered, put_operation("/secret-plans.md", "xylophone")).ok(201)

    kinds = (EventKind.RESOURCES_RESOLVED, EventKind.ACCESSED, EventKind.CHANGE_CHECKPOINTED)
    told = str(list(Event.objects.filter(kind__in=kinds).values_list("told", flat=True)))
    assert "secret-plans" not in told
    assert "xylophone" not in told


def test_what_a_session_worked_on_answers_strangers_as_a_random_id_does(workspace, work):
    accepted = work.input()
    entered = work.round(accepted)
    stranger = Api(make_key(workspace, principal=make_person(workspace))[1])

    for kind, known, path in (
        ("input", accepted, "/v1/inputs/{}"),
        ("input", accepted, "/v1/inputs/{}/rounds"),
        ("round", entered, "/v1/rounds/{}"),
        ("round", entered, "/v1/rounds/{}/memory-calls/call-1"),
        ("round", entered, "/v1/rounds/{}/mounts/1/documents"),
        ("round", entered, "/v1/rounds/{}/mounts/1/document?path=/a.md"),
    ):
        answers = [stranger.get(path.format(one)) for one in (known, random_id(kind))]
        assert [answer.status for answer in answers] == [404, 404]
        assert answers[0].content == answers[1].content
    for name in ("finish", "memory-calls/call-1"):
        body = {"mount": 1, "operations": [PUT]} if "call" in name else None
        answers = [
            stranger.post(f"/v1/rounds/{one}/{name}", body) for one in (entered, random_id("round"))
        ]
        assert (answers[0].status, answers[0].content) == (404, answers[1].content)


def test_a_workspace_admin_reads_no_round_without_a_grant(workspace, work):
    admin = Api(make_admin_key(workspace)[1])
    entered = work.round()

    assert read(admin, entered, "/a.md").error == "policy.denied"
    assert recover(admin, entered).error == "policy.denied"
    assert call(admin, entered, PUT).error == "policy.denied"
