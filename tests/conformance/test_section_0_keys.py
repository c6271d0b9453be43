"""Contract §0 "Keys", "Acting principal": who a request is, and what is refused first."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tenancy.actions.principals import PrincipalChanges, change_principal
from tenancy.actions.workspaces import disable_workspace, enable_workspace
from tenancy.models import ApiKey, AuditEntry, Principal
from tests.client import Api, random_id
from tests.factories import (
    make_admin_key,
    make_key,
    make_person,
    make_service,
    make_workspace,
    platform,
)
from wire.ids import parse_id
from wire.times import now

pytestmark = pytest.mark.django_db


def test_a_key_opens_its_own_workspace(workspace):
    answer = Api(make_key(workspace)[1]).get("/v1/workspace")

    assert answer.ok()["id"] == workspace.id
    assert answer.headers["Checkfu-Workspace-Id"] == workspace.id


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        "Bearer ck_nonsense",
        "Basic Y2s6Y2s=",
        "ck_x",
    ],
)
def test_no_or_an_unknown_key_is_401(db, authorization):
    api = Api()
    if authorization is not None:
        api.headers["Authorization"] = authorization

    answer = api.get("/v1/workspace")

    assert (answer.status, answer.error) == (401, "auth.invalid_key")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "Checkfu-Workspace-Id" not in answer.headers


def test_a_secret_that_is_not_ascii_is_401(db):
    api = Api("ck_Ã©")

    assert api.get("/v1/workspace").status == 401


def test_a_secret_is_shown_once_and_stored_as_a_digest(admin_api):
    created = admin_api.post("/v1/api-keys", {"name": "Robot"}).ok(201)
    secret = created["secret"]

    assert Api(secret).get("/v1/workspace").status == 200
    for answer in (
        admin_api.get("/v1/api-keys"),
        admin_api.get(f"/v1/api-keys/{created['id']}"),
        admin_api.get("/v1/audit-entries"),
    ):
        assert secret not in answer.content.decode()
    stored = ApiKey.objects.filter(id=created["id"]).values().get()
    assert secret not in str(stored)


def test_a_key_that_expires_stops_working(workspace):
    key, secret = make_key(workspace, expires_at=now() + timedelta(hours=1))
    assert Api(secret).get("/v1/workspace").status == 200

    ApiKey.objects.filter(id=key.id).update(expires_at=now() - timedelta(milliseconds=1))

    assert Api(secret).get("/v1/workspace").error == "auth.invalid_key"


def test_a_key_cannot_be_made_with_an_end_in_the_past(admin_api):
    answer = admin_api.post(
        "/v1/api-keys", {"name": "Robot", "expires_at": "2020-01-01T00:00:00.000Z"}
    )

    assert answer.error == "validation.malformed"
    assert "expires_at" in answer.message


def test_a_revoked_key_stops_working_and_revoking_again_changes_nothing(admin_api, workspace):
    key, secret = make_key(workspace)

    assert admin_api.delete(f"/v1/api-keys/{key.id}").status == 204
    assert admin_api.delete(f"/v1/api-keys/{key.id}").status == 204

    assert Api(secret).get("/v1/workspace").error == "auth.invalid_key"
    assert admin_api.get(f"/v1/api-keys/{key.id}").ok()["revoked_at"] is not None
    assert AuditEntry.objects.filter(event="api_key.revoked").count() == 1


def test_a_disabled_workspace_is_403_until_it_is_enabled(workspace):
    api = Api(make_key(workspace)[1])

    disable_workspace(workspace_id=workspace.id)
    answer = api.get("/v1/workspace")
    enable_workspace(workspace_id=workspace.id)

    assert (answer.status, answer.error) == (403, "auth.disabled_tenancy")
    assert answer.headers["Checkfu-Workspace-Id"] == workspace.id
    assert api.get("/v1/workspace").status == 200


def test_a_disabled_principal_disables_its_keys(workspace):
    person = make_person(workspace)
    api = Api(make_key(workspace, principal=person)[1])

    _disable(person)

    assert api.get("/v1/workspace").error == "auth.disabled_tenancy"


def test_a_key_may_name_only_principals_it_was_given(workspace):
    named, other = make_person(workspace), make_person(workspace)
    _, secret = make_key(workspace, may_act_for=[named])

    assert Api(secret).get("/v1/workspace").status == 200
    assert Api(secret, acting=named.id).get("/v1/workspace").status == 200
    for forbidden in (other.id, random_id("principal")):
        answer = Api(secret, acting=forbidden).get("/v1/workspace")
        assert (answer.status, answer.error) == (403, "policy.denied")
        assert forbidden in answer.message


def test_a_bound_key_may_name_its_own_principal_and_no_other(workspace):
    bound, other = make_person(workspace), make_person(workspace)
    _, secret = make_key(workspace, principal=bound)

    assert Api(secret, acting=bound.id).get("/v1/workspace").status == 200
    assert Api(secret, acting=other.id).get("/v1/workspace").error == "policy.denied"


def test_a_named_principal_that_is_disabled_is_403(workspace):
    named = make_person(workspace)
    _, secret = make_key(workspace, may_act_for=[named])
    _disable(named)

    answer = Api(secret, acting=named.id).get("/v1/workspace")

    assert answer.error == "auth.disabled_tenancy"


def test_a_malformed_acting_principal_is_400(workspace):
    answer = Api(make_key(workspace)[1], acting="somebody").get("/v1/workspace")

    assert (answer.status, answer.error) == (400, "validation.malformed")
    assert "Checkfu-Acting-Principal" in answer.message


def test_a_key_is_bound_or_has_a_list_not_both(admin_api, workspace):
    person, other = make_person(workspace), make_person(workspace)

    answer = admin_api.post(
        "/v1/api-keys", {"name": "Robot", "principal": person.id, "may_act_for": [other.id]}
    )

    assert answer.error == "validation.malformed"


def test_principals_of_another_workspace_are_unknown_to_a_new_key(admin_api):
    foreign = make_person(make_workspace())

    for field, value in (("principal", foreign.id), ("may_act_for", [foreign.id])):
        answer = admin_api.post("/v1/api-keys", {"name": "Robot", field: value})
        assert answer.error == "memory.not_found"
        assert field in answer.message


def test_the_audit_row_keeps_the_key_and_the_principal_it_acted_for(workspace):
    named = make_person(workspace)
    key, secret = make_key(
        workspace, may_act_for=[named], key_class=ApiKey.Class.ADMIN, name="Gateway"
    )

    agent = Api(secret, acting=named.id).post("/v1/agents", {"name": "Helper"}).ok(201)

    entry = AuditEntry.objects.get(event="agent.created")
    assert (entry.actor_id, entry.target_id) == (key.id, agent["id"])
    assert entry.acting_principal_uuid is not None
    assert parse_id("principal", named.id).endswith(entry.acting_principal_uuid.hex)


@pytest.mark.parametrize("acting", [False, True])
def test_authentication_costs_one_query(workspace, acting):
    named = make_service(workspace)
    _, secret = make_key(workspace, may_act_for=[named])
    api = Api(secret, acting=named.id if acting else None)

    with CaptureQueriesContext(
        connection,
    ) as queries:
        api.get("/v1/support/capabilities").ok()

    assert len(queries) == 1


@pytest.mark.parametrize("version", ["2026-08-27", "2026-08-24"])
def test_both_dated_versions_are_spoken(workspace, version):
    assert Api(make_key(workspace)[1], version=version).get("/v1/workspace").status == 200


@pytest.mark.parametrize("version", [None, "", "2026-08-25", "2026-08-27, 2026-08-24"])
def test_the_dated_header_is_required(workspace, version):
    answer = Api(make_key(workspace)[1], version=version).get("/v1/workspace")

    assert (answer.status, answer.error) == (400, "validation.malformed")
    assert "Checkfu-Version" in answer.message


def test_only_admins_administer(standard_api, workspace):
    for path in ("principals", "agents", "api-keys", "permission-assignments", "audit-entries"):
        answer = standard_api.get(f"/v1/{path}")
        assert (answer.status, answer.error) == (403, "policy.denied")
        assert "admin key" in answer.message


def test_an_admin_key_administers_its_own_workspace_only(workspace):
    other = Api(make_admin_key(make_workspace())[1])
    key, _ = make_key(workspace)

    assert other.delete(f"/v1/api-keys/{key.id}").error == "memory.not_found"
    assert key.id not in str(other.get("/v1/api-keys").ok())


def _disable(principal: Principal) -> None:
    change_principal(
        caller=platform(principal.workspace),
        principal_id=principal.id,
        changes=PrincipalChanges(state=Principal.State.DISABLED),
    )
