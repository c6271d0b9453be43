"""Contract §0 "Grants": a space has members, and its grants reach them. Environments beside."""

import pytest

from tenancy.authority import Target, permissions_held
from tenancy.models import AuditEntry, TargetKind
from tests.client import Api, random_id
from tests.factories import (
    caller_for,
    grant,
    make_agent,
    make_key,
    make_person,
    make_space,
    make_store,
    make_workspace,
)
from tests.stores import StoreClient

pytestmark = pytest.mark.django_db

SPACES = "/v1/spaces"
ENVIRONMENTS = "/v1/environments"


def _reader(workspace):
    person = make_person(workspace)
    return person, Api(make_key(workspace, principal=person)[1])


def test_a_spaces_grants_reach_its_members_and_nobody_else(workspace):
    (member, inside), (_, outside) = _reader(workspace), _reader(workspace)
    store = make_store(workspace)
    grant(make_space(workspace, member), store, "read")

    assert StoreClient(inside, store).get().ok()["id"] == store
    assert [row["id"] for row in inside.pages("/v1/memory-stores")] == [store]
    assert StoreClient(outside, store).get().status == 404
    assert outside.pages("/v1/memory-stores") == []


def test_grants_of_several_spaces_and_own_ones_add_up(workspace):
    person, store = make_person(workspace), make_store(workspace)
    grant(person, store, "read")
    grant(make_space(workspace, person), store, "write")
    grant(make_space(workspace, person), workspace, "review")
    grant(make_space(workspace), store, "admin")

    held = permissions_held(Target(TargetKind.STORE, store), caller_for(person))

    assert held == {"read", "write", "review"}


def test_a_space_owns_stores_and_its_members_are_granted_read_and_write(workspace, admin_api):
    member, api = _reader(workspace)
    space = make_space(workspace, member)
    body = {"name": "Ours", "owner": {"kind": "collaboration_space", "id": space.id}}

    made = admin_api.post("/v1/memory-stores", body).ok(201)

    assert made["canonical_writes"] == "review"
    assert StoreClient(api, made["id"]).get("documents").status == 200
    assert StoreClient(api, made["id"]).put("/a.md", "text").error == "memory.read_only"


def test_members_come_and_go_at_once(workspace, admin_api):
    person, api = _reader(workspace)
    agent, store = make_agent(workspace), make_store(workspace)
    space = admin_api.post(SPACES, {"name": "Team", "description": "Ours"}).ok(201)
    members = f"{SPACES}/{space['id']}/members"
    body = {
        "subject": {"kind": "collaboration_space", "id": space["id"]},
        "target": {"kind": "store", "id": store},
        "permissions": ["read"],
    }
    admin_api.post("/v1/permission-assignments", body).ok(201)

    assert StoreClient(api, store).get().status == 404
    added = admin_api.post(members, {"kind": "principal", "id": person.id}).ok(201)
    assert StoreClient(api, store).get().status == 200
    again = admin_api.post(members, {"kind": "principal", "id": person.id})
    assert again.error == "memory.conflict"
    admin_api.post(members, {"kind": "agent", "id": agent.id}).ok(201)
    listed = admin_api.pages(members, {"limit": "1"})
    assert [row["id"] for row in listed] == [agent.id, person.id]
    assert listed[1] == added
    assert admin_api.delete(f"{members}/{person.id}").status == 204
    assert StoreClient(api, store).get().status == 404
    assert admin_api.delete(f"{members}/{person.id}").status == 404
    events = AuditEntry.objects.filter(target_uuid=space["id"]).values_list("event", flat=True)
    assert sorted(events) == [
        "collaboration_space.created",
        "collaboration_space.member_added",
        "collaboration_space.member_added",
        "collaboration_space.member_removed",
    ]


def test_who_is_not_of_the_workspace_becomes_no_member(workspace, admin_api):
    members = f"{SPACES}/{make_space(workspace).id}/members"

    for kind, member in (
        ("principal", make_person(make_workspace()).id),
        ("principal", random_id("principal")),
        ("agent", make_agent(make_workspace()).id),
    ):
        assert admin_api.post(members, {"kind": kind, "id": member}).status == 404
    wrong = admin_api.post(members, {"kind": "agent", "id": make_person(workspace).id})
    assert wrong.error == "validation.malformed"
    assert admin_api.delete(f"{members}/nonsense").error == "validation.malformed"


def test_spaces_are_for_admins(workspace, admin_api, standard_api):
    space = admin_api.post(SPACES, {"name": "Team"}).ok(201)
    address = f"{SPACES}/{space['id']}"
    member = {"kind": "principal", "id": make_person(workspace).id}

    for refused in (
        standard_api.get(SPACES),
        standard_api.post(SPACES, {"name": "Team"}),
        standard_api.get(address),
        standard_api.patch(address, {"name": "Mine"}),
        standard_api.get(f"{address}/members"),
        standard_api.post(f"{address}/members", member),
        standard_api.delete(f"{address}/members/{member['id']}"),
    ):
        assert refused.error == "policy.denied"
    assert admin_api.patch(address, {"name": "Crew"}).ok() == space | {"name": "Crew"}
    assert admin_api.get(address).ok()["name"] == "Crew"
    assert [row["id"] for row in admin_api.pages(SPACES)] == [space["id"]]


def test_an_environment_says_what_it_can_do_for_ever(admin_api, standard_api):
    body = {"name": "Sandbox", "can_enumerate": True, "memory_writer": "capture"}

    made = admin_api.post(ENVIRONMENTS, body).ok(201)

    address = f"{ENVIRONMENTS}/{made['id']}"
    assert made["id"].startswith("env_")
    assert {name: made[name] for name in body} == body
    assert standard_api.get(address).ok() == made
    assert standard_api.get(ENVIRONMENTS).ok()["data"] == [made]
    assert admin_api.patch(address, {"can_enumerate": False}).error == "validation.malformed"
    assert admin_api.patch(address, {"name": "Box"}).ok() == made | {"name": "Box"}
    assert standard_api.patch(address, {"name": "Box"}).error == "policy.denied"
    assert standard_api.post(ENVIRONMENTS, body).error == "policy.denied"
    assert standard_api.post(f"{address}/archive").error == "policy.denied"
    assert admin_api.post(f"{address}/archive").ok()["state"] == "archived"
    assert admin_api.post(f"{address}/archive").ok()["state"] == "archived"
    assert admin_api.patch(address, {"name": "Box"}).error == "memory.read_only"


@pytest.mark.parametrize("wrong", [{"memory_writer": "all"}, {"can_enumerate": "yes"}, {}])
def test_an_environment_of_another_form_is_refused(admin_api, wrong):
    body = {"name": "Sandbox", "memory_writer": "none", **wrong}

    assert admin_api.post(ENVIRONMENTS, body).error == "validation.malformed"
