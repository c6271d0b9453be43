"""The OpenAPI document says what the API does: every operation, and every answer's shape."""

import copy
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from tests.client import Api
from tests.factories import grant, make_agent, make_key, make_person, make_service

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def document() -> Any:
    generator: Any = SchemaGenerator()
    return generator.get_schema(request=None, public=True)


def _operations(document: Any) -> dict[str, Any]:
    return {
        operation["operationId"]: operation
        for methods in document["paths"].values()
        for operation in methods.values()
    }


def test_it_is_valid_openapi_3_1(document):
    assert document["openapi"] == "3.1.0"
    validate_schema(copy.deepcopy(document))


def test_every_operation_is_named_once_under_its_group(document):
    count = sum(len(methods) for methods in document["paths"].values())

    assert len(_operations(document)) == count
    for name, operation in _operations(document).items():
        assert [name.partition(".")[0]] == operation["tags"]
        assert operation["summary"]


def test_every_operation_says_what_all_have_in_common(document):
    for operation in _operations(document).values():
        required = {p["name"]: p.get("required", False) for p in operation["parameters"]}
        assert required["Checkfu-Version"] is True
        assert required["Checkfu-Acting-Principal"] is False
        assert operation["security"] == [{"bearerAuth": []}]
        assert {"400", "401", "403", "500", "503"} <= set(operation["responses"])
        for status, response in operation["responses"].items():
            if status.startswith("2"):
                assert "Checkfu-Workspace-Id" in response["headers"]


def test_every_address_is_documented(document):
    documented = {path.split("{")[0].rstrip("/") for path in document["paths"]}
    roots: Any = get_resolver().url_patterns
    routes = {
        f"/v1/{pattern.pattern}".split("<")[0].rstrip("/")
        for resolver in roots
        if str(resolver.pattern) == "v1/"
        for pattern in resolver.url_patterns
    }

    assert routes == documented


def test_objects_are_closed(document):
    for name, schema in document["components"]["schemas"].items():
        if "properties" in schema:
            assert schema["additionalProperties"] is False, name


def test_answers_are_of_the_documented_shape(document, admin_api, workspace):
    person, agent = make_person(workspace), make_agent(workspace)
    key, _ = make_key(workspace, may_act_for=[make_service(workspace)])
    assignment = grant(person, workspace, "read")
    created = admin_api.post("/v1/api-keys", {"name": "Robot", "principal": person.id}).ok(201)

    _check(document, "apiKeys.createApiKey", "201", created)
    for operation, path in {
        "workspaces.getWorkspace": "workspace",
        "support.getCapabilities": "support/capabilities",
        "principals.listPrincipals": "principals",
        "principals.getPrincipal": f"principals/{person.id}",
        "agents.listAgents": "agents",
        "agents.getAgent": f"agents/{agent.id}",
        "apiKeys.listApiKeys": "api-keys",
        "apiKeys.getApiKey": f"api-keys/{key.id}",
        "permissionAssignments.listPermissionAssignments": "permission-assignments",
        "permissionAssignments.getPermissionAssignment": f"permission-assignments/{assignment.id}",
        "audit.listAuditEntries": "audit-entries",
    }.items():
        _check(document, operation, "200", admin_api.get(f"/v1/{path}").ok())


def test_errors_are_of_the_documented_shape(document, admin_api, standard_api):
    _check(document, "agents.listAgents", "400", admin_api.get("/v1/agents", {"limit": 0}).body)
    _check(document, "agents.listAgents", "401", Api().get("/v1/agents").body)
    _check(document, "agents.listAgents", "403", standard_api.get("/v1/agents").body)


def _check(document: Any, operation: str, status: str, body: Any) -> None:
    response = _operations(document)[operation]["responses"][status]
    schema = response["content"]["application/json"]["schema"]
    jsonschema.validate(body, {**schema, "components": document["components"]})
