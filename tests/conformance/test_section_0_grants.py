"""Contract §0 "Grants": who may do what, who may say so, and what one permission is not."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from django.db.models import OuterRef

from memory.actions.stores import Owner
from memory.models import MemoryStore, OwnerKind
from tenancy.actions.permissions import assign
from tenancy.authority import Target, holds, permissions_held, permissions_on, require
from tenancy.caller import Subject
from tenancy.models import (
    AuditEntry,
    Permission,
    PermissionAssignment,
    SubjectKind,
    TargetKind,
    Workspace,
)
from tests.client import Answer, Api, random_id
from tests.factories import (
    caller_for,
    grant,
    make_agent,
    make_key,
    make_person,
    make_service,
    make_store,
    make_workspace,
    platform,
)
from wire.errors import PolicyDenied

pytestmark = pytest.mark.django_db

ASSIGNMENTS = "/v1/permission-assignments"
NEED_READ = {Permission.WRITE, Permission.REVIEW, Permission.ADMIN}


def _body(subject: str, target: str, *permissions: str) -> dict[str, Any]:
    kinds = {"prin": "principal", "agent": "agent", "akey": "api_key", "memstore": "store"}
    kinds["wrkspc"] = "workspace"
    return {
        "subject": {"kind": kinds[subject.split("_", maxsplit=1)[0]], "id": subject},
        "target": {"kind": kinds[target.split("_", maxsplit=1)[0]], "id": target},
        "permissions": list(permissions),
    }


def test_no_permission_implies_another():
    for wanted in Permission:
        others = [permission for permission in Permission if permission != wanted]
        assert not holds(others, wanted)


@pytest.mark.parametrize("wanted", Permission)
def test_write_review_and_admin_also_need_read(wanted):
    for size in range(len(Permission) + 1):
        for held in combinations(Permission, size):
            expected = wanted in held and (wanted not in NEED_READ or Permission.READ in held)
            assert holds(held, wanted) is expected


def test_the_missing_grant_is_named():
    with pytest.raises(PolicyDenied, match=r"`review` on memstore_1"):
        require(["read"], Permission.REVIEW, "memstore_1")
    with pytest.raises(PolicyDenied, match=r"`read` on memstore_1"):
        require(["review"], Permission.REVIEW, "memstore_1")


def test_grants_of_several_assignments_add_up(workspace):
    person, store = make_person(workspace), make_store(workspace)
    grant(person, store, "read")
    grant(person, store, "write", "review")
    grant(person, make_store(workspace), "admin")

    held = permissions_held(Target(TargetKind.STORE, store), caller_for(person))

    assert held == {"read", "write", "review"}


def test_a_grant_on_the_workspace_covers_its_stores(workspace):
    person, store = make_person(workspace), make_store(workspace)
    grant(person, workspace, "read")
    grant(person, store, "write")
    caller = caller_for(person)

    held = permissions_held(Target(TargetKind.STORE, store), caller)
    granted = MemoryStore.objects.annotate(
        granted=permissions_on(TargetKind.STORE, OuterRef("id"), caller)
    ).values_list("granted", flat=True)

    assert held == {"read", "write"}
    assert [set(permissions) for permissions in granted] == [held]


def test_a_grant_on_a_store_reaches_nothing_else(workspace):
    person, agent = make_person(workspace), make_agent(workspace)
    grant(person, make_store(workspace), "read")
    caller = caller_for(person)

    for target in (
        Target(TargetKind.STORE, make_store(workspace)),
        Target(TargetKind.WORKSPACE, workspace.id),
        Target(TargetKind.AGENT, agent.id),
    ):
        assert permissions_held(target, caller) == frozenset()


def test_a_key_uses_its_principals_grants_and_else_its_own(workspace):
    person, store = make_person(workspace), make_store(workspace)
    bound, _ = make_key(workspace, principal=person)
    free, _ = make_key(workspace)
    grant(person, store, "read")
    grant(bound, store, "write")
    grant(free, store, "review")
    target = Target(TargetKind.STORE, store)

    assert permissions_held(target, caller_for(bound)) == {"read"}
    assert permissions_held(target, caller_for(free)) == {"review"}


def test_being_admin_grants_nothing(admin_api, workspace):
    key, _ = make_key(workspace)
    admin = make_person(workspace, is_admin=True)
    target = Target(TargetKind.STORE, make_store(workspace))

    assert permissions_held(target, caller_for(admin)) == frozenset()
    assert permissions_held(target, platform(workspace)) == frozenset()
    assert permissions_held(target, caller_for(key)) == frozenset()


def test_the_owner_of_a_new_store_is_granted_read_and_write(workspace):
    person = make_person(workspace)

    store = make_store(workspace, owner=Owner(OwnerKind.PRINCIPAL, person.id))

    held = permissions_held(Target(TargetKind.STORE, store), caller_for(person))
    assert held == {"read", "write"}
    assert not PermissionAssignment.objects.exclude(subject_uuid=person.id).exists()


def test_a_workspace_owned_store_is_granted_to_nobody(workspace):
    make_store(workspace)

    assert not PermissionAssignment.objects.exists()


def test_an_admin_grants_and_revokes(admin_api, workspace):
    person, store = make_person(workspace), make_store(workspace)

    made = admin_api.post(ASSIGNMENTS, _body(person.id, store, "write", "read", "read")).ok(201)

    assert made["permissions"] == ["read", "write"]
    assert made["subject"] == {"kind": "principal", "id": person.id}
    assert made["target"] == {"kind": "store", "id": store}
    assert admin_api.get(f"{ASSIGNMENTS}/{made['id']}").ok() == made
    assert admin_api.delete(f"{ASSIGNMENTS}/{made['id']}").status == 204
    assert admin_api.delete(f"{ASSIGNMENTS}/{made['id']}").error == "memory.not_found"
    assert not PermissionAssignment.objects.exists()


def test_the_very_same_grant_twice_is_a_conflict_that_names_the_first(admin_api, workspace):
    body = _body(make_person(workspace).id, workspace.id, "read")
    first = admin_api.post(ASSIGNMENTS, body).ok(201)

    answer = admin_api.post(ASSIGNMENTS, body)

    assert (answer.status, answer.error) == (409, "memory.conflict")
    assert first["id"] in answer.message


def test_subject_and_target_have_to_exist_in_this_workspace(admin_api, workspace):
    other = make_workspace()
    person, store = make_person(workspace), make_store(workspace)
    attempts = [
        (random_id("principal"), store, "subject"),
        (make_person(other).id, store, "subject"),
        (person.id, random_id("store"), "target"),
        (person.id, make_store(other), "target"),
        (person.id, other.id, "target"),
    ]

    for subject, target, named in attempts:
        answer = admin_api.post(ASSIGNMENTS, _body(subject, target, "read"))
        assert (answer.status, answer.error) == (404, "memory.not_found")
        assert named in answer.message


@pytest.mark.parametrize("kind", ["session", "collaboration_space"])
def test_subjects_of_kinds_that_nothing_owns_yet_are_unknown(admin_api, workspace, kind):
    body = _body(make_person(workspace).id, workspace.id, "read")
    body["subject"] = {"kind": kind, "id": random_id(kind)}

    assert admin_api.post(ASSIGNMENTS, body).error == "memory.not_found"


def test_an_agent_or_a_service_cannot_hold_review(admin_api, workspace):
    store = make_store(workspace)

    for subject in (make_agent(workspace), make_service(workspace)):
        refused = admin_api.post(ASSIGNMENTS, _body(subject.id, store, "read", "review"))
        assert refused.error == "validation.malformed"
        assert "review" in refused.message
        admin_api.post(ASSIGNMENTS, _body(subject.id, store, "read", "write")).ok(201)


def test_a_principal_that_was_only_named_changes_no_grants(workspace):
    named, store = make_person(workspace), make_store(workspace)
    assignment = grant(named, store, "read", "admin")
    _, secret = make_key(workspace, may_act_for=[named])
    api = Api(secret, acting=named.id)

    made = api.post(ASSIGNMENTS, _body(make_person(workspace).id, store, "read"))
    revoked = api.delete(f"{ASSIGNMENTS}/{assignment.id}")

    for answer in (made, revoked):
        assert (answer.status, answer.error) == (403, "policy.denied")
        assert "named" in answer.message
    assert api.get(ASSIGNMENTS, {"target": store}).status == 200


def test_admin_on_a_store_lists_makes_and_revokes_its_assignments(workspace):
    keeper, reader, store = make_person(workspace), make_person(workspace), make_store(workspace)
    grant(keeper, store, "read", "admin")
    api = Api(make_key(workspace, principal=keeper)[1])

    made = api.post(ASSIGNMENTS, _body(reader.id, store, "read")).ok(201)

    assert made["id"] in str(api.get(ASSIGNMENTS, {"target": store}).ok())
    assert api.get(f"{ASSIGNMENTS}/{made['id']}").ok() == made
    assert api.delete(f"{ASSIGNMENTS}/{made['id']}").status == 204


def test_admin_on_a_store_reaches_no_other_target(workspace):
    keeper, store, other = make_person(workspace), make_store(workspace), make_store(workspace)
    grant(keeper, store, "read", "admin")
    grant(keeper, other, "read", "write")
    api = Api(make_key(workspace, principal=keeper)[1])
    reader = make_person(workspace)

    assert api.get(ASSIGNMENTS).error == "policy.denied"
    assert api.get(ASSIGNMENTS, {"target": workspace.id}).error == "policy.denied"
    denied = api.post(ASSIGNMENTS, _body(reader.id, other, "read"))
    assert denied.error == "policy.denied"
    assert "`admin`" in denied.message
    assert other in denied.message
    assert api.post(ASSIGNMENTS, _body(reader.id, workspace.id, "read")).error == "policy.denied"


def test_a_store_that_the_caller_may_not_read_answers_like_a_random_id(standard_api, workspace):
    store, reader = make_store(workspace), make_person(workspace)
    grant(reader, store, "read")

    for target in (store, random_id("store")):
        assert standard_api.get(ASSIGNMENTS, {"target": target}).error == "memory.not_found"
        body = _body(reader.id, target, "read")
        assert standard_api.post(ASSIGNMENTS, body).error == "memory.not_found"


def test_an_assignment_on_such_a_store_answers_like_a_random_id(standard_api, workspace):
    assignment = grant(make_person(workspace), make_store(workspace), "read")

    for path in (f"{ASSIGNMENTS}/{{}}", f"{ASSIGNMENTS}/{{}}?unknown=1"):
        hidden = [
            call(path.format(assignment.id)) for call in (standard_api.get, standard_api.delete)
        ]
        none = random_id("permission_assignment")
        unheard = [call(path.format(none)) for call in (standard_api.get, standard_api.delete)]
        assert [(a.status, a.body) for a in hidden] == [(a.status, a.body) for a in unheard]
        assert {a.error for a in hidden} == {"memory.not_found"}


def test_a_target_is_its_kind_and_its_id(workspace):
    keeper, agent = make_person(workspace), make_agent(workspace)
    grant(make_person(workspace), agent, "act_as")
    grant(keeper, workspace, "read", "admin")
    api = Api(make_key(workspace, principal=keeper)[1])

    of_an_agent = agent.id.replace("agent_", "memstore_")
    assert api.get(ASSIGNMENTS, {"target": of_an_agent}).ok()["data"] == []


def test_admin_without_read_is_no_admin(workspace):
    keeper, store = make_person(workspace), make_store(workspace)
    grant(keeper, store, "admin")
    api = Api(make_key(workspace, principal=keeper)[1])

    assert api.get(ASSIGNMENTS, {"target": store}).error == "memory.not_found"


def test_each_change_of_authority_raises_the_epoch(admin_api, workspace):
    person = make_person(workspace)
    agent = make_agent(workspace)
    key, _ = make_key(workspace)

    def epoch() -> int:
        return Workspace.objects.get(id=workspace.id).authority_epoch

    before = epoch()
    made = admin_api.post(ASSIGNMENTS, _body(person.id, workspace.id, "read")).ok(201)
    steps: list[Callable[[], Answer]] = [
        lambda: admin_api.delete(f"{ASSIGNMENTS}/{made['id']}"),
        lambda: admin_api.delete(f"/v1/api-keys/{key.id}"),
        lambda: admin_api.post("/v1/api-keys", {"name": "Robot"}),
        lambda: admin_api.patch(f"/v1/principals/{person.id}", {"state": "disabled"}),
        lambda: admin_api.patch(f"/v1/principals/{person.id}", {"is_admin": True}),
        lambda: admin_api.post(f"/v1/agents/{agent.id}/archive"),
    ]
    assert epoch() == before + 1
    for number, change in enumerate(steps, start=2):
        assert change().status < 300
        assert epoch() == before + number
    admin_api.patch(f"/v1/principals/{person.id}", {"name": "Renamed"}).ok()
    assert epoch() == before + len(steps) + 1


def test_a_refused_grant_leaves_nothing(workspace):
    with pytest.raises(PolicyDenied):
        assign(
            caller=caller_for(make_person(workspace)),
            subject=Subject(SubjectKind.PRINCIPAL, make_person(workspace).id),
            target=Target(TargetKind.WORKSPACE, workspace.id),
            permissions=[Permission.READ],
        )

    assert not PermissionAssignment.objects.exists()
    assert not AuditEntry.objects.filter(target_kind="permission_assignment").exists()
