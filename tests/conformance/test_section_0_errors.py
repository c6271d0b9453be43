"""Contract §0 "Errors", "Order of checks": one envelope, and which refusal comes first."""

import json
import logging

import pytest
from django.db import OperationalError

from tenancy import authentication, queries
from tenancy.actions.workspaces import disable_workspace
from tests.client import Api, random_id
from tests.factories import (
    make_admin_key,
    make_agent,
    make_key,
    make_person,
    make_service,
    make_workspace,
)
from wire import errors
from wire.errors import CATALOGUE
from wire.handler import as_api_error, error_body

pytestmark = pytest.mark.django_db

TYPES = {
    "validation.malformed": 400,
    "validation.range_too_large": 422,
    "auth.invalid_key": 401,
    "auth.disabled_tenancy": 403,
    "auth.authorization_unavailable": 503,
    "policy.denied": 403,
    "memory.read_only": 403,
    "memory.not_found": 404,
    "memory.conflict": 409,
    "memory.backend_unavailable": 503,
    "runtime.harness_incompatible": 422,
    "budget.exceeded": 429,
    "runtime.internal": 500,
}


def test_the_catalogue_is_the_contracts():
    assert {error.type: int(error.status) for error in CATALOGUE} == TYPES


def test_an_error_is_its_envelope_and_nothing_else(admin_api, settings):
    settings.ERROR_REFERENCE_URL = "https://example.com/errors"

    answer = admin_api.get("/v1/agents", {"limit": "0"})

    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert set(answer.body) == {"error"}
    assert set(answer.body["error"]) == {"type", "message", "more"}
    assert answer.body["error"]["more"] == "https://example.com/errors#validation-malformed"


@pytest.mark.parametrize("error", CATALOGUE, ids=lambda error: error.type)
def test_more_points_into_the_reference(error, settings):
    made = error("So.", 7) if error is errors.BudgetExceeded else error("So.")

    more = error_body(made)["error"]["more"]

    anchor = more.removeprefix(f"{settings.ERROR_REFERENCE_URL}#")
    assert anchor == error.type.replace(".", "-").replace("_", "-")


def test_a_method_that_a_route_does_not_take_is_405(admin_api):
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"):
        answer = admin_api.request(method, "/v1/agents")
        assert (answer.status, answer.error) == (405, "validation.malformed")
        assert answer.headers["Allow"] == "GET, HEAD, POST"


def test_head_is_get_without_its_body(admin_api):
    answer = admin_api.request("HEAD", "/v1/agents")

    assert (answer.status, answer.content) == (200, b"")


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/nothing", "/v1/agents/", "/v1//agents"])
def test_an_address_that_is_no_route_is_404(admin_api, path):
    for method in ("GET", "POST", "OPTIONS"):
        answer = admin_api.request(method, path)
        assert (answer.status, answer.error) == (404, "memory.not_found")


def test_an_unknown_route_is_refused_like_any_other_first():
    assert Api().get("/v1/nothing").error == "auth.invalid_key"


@pytest.mark.parametrize("noun", ["principal", "agent", "api_key", "permission_assignment"])
def test_what_another_workspace_has_answers_like_a_random_id(admin_api, noun):
    foreign = _one_of_each(make_workspace())[noun]
    path = f"/v1/{noun.replace('_', '-')}s"

    answers = [admin_api.get(f"{path}/{known}") for known in (foreign, random_id(noun))]

    assert answers[0].status == 404
    assert answers[0].body == answers[1].body


def test_401_comes_before_the_dated_header_and_both_before_disabled(workspace):
    _, secret = make_key(workspace)
    disable_workspace(workspace_id=workspace.id)

    assert Api(version=None).get("/v1/agents").error == "auth.invalid_key"
    assert Api(secret, version=None).get("/v1/agents").error == "validation.malformed"
    acting = Api(secret, acting=random_id("principal"))
    assert acting.get("/v1/agents").error == "auth.disabled_tenancy"
    assert Api(secret).get(f"/v1/agents/{random_id('agent')}").error == "auth.disabled_tenancy"


def test_404_comes_before_400_and_400_before_403(standard_api, workspace):
    agent = make_agent(workspace)

    unknown = standard_api.patch(f"/v1/agents/{random_id('agent')}", {"nonsense": 1})
    malformed = standard_api.patch(f"/v1/agents/{agent.id}", {"nonsense": 1})
    denied = standard_api.patch(f"/v1/agents/{agent.id}", {"name": "B"})

    assert [unknown.status, malformed.status, denied.status] == [404, 400, 403]


def test_401_comes_before_405(admin_api):
    assert Api().request("DELETE", "/v1/agents").error == "auth.invalid_key"


def test_an_archived_agent_takes_no_changes(admin_api, workspace):
    agent = make_agent(workspace)
    admin_api.post(f"/v1/agents/{agent.id}/archive").ok()

    answer = admin_api.patch(f"/v1/agents/{agent.id}", {"name": "B"})

    assert (answer.status, answer.error) == (403, "memory.read_only")


def test_an_unexpected_failure_is_an_incident_that_tells_nothing(admin_api, monkeypatch, caplog):
    def fail(caller):
        raise RuntimeError("the secret text of a customer")

    monkeypatch.setattr(queries, "workspace_of", fail)

    answer = admin_api.get("/v1/workspace")

    assert (answer.status, answer.error) == (500, "runtime.internal")
    assert "secret text" not in answer.content.decode()
    reference = answer.message.split()[-1].rstrip(".")
    assert reference.startswith("inc_")
    assert reference in caplog.text


def test_an_outage_while_authenticating_is_503_and_may_be_retried(admin_api, monkeypatch):
    def fail(secret, named):
        raise OperationalError("connection lost")

    monkeypatch.setattr(authentication, "find_credential", fail)

    answer = admin_api.get("/v1/workspace")

    assert (answer.status, answer.error) == (503, "auth.authorization_unavailable")
    assert int(answer.headers["Retry-After"]) >= 1


def test_an_outage_later_is_503_and_may_be_retried(admin_api, monkeypatch):
    def fail(caller):
        raise OperationalError("connection lost")

    monkeypatch.setattr(queries, "workspace_of", fail)

    answer = admin_api.get("/v1/workspace")

    assert (answer.status, answer.error) == (503, "memory.backend_unavailable")
    assert int(answer.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("state", ["40001", "40P01", "55P03", "57014"])
def test_a_database_that_is_only_busy_says_so(state):
    class Cause(Exception):
        sqlstate = state

    busy = OperationalError()
    busy.__cause__ = Cause()

    error = as_api_error(busy)

    assert isinstance(error, errors.BackendUnavailable)
    assert "reached" not in error.message


def test_a_request_id_is_taken_or_made_and_stands_in_the_audit_row(admin_api):
    given = admin_api.post("/v1/agents", {"name": "A"}, X_Request_Id="from-the-balancer.1")
    made = admin_api.get("/v1/audit-entries", X_Request_Id="not acceptable\x7f")

    assert given.headers["X-Request-Id"] == "from-the-balancer.1"
    assert len(made.headers["X-Request-Id"]) == 32
    assert made.ok()["data"][0]["request_id"] == "from-the-balancer.1"


def test_errors_carry_a_request_id_too(admin_api):
    for answer in (admin_api.get("/v1/nothing"), Api().get("/v1/agents")):
        assert answer.headers["X-Request-Id"]


def test_logs_carry_no_customer_text(admin_api, caplog, monkeypatch):
    canary = "canary-7f3a"
    caplog.set_level(logging.DEBUG)

    admin_api.post("/v1/agents", {"name": canary, "description": canary}).ok(201)
    admin_api.post("/v1/agents", {"name": canary, canary: canary})
    admin_api.request("POST", "/v1/agents", raw=b'{"name": "' + canary.encode())
    admin_api.get(f"/v1/{canary}")
    admin_api.get("/v1/agents", {canary: canary})
    admin_api.post("/v1/api-keys", {"name": canary}).ok(201)

    told = [record for record in caplog.records if not record.name.startswith("django.db")]
    assert canary not in " ".join(record.getMessage() for record in told)


def test_the_log_line_of_an_exception_holds_places_and_no_message(caplog):
    handler = logging.getLogger().handlers
    formatter = next(one.formatter for one in handler if one.formatter is not None)
    try:
        int("canary-7f3a")
    except ValueError as error:
        record = logging.LogRecord(
            "wire",
            logging.ERROR,
            __file__,
            1,
            "failed",
            None,
            (type(error), error, error.__traceback__),
        )

    line = json.loads(formatter.format(record))

    assert "canary" not in str(line)
    assert "ValueError" in str(line)


def _one_of_each(workspace) -> dict[str, str]:
    api = Api(make_admin_key(workspace)[1])
    person = make_person(workspace)
    assignment = api.post(
        "/v1/permission-assignments",
        {
            "subject": {"kind": "principal", "id": person.id},
            "target": {"kind": "workspace", "id": workspace.id},
            "permissions": ["read"],
        },
    ).ok(201)
    return {
        "principal": make_service(workspace).id,
        "agent": make_agent(workspace).id,
        "api_key": make_key(workspace)[0].id,
        "permission_assignment": assignment["id"],
    }
