"""Contract S1, S3, S6: what an input keeps, and what its rounds read of it."""

import pytest

from memory.models import IdempotencyReceipt, Ref
from sessions.models import InputMount, Round, SessionInput
from sessions.queries.rounds import entered_rounds
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
    working_ref,
)
from tests.client import Api, random_id
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
    send_input,
)
from tests.race import outcomes, race
from tests.retention import set_policy
from tests.stores import put_operation

pytestmark = pytest.mark.django_db

PUT = put_operation("/a.md", "text")


@pytest.fixture
def scene(workspace):
    return native_scene(workspace)


@pytest.fixture
def work(scene) -> AtWork:
    return at_work(scene)


# --- accepting ----------------------------------------------------------------------------------


def test_S6_an_input_keeps_its_selection_its_versions_and_what_it_may_write(scene):
    store, named, shared = scene.store(), scene.store(), scene.shared()
    canonical = {"kind": "canonical"}
    mounts = (
        mount(store, "read_write"),
        mount(named, selection=canonical),
        mount(shared, "read_write"),
    )
    session = scene.session(*mounts)["id"]

    accepted = send_input(scene, session).ok(201)
    kept = [named.canonical, shared.canonical]
    for moved in (store, named):
        moved.put("/a.md", "text").ok()

    assert accepted["session"] == session
    told = [(one["store"], one["selection"], one["writable"]) for one in accepted["mounts"]]
    assert told == [(store.id, None, True), (named.id, canonical, False), (shared.id, None, False)]
    assert [one["version"] for one in accepted["mounts"][1:]] == kept
    assert scene.api.get(f"/v1/inputs/{accepted['id']}").ok() == accepted
    assert scene.api.pages(f"{SESSIONS}/{session}/inputs") == [accepted]


def test_S3_an_input_makes_the_working_ref_and_tells_what_it_resolved(work):
    accepted = send_input(work.scene, work.session).ok(201)

    assert at(work.store, work.session) == work.store.canonical == accepted["mounts"][0]["version"]
    (resolved,) = work.events("session.resources_resolved")
    assert resolved["run"] is None
    assert resolved["data"]["input"] == accepted["id"]
    assert resolved["data"]["mounts"][0]["version"] == work.store.canonical


def test_S3_a_native_selection_freezes_the_base_of_the_working_ref(scene):
    store = scene.store()
    chosen = store.canonical
    store.put("/a.md", "text").ok()
    work = at_work(scene, store, selection=exactly(chosen))

    accepted = send_input(scene, work.session).ok(201)

    assert at(store, work.session) == chosen == accepted["mounts"][0]["version"]


def test_S3_a_working_ref_elsewhere_is_409_and_names_both(scene):
    store = scene.store()
    chosen = store.canonical
    store.put("/a.md", "text").ok()
    work = at_work(scene, store, selection=exactly(chosen))
    working_ref(store, work.session).ok(201)

    refused = send_input(scene, work.session)

    assert refused.error == "memory.conflict"
    assert chosen in refused.message
    assert store.canonical in refused.message
    assert not SessionInput.objects.exists()


def test_S6_a_later_input_may_select_the_advanced_ref(scene):
    store = scene.store()
    work = at_work(scene, store, selection=exactly(store.canonical))
    first = work.round()
    sealed = call(work.agent, first, PUT).ok(201)["version"]
    assert send_input(scene, work.session).error == "memory.conflict"

    own = {"kind": "session", "session": work.session}
    later = send_input(scene, work.session, m1=own).ok(201)

    assert (later["mounts"][0]["version"], later["mounts"][0]["selection"]) == (sealed, own)
    again = put_operation("/a.md", "more", over="text")
    call(work.agent, work.round(later["id"]), again).ok(201)


def test_S6_selecting_the_advanced_ref_needs_fresh_authority(work):
    call(work.agent, work.round(), PUT).ok(201)
    PermissionAssignment.objects.filter(subject_uuid=work.scene.agent.id).delete()

    own = {"kind": "session", "session": work.session}
    assert send_input(work.scene, work.session, m1=own).error == "policy.denied"


@pytest.mark.parametrize(
    "selections",
    [
        [{"mount": 2, "selection": {"kind": "canonical"}}],
        [{"mount": 1, "selection": {"kind": "canonical"}}] * 2,
        [{"mount": 0, "selection": {"kind": "canonical"}}],
        [{"mount": 1}],
        [{"mount": 1, "selection": {"kind": "newest"}}],
    ],
)
def test_selections_name_mounts_of_the_session_once(work, selections):
    body = {"selections": selections}
    answer = work.scene.api.post(f"{SESSIONS}/{work.session}/inputs", body)

    assert (answer.status, answer.error) == (400, "validation.malformed")
    assert not SessionInput.objects.exists()


def test_an_input_is_accepted_once_a_key(work):
    first = send_input(work.scene, work.session, key="once").ok(201)

    again = send_input(work.scene, work.session, key="once")

    assert again.ok(201) == first
    assert again.headers["Checkfu-Replayed"] == "true"
    assert SessionInput.objects.count() == 1
    other = send_input(work.scene, work.session, key="once", m1={"kind": "canonical"})
    assert other.error == "memory.conflict"
    assert send_input(work.scene, work.session, key=None).error == "validation.malformed"


@pytest.mark.django_db(transaction=True)
def test_S3_inputs_sent_at_once_share_one_working_ref(workspace):
    work = at_work(native_scene(workspace))

    answers = race(*[lambda: send_input(work.scene, work.session).status] * 3)

    assert outcomes(answers, int) == [201] * 3
    assert Ref.objects.filter(kind="session").count() == 1


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["read", "act_as"])
def test_S1_a_principal_without_what_it_needs_is_refused_and_told_once(scene, lost):
    store = scene.shared("read")
    session = scene.session(mount(store))["id"]
    target = store.id if lost == "read" else scene.agent.id
    held = PermissionAssignment.objects.filter(subject_uuid=scene.person.id, target_uuid=target)
    held.delete()

    refused = send_input(scene, session, key="again")

    assert (refused.status, refused.error) == (403, "policy.denied")
    assert not SessionInput.objects.exists()
    assert not InputMount.objects.exists()
    assert not IdempotencyReceipt.objects.filter(key="again").exists()
    (told,) = scene.api.pages(f"{SESSIONS}/{session}/events", {"type": "run.refused"})
    reason = "principal_without_read" if lost == "read" else "principal_without_act_as"
    assert told["data"] == {"mounts": [{"mount": 1, "store": store.id, "reasons": [reason]}]}
    grant(scene.person, target, lost)
    send_input(scene, session, key="again").ok(201)


@pytest.mark.parametrize("writer", ["capture", "none"])
def test_S6_only_where_what_runs_writes_natively(workspace, writer):
    scene = make_scene(workspace, memory_writer=writer)
    session = scene.session(mount(scene.store()))["id"]

    refused = send_input(scene, session)

    assert (refused.status, refused.error) == (422, "runtime.harness_incompatible")
    assert not SessionInput.objects.exists()


@pytest.mark.parametrize("access", ["read_only", "read_write"])
def test_S6_an_archived_store_refuses_an_input_even_to_read(scene, access):
    store = scene.store()
    session = scene.session(mount(store, access))["id"]
    store.patch(lifecycle="archived").ok()

    assert send_input(scene, session).error == "memory.read_only"


def test_S6_a_store_that_is_being_deleted_refuses_an_input(work, admin_api):
    admin_api.delete(work.store.url(), key=None).ok(202)

    assert send_input(work.scene, work.session).error == "policy.denied"
    (told,) = work.events("run.refused")
    assert told["data"]["mounts"][0]["reasons"] == ["store_gone"]


def test_S6_automations_send_no_inputs(workspace, scene):
    session = scene.session()["id"]
    service = make_service(workspace)
    grant(service, session, "read", "write")
    url = f"{SESSIONS}/{session}/inputs"

    bound = Api(make_key(workspace, principal=service)[1]).post(url, {})
    acting = Api(make_key(workspace, may_act_for=[service])[1], acting=service.id).post(url, {})

    assert bound.error == acting.error == "policy.denied"
    assert "automation" in bound.message


def test_S6_an_issuer_acts_for_a_principal(workspace, scene):
    session = scene.session()["id"]
    key, secret = make_key(workspace)
    grant(key, session, "read", "write")

    refused = Api(secret).post(f"{SESSIONS}/{session}/inputs", {})

    assert refused.error == "policy.denied"
    assert "acting principal" in refused.message


def test_who_may_send_inputs(workspace, scene):
    session = scene.session()["id"]
    url = f"{SESSIONS}/{session}/inputs"
    stranger, reader, writer = (make_person(workspace) for _ in range(3))
    grant(reader, session, "read")
    grant(writer, session, "read", "write")

    def as_person(person):
        return Api(make_key(workspace, principal=person)[1]).post(url, {})

    assert as_person(stranger).status == 404
    assert as_person(reader).error == "policy.denied"
    as_person(writer).ok(201)
    acting = make_key(workspace, may_act_for=[scene.person])[1]
    Api(acting, acting=scene.person.id).post(url, {}).ok(201)
    for api in (agent_of(scene, session), runner_of(scene), Api(make_admin_key(workspace)[1])):
        assert api.post(url, {}).error == "policy.denied"


def test_an_archived_session_takes_no_input_and_enters_no_round(work):
    accepted = work.input()
    work.scene.api.post(f"{SESSIONS}/{work.session}/archive").ok()

    assert send_input(work.scene, work.session).error == "memory.read_only"
    assert enter(work.scene.api, accepted).error == "memory.read_only"


# --- rounds -------------------------------------------------------------------------------------


def test_S6_rounds_come_one_after_the_other(work):
    accepted = work.input()
    first = enter(work.agent, accepted).ok(201)
    assert (first["position"], first["state"], first["finished_at"]) == (1, "entered", None)

    early = enter(work.agent, accepted)
    finished = finish(work.agent, first["id"]).ok()
    second = enter(work.agent, accepted).ok(201)

    assert early.error == "memory.conflict"
    assert first["id"] in early.message
    assert (finished["state"], finished["id"]) == ("finished", first["id"])
    assert finished["finished_at"]
    assert finish(work.agent, first["id"]).ok() == finished
    assert second["position"] == 2
    assert work.scene.api.pages(f"/v1/inputs/{accepted}/rounds") == [second, finished]
    assert [one.id for one in entered_rounds(work.session)] == [second["id"]]


def test_S6_the_next_round_advances_and_keeps_where_that_came_from(work):
    accepted = work.input()
    base = work.store.canonical
    first = work.round(accepted)
    sealed = call(work.agent, first, PUT, name="toolu_1").ok(201)["version"]
    finish(work.agent, first).ok()

    second = enter(work.agent, accepted, key="second").ok(201)
    third_party = put_operation("/b.md", "elsewhere")
    checkpoint(work.store, work.session, third_party).ok()
    work.store.put("/c.md", "canonical moves on").ok()

    (shown,) = second["mounts"]
    assert shown["version"] == sealed != base
    assert shown["written_by"] == {"round": first, "call": "toolu_1"}
    assert work.scene.api.get(f"/v1/rounds/{second['id']}").ok() == second
    assert enter(work.agent, accepted, key="second").ok(201) == second
    told = work.scene.api.get(f"/v1/rounds/{first}").ok()["mounts"][0]
    assert (told["version"], told["written_by"]) == (base, None)
    assert [row["path"] for row in listed(work.agent, second["id"]).ok()["data"]] == ["/a.md"]


def test_S6_stores_advance_each_for_itself(scene):
    one, other = scene.store(), scene.store()
    session = scene.session(mount(one, "read_write"), mount(other, "read_write"))["id"]
    agent = agent_of(scene, session)
    accepted = send_input(scene, session).ok(201)["id"]
    sealed: list[str] = []
    for position in (1, 2, 1):
        entered = enter(agent, accepted).ok(201)
        put = put_operation(f"/{len(sealed)}.md", "text")
        sealed.append(call(agent, entered["id"], put, at=position).ok(201)["version"])
        finish(agent, entered["id"]).ok()

    shown = enter(agent, accepted).ok(201)["mounts"]

    assert [one["version"] for one in shown] == [sealed[2], sealed[1]]


def test_S4_a_round_tells_once_a_store_what_it_was_shown(work):
    first = work.round()

    (told,) = work.events("memory.accessed")
    assert (told["turn"], told["run"]) == (first, None)
    assert told["data"]["version"] == work.store.canonical


def test_S4_under_zero_data_retention_a_round_tells_one_count(workspace, scene):
    session = scene.session(mount(scene.store()), mount(scene.store()))["id"]
    accepted = send_input(scene, session).ok(201)["id"]
    set_policy(workspace, zero_data_retention=True)

    enter(scene.api, accepted).ok(201)

    (told,) = scene.api.pages(f"{SESSIONS}/{session}/events", {"type": "memory.accessed"})
    assert told["data"] == {"method": "mount", "store_count": 2, "document_count": 0}


def test_a_round_is_entered_once_a_key(work):
    accepted = work.input()
    first = enter(work.agent, accepted, key="once").ok(201)

    again = enter(work.agent, accepted, key="once")

    assert again.ok(201) == first
    assert again.headers["Checkfu-Replayed"] == "true"
    assert enter(work.agent, work.input(), key="once").error == "memory.conflict"
    assert enter(work.agent, accepted, key=None).error == "validation.malformed"


@pytest.mark.django_db(transaction=True)
def test_S6_of_two_that_enter_at_once_one_does(workspace):
    work = at_work(native_scene(workspace))
    accepted = work.input()

    answers = race(*[lambda: enter(work.agent, accepted).status] * 2)

    assert sorted(outcomes(answers, int)) == [201, 409]
    assert Round.objects.count() == 1


@pytest.mark.parametrize("loser", ["agent", "person"])
def test_S6_a_round_needs_both_reads_now(work, loser):
    accepted = work.input()
    held = PermissionAssignment.objects.filter(subject_uuid=getattr(work.scene, loser).id)
    held.filter(target_uuid=work.store.id).delete()

    assert enter(runner_of(work.scene), accepted).error == "policy.denied"
    assert not Round.objects.exists()


def test_who_may_work_on_an_input(workspace, work):
    accepted = work.input()
    reader, writer = make_person(workspace), make_person(workspace)
    grant(reader, work.session, "read")
    grant(writer, work.session, "read", "write")
    other = at_work(work.scene)

    def as_person(person):
        return Api(make_key(workspace, principal=person)[1])

    for api in (as_person(make_person(workspace)), other.agent, runner_of(make_scene(workspace))):
        assert enter(api, accepted).status == 404
        assert api.get(f"/v1/inputs/{accepted}").status == 404
    for api in (as_person(reader), as_person(writer), Api(make_admin_key(workspace)[1])):
        assert enter(api, accepted).error == "policy.denied"
    for api in (work.agent, runner_of(work.scene), work.scene.api):
        entered = enter(api, accepted).ok(201)
        assert api.get(f"/v1/inputs/{accepted}").ok()["id"] == accepted
        assert read(as_person(writer), entered["id"], "/a.md").error == "policy.denied"
        assert read(as_person(reader), entered["id"], "/a.md").error == "policy.denied"
        finish(api, entered["id"]).ok()
    assert as_person(reader).get(f"/v1/rounds/{entered['id']}").ok()["state"] == "finished"
    assert finish(as_person(reader), entered["id"]).error == "policy.denied"
    admin = Api(make_admin_key(workspace)[1])
    assert admin.get(f"/v1/rounds/{entered['id']}").error == "policy.denied"
    assert work.agent.get(f"/v1/rounds/{random_id('round')}").status == 404
    assert work.agent.get(f"/v1/inputs/{random_id('input')}").status == 404
