"""Contract §0 "Keys", C6, P1: keys of Sessions act as their agent, keys of runners settle Runs."""

import pytest

from memory.actions.stores import Owner
from memory.models import OwnerKind
from tenancy.models import ApiKey, AuditEntry
from tests.agents import SESSIONS, make_scene, mount
from tests.client import Api, random_id
from tests.factories import (
    grant,
    make_environment,
    make_key,
    make_person,
    make_workspace,
)
from tests.stores import StoreClient, put_operation
from wire.times import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


def _key(scene, session):
    body = {"name": "Worker"}
    return scene.api.post(f"{SESSIONS}/{session['id']}/keys", body).ok(201)


def _agent(scene, *mounts):
    """A Session and an API client that acts as its agent."""
    session = scene.session(*mounts)
    return session, Api(_key(scene, session)["secret"])


# --- a Session's key ----------------------------------------------------------------------------


def test_a_sessions_key_is_shown_once_and_acts_as_its_agent(scene):
    session = scene.session()
    made = _key(scene, session)
    address = f"{SESSIONS}/{session['id']}/keys"

    assert made["class"] == "session"
    assert (made["session"], made["agent"]) == (session["id"], scene.agent.id)
    assert made["principal"] == scene.person.id
    listed = scene.api.get(address).ok()["data"]
    assert listed == [{name: made[name] for name in made if name != "secret"}]
    assert made["secret"] not in str(list(AuditEntry.objects.values()))
    assert Api(made["secret"]).get(f"{SESSIONS}/{session['id']}").ok()["id"] == session["id"]


def test_what_the_agent_may_read_is_what_both_may(workspace, scene):
    both, only_agent, only_person = scene.shared(), scene.store(), scene.store(agent=())
    agents_own = scene.store(owner=Owner(OwnerKind.WORKSPACE, workspace.id))
    session, api = _agent(scene)

    assert StoreClient(api, both.id).get().status == 200
    assert StoreClient(api, only_agent.id).get().status == 200
    assert StoreClient(api, only_person.id).get().status == 404
    assert StoreClient(api, agents_own.id).get().status == 404
    assert {row["id"] for row in api.pages("/v1/memory-stores")} == {both.id, only_agent.id}
    grant(scene.person, workspace, "read")
    assert StoreClient(api, agents_own.id).get().status == 200
    assert len(api.pages("/v1/memory-stores")) == 3
    assert [row["id"] for row in api.pages(SESSIONS)] == [session["id"]]


def test_a_sessions_grants_reach_only_its_agent(workspace, scene, admin_api):
    session, api = _agent(scene)
    _, other = _agent(scene)
    body = {"name": "Scratch", "owner": {"kind": "session", "id": session["id"]}}
    store = admin_api.post("/v1/memory-stores", body).ok(201)["id"]

    assert StoreClient(scene.api, store).get().status == 404
    assert StoreClient(api, store).get().status == 404
    grant(scene.person, store, "read")
    assert StoreClient(api, store).get().ok()["owner"] == body["owner"]
    assert StoreClient(other, store).get().status == 404


def test_only_the_principal_and_admins_make_keys(workspace, scene, admin_api):
    session = scene.session()
    address = f"{SESSIONS}/{session['id']}/keys"
    writer = make_person(workspace)
    grant(writer, session["id"], "read", "write")
    key = _key(scene, session)

    for api in (Api(make_key(workspace, principal=writer)[1]), Api(key["secret"])):
        assert api.post(address, {"name": "Mine"}).error == "policy.denied"
        assert api.get(address).error == "policy.denied"
        assert api.delete(f"{address}/{key['id']}").error == "policy.denied"
    assert admin_api.post(address, {"name": "Theirs"}).ok(201)["principal"] == scene.person.id
    assert make_scene(workspace).api.post(address, {"name": "Mine"}).status == 404


def test_a_revoked_key_stops_working(scene):
    session = scene.session()
    made, other = _key(scene, session), scene.session()
    address = f"{SESSIONS}/{session['id']}/keys/{made['id']}"

    assert scene.api.delete(f"{SESSIONS}/{other['id']}/keys/{made['id']}").status == 404
    assert scene.api.delete(address).status == 204
    assert scene.api.delete(address).status == 204
    assert Api(made["secret"]).get(SESSIONS).error == "auth.invalid_key"


def test_keys_end_with_their_session(scene):
    session, api = _agent(scene)
    _, other = _agent(scene)

    scene.api.post(f"{SESSIONS}/{session['id']}/archive").ok()

    assert api.get(SESSIONS).error == "auth.invalid_key"
    assert other.get(SESSIONS).status == 200
    refused = scene.api.post(f"{SESSIONS}/{session['id']}/keys", {"name": "Late"})
    assert (refused.status, refused.error) == (403, "memory.read_only")


def test_keys_end_with_their_agent(scene, admin_api):
    _, api = _agent(scene)

    admin_api.post(f"/v1/agents/{scene.agent.id}/archive").ok()

    assert api.get(SESSIONS).error == "auth.invalid_key"


def test_a_key_ends_by_itself(scene):
    session = scene.session()
    address = f"{SESSIONS}/{session['id']}/keys"
    made = scene.api.post(address, {"name": "Short", "expires_at": "2126-01-01T00:00:00.000Z"}).ok(
        201
    )
    past = scene.api.post(address, {"name": "Late", "expires_at": "2020-01-01T00:00:00.000Z"})

    ApiKey.objects.filter(id=made["id"]).update(expires_at=now())

    assert Api(made["secret"]).get(SESSIONS).error == "auth.invalid_key"
    assert past.error == "validation.malformed"


def test_a_sessions_key_names_no_other_principal(workspace, scene):
    session = scene.session()
    secret = _key(scene, session)["secret"]

    assert Api(secret, acting=scene.person.id).get(SESSIONS).status == 200
    other = make_person(workspace).id
    assert Api(secret, acting=other).get(SESSIONS).error == "policy.denied"


def test_such_a_key_is_made_for_a_session_and_nowhere_else(admin_api):
    refused = admin_api.post("/v1/api-keys", {"name": "Fake", "class": "session"})

    assert refused.error == "validation.malformed"


# --- C6 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("writes", ["personal", "direct", "review"])
def test_C6_C3_a_session_agent_never_writes_canonical(workspace, scene, writes):
    store = scene.store() if writes == "personal" else scene.shared("read", "write", "admin")
    if writes == "direct":
        store.patch(canonical_writes="direct").ok()
    _, api = _agent(scene, mount(store, "read_write"))
    agents = StoreClient(api, store.id)

    for refused in (agents.put("/a.md", "text"), agents.change(put_operation("/a.md", "text"))):
        assert (refused.status, refused.error) == (403, "memory.read_only")


def test_C6_a_session_agent_writes_no_other_sessions_ref(scene):
    store = scene.store()
    _, api = _agent(scene, mount(store, "read_write"))
    other = scene.session(mount(store, "read_write"))

    for ref in (
        {"kind": "session", "session": other["id"]},
        {"kind": "session", "session": random_id("session")},
        {"kind": "curation", "run": random_id("curation")},
    ):
        refused = StoreClient(api, store.id).change(put_operation("/a.md", "text"), ref=ref)
        assert (refused.status, refused.error) == (403, "policy.denied")


def test_C6_a_session_agent_makes_and_governs_nothing(workspace, scene):
    store = scene.store("admin")
    grant(scene.agent, store.id, "admin")
    for who in (scene.person, scene.agent):
        grant(
            who, workspace, "read", "write", "admin", *(["review"] if who is scene.person else [])
        )
    session, api = _agent(scene, mount(store, "read_write"))
    owner = {"kind": "principal", "id": scene.person.id}
    subject = {"kind": "principal", "id": scene.person.id}
    target = {"kind": "store", "id": store.id}

    for refused in (
        api.post("/v1/memory-stores", {"name": "Mine", "owner": owner}),
        StoreClient(api, store.id).patch(name="Mine"),
        StoreClient(api, store.id).patch(lifecycle="archived"),
        api.post(
            "/v1/permission-assignments",
            {"subject": subject, "target": target, "permissions": ["review"]},
        ),
        api.post(SESSIONS, {"agent": scene.agent.id, "environment": scene.environment.id}),
        api.post(f"{SESSIONS}/{session['id']}/archive"),
        api.post(store.url("verifications")),
    ):
        assert (refused.status, refused.error) == (403, "policy.denied")


# --- P1, P3 -------------------------------------------------------------------------------------


def _propose(api, store, **more):
    body = {"title": "A title", "operations": [put_operation("/a.md", "text")], **more}
    return api.post(store.url("proposals"), body)


def test_P1_a_session_agent_opens_an_inline_proposal_on_a_shared_store(scene):
    store = scene.shared()
    session, api = _agent(scene, mount(store))

    made = _propose(api, store).ok(201)

    author = {"kind": "session_agent", "session": session["id"], "agent": scene.agent.id}
    assert made["author"] == author
    assert store.get(f"versions/{made['head_version']}").ok()["actor"] == author


def test_P1_it_needs_write_of_both_and_a_shared_store(workspace, scene):
    owner = Owner(OwnerKind.WORKSPACE, workspace.id)
    for store in (
        scene.store("read", owner=owner),
        scene.store("read", "write", owner=owner, agent=("read",)),
        scene.store(),
    ):
        _, api = _agent(scene)
        assert _propose(api, store).error == "policy.denied"


def test_P1_only_operations_of_its_own(scene):
    store = scene.shared("read", "write", "admin")
    store.patch(canonical_writes="direct").ok()
    first = store.canonical
    store.put("/a.md", "text").ok()
    _, api = _agent(scene)
    body = {"title": "A title", "restore_version": first}

    assert api.post(store.url("proposals"), body).error == "policy.denied"
    body = {"title": "A title", "head_version": store.canonical, "base_version": first}
    assert api.post(store.url("proposals"), body).error == "policy.denied"


def test_P3_the_acting_principal_is_not_the_author_and_the_agent_never_approves(workspace, scene):
    store = scene.shared("read", "write", "review")
    _, api = _agent(scene)
    made = _propose(api, store).ok(201)
    address = store.url(f"proposals/{made['id']}/respond")

    assert api.post(address, {"response": "approve"}).error == "policy.denied"
    assert scene.api.post(address, {"response": "approve"}).ok()["status"] == "approved"


# --- a runner's key -----------------------------------------------------------------------------


def test_a_runners_key_names_its_environments(workspace, admin_api):
    environment = make_environment(workspace)
    body = {"name": "Runner", "class": "runner", "environments": [environment.id]}

    made = admin_api.post("/v1/api-keys", body).ok(201)

    assert (made["class"], made["environments"]) == ("runner", [environment.id])
    assert admin_api.get(f"/v1/api-keys/{made['id']}").ok()["environments"] == [environment.id]
    assert Api(made["secret"]).get("/v1/workspace").status == 200


def test_a_runners_key_is_nothing_else(workspace, admin_api):
    environment, person = make_environment(workspace), make_person(workspace)
    runner = {"name": "Runner", "class": "runner", "environments": [environment.id]}

    for wrong in (
        runner | {"environments": []},
        runner | {"principal": person.id},
        runner | {"may_act_for": [person.id]},
        runner | {"class": "standard"},
        runner | {"class": "admin"},
    ):
        assert admin_api.post("/v1/api-keys", wrong).error == "validation.malformed"
    foreign = make_environment(make_workspace())
    for unknown in (foreign.id, random_id("environment")):
        refused = admin_api.post("/v1/api-keys", runner | {"environments": [unknown]})
        assert (refused.status, refused.error) == (404, "memory.not_found")
