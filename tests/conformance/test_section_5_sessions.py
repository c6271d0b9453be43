"""Contract S1, S2, S3: what a Session is made of, and what its mounts come to."""

import pytest

from memory.actions.stores import Owner
from memory.models import DocumentVersion, IdempotencyReceipt, MemoryStore, OwnerKind
from sessions.models import Event, Mount, Session
from tenancy.models import AuditEntry, PermissionAssignment
from tests.agents import SESSIONS, exactly, make_scene, mount
from tests.client import Api, random_id
from tests.erasure import erase_bodies
from tests.factories import (
    grant,
    make_agent,
    make_key,
    make_person,
    make_space,
    make_store,
    make_workspace,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


def _revoke(subject, target):
    PermissionAssignment.objects.filter(subject_uuid=subject.id, target_uuid=target).delete()


# --- S1: what a Session is ----------------------------------------------------------------------


def test_S1_a_session_tells_who_takes_part_and_what_is_mounted(scene):
    store, space = scene.store(), make_space(scene.workspace)
    words = {"instructions": "Ideas.", "mount_path": "/memory/ideas"}

    made = scene.session(mount(store, **words), place={"kind": "public", "space": space.id})

    assert made["id"].startswith("sess_")
    assert (made["agent"], made["environment"]) == (scene.agent.id, scene.environment.id)
    assert made["acting_principal"] == scene.person.id
    assert made["place"] == {"kind": "public", "space": space.id}
    assert (made["state"], made["event_count"]) == ("active", 1)
    assert made["mounts"] == [
        {
            "mount": 1,
            "store": store.id,
            "access": "read_only",
            "effective_access": "read_only",
            "reasons": [],
            "selection": None,
            **words,
        }
    ]
    assert scene.api.get(f"{SESSIONS}/{made['id']}").ok() == made
    assert scene.api.get(SESSIONS).ok()["data"] == [made]


def test_S1_the_acting_principal_is_the_one_that_the_key_names(workspace, scene):
    other = make_person(workspace)
    _, secret = make_key(workspace, may_act_for=[scene.person])
    body = {"agent": scene.agent.id, "environment": scene.environment.id}

    named = Api(secret, acting=scene.person.id).post(SESSIONS, body).ok(201)

    assert named["acting_principal"] == scene.person.id
    assert Api(secret, acting=other.id).post(SESSIONS, body).error == "policy.denied"
    nobody = Api(secret).post(SESSIONS, body)
    assert (nobody.status, nobody.error) == (400, "validation.malformed")
    assert "Checkfu-Acting-Principal" in nobody.message


@pytest.mark.parametrize(
    "place",
    [
        {"kind": "private"},
        {"kind": "public"},
        {"kind": "personal", "space": "space_" + "0" * 32},
        {"kind": "dm", "space": "space_" + "0" * 32},
        {"kind": "elsewhere"},
        {},
        None,
    ],
)
def test_S1_a_space_is_named_in_shared_places_and_only_there(scene, place):
    refused = scene.start(place=place)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert "place" in refused.message


@pytest.mark.parametrize(
    "wrong",
    [
        {"access": "none"},
        {"access": "write"},
        {"selection": {"kind": "version"}},
        {"selection": {"kind": "canonical", "version": "memver_" + "0" * 32}},
        {"selection": {"kind": "session", "session": "mprop_" + "0" * 32}},
        {"mount_path": "memory"},
        {"mount_path": "/a/../b"},
        {"instructions": ""},
        {"instructions": "x" * 4_097},
        {"colour": "red"},
    ],
    ids=str,
)
def test_S1_a_mount_of_another_form_is_refused(scene, wrong):
    refused = scene.start(mount(scene.store()) | wrong)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert "mounts[0]" in refused.message


def test_S1_instructions_have_4096_characters_at_most(scene):
    made = scene.session(mount(scene.store(), instructions="é" * 4_096))

    assert len(made["mounts"][0]["instructions"]) == 4_096


def test_S1_up_to_32_mounts(scene):
    grant(scene.person, scene.workspace, "read")
    grant(scene.agent, scene.workspace, "read")
    mounts = [mount(make_store(scene.workspace)) for _ in range(33)]

    assert len(scene.session(*mounts[:32])["mounts"]) == 32
    assert scene.start(*mounts).error == "validation.malformed"


@pytest.mark.parametrize(
    ("first", "second"),
    [("/a", "/a"), ("/a", "/a/b"), ("/a/b", "/a")],
)
def test_S1_mounts_stand_apart(scene, first, second):
    store, other = scene.store(), scene.store()

    assert scene.start(mount(store), mount(store, "read_write")).status == 400
    overlapping = scene.start(mount(store, mount_path=first), mount(other, mount_path=second))
    assert (overlapping.status, overlapping.error) == (400, "validation.malformed")
    scene.session(mount(store, mount_path="/a"), mount(other, mount_path="/ab"))


def test_S1_an_agent_without_read_gets_no_session(scene):
    store = scene.store(agent=("write",))

    refused = scene.start(mount(scene.store()), mount(store))

    assert (refused.status, refused.error) == (403, "policy.denied")
    assert store.id in refused.message
    assert not Session.objects.exists()
    assert not Event.objects.exists()


@pytest.mark.parametrize("missing", ["read", "act_as"])
def test_S1_a_principal_without_read_or_act_as_gets_the_session_and_nothing_to_use(scene, missing):
    store = scene.store("read", owner=Owner(OwnerKind.WORKSPACE, scene.workspace.id))
    _revoke(scene.person, store.id if missing == "read" else scene.agent.id)

    made = scene.session(mount(store))["mounts"][0]

    assert made["effective_access"] == "none"
    assert made["reasons"] == [f"principal_without_{missing}"]


def test_S1_what_is_not_there_is_404(workspace, scene):
    elsewhere = make_workspace()
    stranger = make_scene(elsewhere)
    foreign = stranger.store()

    for absent in (random_id("store"), foreign.id):
        refused = scene.start(mount(scene.store()), mount(absent))
        assert (refused.status, refused.error) == (404, "memory.not_found")
        assert "mounts[1].store" in refused.message
    for field, unknown in (
        ("agent", random_id("agent")),
        ("agent", stranger.agent.id),
        ("environment", random_id("environment")),
        ("environment", stranger.environment.id),
        ("place", {"kind": "public", "space": make_space(elsewhere).id}),
    ):
        assert scene.start(**{field: unknown}).status == 404
    assert not Session.objects.exists()


@pytest.mark.parametrize("what", ["agents", "environments"])
def test_S1_what_is_archived_starts_nothing(scene, admin_api, what):
    one = {"agents": scene.agent, "environments": scene.environment}[what]
    admin_api.post(f"/v1/{what}/{one.id}/archive").ok()

    refused = scene.start()

    assert (refused.status, refused.error) == (403, "memory.read_only")


def test_S1_a_session_is_made_once_a_key(scene):
    store = scene.store()

    first = scene.start(mount(store), key="once")
    again = scene.start(mount(store), key="once")

    assert first.ok(201) == again.ok(201)
    assert again.headers["Checkfu-Replayed"] == "true"
    assert scene.start(key="once").error == "memory.conflict"
    assert scene.start(key=None).error == "validation.malformed"
    assert (Session.objects.count(), Event.objects.count()) == (1, 1)


def test_S1_a_replay_needs_the_grant_now(scene):
    store = scene.store()
    scene.start(mount(store), key="once").ok(201)
    _revoke(scene.agent, store.id)

    assert scene.start(mount(store), key="once").error == "policy.denied"


def test_S1_a_refused_session_leaves_no_receipt(scene):
    store = scene.store(agent=())
    assert scene.start(mount(store), key="again").status == 403
    assert not IdempotencyReceipt.objects.exists()
    grant(scene.agent, store.id, "read")

    assert scene.start(mount(store), key="again").ok(201)


# --- S2: effective access -----------------------------------------------------------------------


def test_S2_a_personal_store_is_written_alone_and_read_in_company(scene):
    store = scene.store()

    def comes_to(place):
        made = scene.session(mount(store, "read_write"), place=place)["mounts"][0]
        return made["access"], made["effective_access"], made["reasons"]

    assert comes_to({"kind": "personal"}) == ("read_write", "read_write", [])
    assert comes_to({"kind": "dm"}) == ("read_write", "read_write", [])
    for kind in ("private", "public"):
        expected = ("read_write", "read_only", ["shared_place"])
        assert comes_to(scene.in_space(kind)) == expected


@pytest.mark.parametrize("owner", ["workspace", "agent_definition", "collaboration_space"])
def test_S2_C4_a_shared_store_is_never_mounted_for_writing(workspace, scene, owner):
    owner_id = {
        "workspace": lambda: workspace.id,
        "agent_definition": lambda: make_agent(workspace).id,
        "collaboration_space": lambda: make_space(workspace).id,
    }[owner]()
    store = scene.store("read", "write", "admin", owner=Owner(OwnerKind(owner), owner_id))

    made = scene.session(mount(store, "read_write"))["mounts"][0]

    assert (made["effective_access"], made["reasons"]) == ("read_only", ["shared_owner"])


@pytest.mark.parametrize("lacking", ["agent", "principal"])
def test_S2_writing_needs_write_of_both(scene, lacking):
    owner = Owner(OwnerKind.PRINCIPAL, make_person(scene.workspace).id)
    agent = ("read",) if lacking == "agent" else ("read", "write")
    person = ("read",) if lacking == "principal" else ("read", "write")
    store = scene.store(*person, owner=owner, agent=agent)

    made = scene.session(mount(store, "read_write"))["mounts"][0]

    assert (made["effective_access"], made["reasons"]) == (
        "read_only",
        [f"{lacking}_without_write"],
    )


def test_S2_spaces_grants_reach_the_agent_and_the_principal(workspace, scene):
    other = Owner(OwnerKind.PRINCIPAL, make_person(workspace).id)
    store = scene.store(owner=other, agent=())
    grant(make_space(workspace, scene.person, scene.agent), store.id, "read", "write")

    made = scene.session(mount(store, "read_write"))["mounts"][0]

    assert (made["effective_access"], made["reasons"]) == ("read_write", [])


def test_S2_an_archived_store_is_read_and_not_written(scene):
    store = scene.store()
    store.patch(lifecycle="archived").ok()

    assert scene.session(mount(store))["mounts"][0]["effective_access"] == "read_only"
    refused = scene.start(mount(store, "read_write"))
    assert (refused.status, refused.error) == (403, "memory.read_only")
    assert Session.objects.count() == 1


@pytest.mark.parametrize("lifecycle", ["pending", "deleting", "deleted"])
def test_S2_a_store_that_is_not_there_yet_or_any_more_is_404(scene, lifecycle):
    store = scene.store()
    MemoryStore.objects.filter(id=store.id).update(lifecycle=lifecycle)

    assert scene.start(mount(store)).status == 404
    _revoke(scene.agent, store.id)
    assert scene.start(mount(store)).status == 403


def test_S2_one_event_a_mount_tells_what_it_came_to(scene):
    personal, shared = scene.store(), scene.shared()
    words = {"instructions": "Private words.", "mount_path": "/secret-plans"}

    made = scene.session(mount(personal, "read_write", **words), mount(shared, "read_write"))

    told = list(Event.objects.filter(session=made["id"]).order_by("position"))
    assert [event.kind for event in told] == ["memory.mount_resolved"] * 2
    assert [event.told for event in told] == [
        {
            "mount": 1,
            "store": personal.id,
            "requested": "read_write",
            "effective": "read_write",
            "reasons": [],
        },
        {
            "mount": 2,
            "store": shared.id,
            "requested": "read_write",
            "effective": "read_only",
            "reasons": ["shared_owner"],
        },
    ]
    recorded = str(list(AuditEntry.objects.values())) + str(list(Event.objects.values()))
    assert "Private words." not in recorded
    assert "secret-plans" not in recorded


# --- S3: selections at admission ----------------------------------------------------------------


@pytest.mark.parametrize(
    "selection",
    [
        {"kind": "canonical"},
        {"kind": "session", "session": "sess_" + "0" * 32},
        {"kind": "proposal", "proposal": "mprop_" + "0" * 32},
        {"kind": "curation", "run": "mcur_" + "0" * 32},
    ],
    ids=lambda selection: selection["kind"],
)
def test_S3_a_named_ref_may_be_selected_before_there_is_one(scene, selection):
    made = scene.session(mount(scene.store(), selection=selection))

    assert made["mounts"][0]["selection"] == selection


def test_S3_an_exact_version_may_be_selected_as_exports_spell_it(scene):
    store = scene.store()
    version = store.canonical

    made = scene.session(mount(store, selection=exactly(version.replace("memver_", "mrev_"))))

    assert made["mounts"][0]["selection"] == exactly(version)


def test_S3_the_api_rewrites_nothing_an_explicit_selection_for_writing_is_422(scene):
    store = scene.store()

    for selection in (exactly(store.canonical), {"kind": "canonical"}):
        refused = scene.start(mount(store, "read_write", selection=selection))
        assert (refused.status, refused.error) == (422, "runtime.harness_incompatible")
    assert not Session.objects.exists()


def test_S3_with_the_native_writer_a_selection_may_be_written_on(workspace):
    scene = make_scene(workspace, memory_writer="native")
    store = scene.store()

    made = scene.session(mount(store, "read_write", selection=exactly(store.canonical)))

    assert made["mounts"][0]["effective_access"] == "read_write"


def test_S3_a_selection_on_a_mount_reduced_to_reading_is_fine(scene):
    store = scene.shared()

    made = scene.session(mount(store, "read_write", selection=exactly(store.canonical)))

    assert made["mounts"][0]["effective_access"] == "read_only"


def test_S3_a_version_that_is_not_retained_is_refused_and_nothing_stands_in(scene):
    store, other = scene.store(), scene.store()
    kept = store.canonical
    store.put("/a.md", "text").ok()
    lost = store.canonical
    erase_bodies(store.id, DocumentVersion.objects.values_list("id", flat=True))

    for version in (lost, other.canonical, random_id("version")):
        refused = scene.start(mount(store, selection=exactly(version)))
        assert (refused.status, refused.error) == (409, "memory.conflict")
        assert version in refused.message
    assert not Session.objects.exists()
    scene.session(mount(store, selection=exactly(kept)))


def test_S3_a_selection_grants_nothing(scene):
    store = scene.store("read", owner=Owner(OwnerKind.WORKSPACE, scene.workspace.id))
    version = store.canonical
    _revoke(scene.person, store.id)

    made = scene.session(mount(store, selection=exactly(version)))["mounts"][0]

    assert made["effective_access"] == "none"


# --- the preview --------------------------------------------------------------------------------


def _preview(scene, *mounts, **more):
    body = {"agent": scene.agent.id, "environment": scene.environment.id, "mounts": list(mounts)}
    return scene.api.post(f"{SESSIONS}/preview", body | more, key=None)


def test_a_preview_says_what_making_the_session_would_decide(scene):
    personal, shared, mute = scene.store(), scene.shared(), scene.store(agent=())
    selected = mount(personal, "read_write", selection=exactly(personal.canonical))

    told = _preview(scene, mount(shared, "read_write"), selected, mount(mute)).ok()["mounts"]

    assert told[0] == {
        "mount": 1,
        "store": shared.id,
        "access": "read_write",
        "effective_access": "read_only",
        "reasons": ["shared_owner"],
        "selection": None,
        "version": shared.canonical,
        "refusal": None,
    }
    assert (told[1]["version"], told[1]["refusal"]) == (None, "selection_not_writable")
    assert (told[2]["effective_access"], told[2]["reasons"]) == ("none", ["agent_without_read"])
    assert not Session.objects.exists()
    assert not Event.objects.exists()


def test_a_preview_refuses_who_cannot_take_part(scene):
    assert _preview(scene, mount(random_id("store"))).status == 404
    assert _preview(scene, agent=random_id("agent")).status == 404
    assert _preview(scene, colour="red").error == "validation.malformed"


# --- the fence ----------------------------------------------------------------------------------


def test_0_the_fence_closes_sessions_before_any_look_up(scene, settings):
    session = scene.session()["id"]
    settings.VERSIONED_SURFACE = False

    for answer in (
        scene.start(),
        _preview(scene),
        scene.api.get(SESSIONS),
        scene.api.get(f"{SESSIONS}/nonsense"),
        scene.api.get(f"{SESSIONS}/{session}/events"),
        scene.api.post(f"{SESSIONS}/{session}/keys", {"name": "Late"}),
        scene.api.post(f"{SESSIONS}/{session}/archive"),
    ):
        assert (answer.status, answer.error) == (503, "memory.backend_unavailable")


# --- who may know of a Session ------------------------------------------------------------------


def test_0_a_session_is_told_to_its_principal_its_readers_and_admins(workspace, scene, admin_api):
    made = scene.session(mount(scene.store(), instructions="Words.", mount_path="/ideas"))
    address = f"{SESSIONS}/{made['id']}"
    reader, stranger = make_person(workspace), make_person(workspace)
    grant(reader, made["id"], "read")

    assert Api(make_key(workspace, principal=reader)[1]).get(address).ok() == made
    told = admin_api.get(address).ok()
    assert (
        told["mounts"][0] | {"instructions": "Words.", "mount_path": "/ideas"}
        == (made["mounts"][0])
    )
    assert (told["mounts"][0]["instructions"], told["mounts"][0]["mount_path"]) == (None, None)
    unknown = Api(make_key(workspace, principal=stranger)[1])
    assert unknown.get(address).body == unknown.get(f"{SESSIONS}/{random_id('session')}").body
    assert unknown.get(address).status == 404
    assert make_scene(make_workspace()).api.get(address).status == 404


def test_0_a_list_shows_what_one_may_know_of(workspace, scene, admin_api):
    own = [scene.session()["id"] for _ in range(3)][::-1]
    other = make_scene(workspace)
    foreign = other.session()["id"]

    def shown(api, **query):
        return [row["id"] for row in api.pages(SESSIONS, {"limit": "2", **query})]

    assert shown(scene.api) == own
    assert shown(other.api) == [foreign]
    assert shown(admin_api) == [foreign, *own]
    assert shown(admin_api, agent=other.agent.id) == [foreign]
    assert shown(admin_api, acting_principal=scene.person.id) == own
    grant(other.person, workspace, "read")
    assert shown(other.api) == [foreign, *own]
    other.api.post(f"{SESSIONS}/{foreign}/archive").ok()
    assert shown(other.api, state="archived") == [foreign]


# --- archiving ----------------------------------------------------------------------------------


def test_S1_archiving_is_for_the_principal_writers_and_admins(workspace, scene, admin_api):
    made = [scene.session()["id"] for _ in range(3)]
    reader, writer = make_person(workspace), make_person(workspace)
    for session_id in made:
        grant(reader, session_id, "read")
    grant(writer, made[1], "read", "write")
    reading = Api(make_key(workspace, principal=reader)[1])

    assert reading.post(f"{SESSIONS}/{made[0]}/archive").error == "policy.denied"
    for api, session_id in zip(
        (scene.api, Api(make_key(workspace, principal=writer)[1]), admin_api), made, strict=True
    ):
        archived = api.post(f"{SESSIONS}/{session_id}/archive").ok()
        assert archived["state"] == "archived"
        assert api.post(f"{SESSIONS}/{session_id}/archive").ok() == archived
    kinds = Event.objects.filter(session=made[0]).values_list("kind", flat=True)
    assert list(kinds) == ["session.archived"]


# --- speed --------------------------------------------------------------------------------------


def test_making_a_session_asks_the_same_for_one_mount_as_for_many(
    scene, django_assert_max_num_queries
):
    grant(scene.person, scene.workspace, "read")
    grant(scene.agent, scene.workspace, "read")
    mounts = [
        mount(make_store(scene.workspace), selection={"kind": "canonical"}) for _ in range(32)
    ]
    scene.session(mounts[0])

    with django_assert_max_num_queries(24):
        scene.session(mounts[0])
    with django_assert_max_num_queries(24):
        scene.session(*mounts)
    assert Mount.objects.count() == 34
