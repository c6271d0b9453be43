"""Contract §0 "Strict input": what a machine makes up from the document is answered as documented.

Each operation gets valid and broken input, on addresses that exist and on made-up ones. No answer
is a 500, none is of an undocumented status or shape, and broken input is never taken.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from tests.factories import (
    grant,
    make_admin_key,
    make_agent,
    make_key,
    make_person,
    make_service,
    make_store,
    make_workspace,
)
from wire.headers import ACTING_PRINCIPAL, VERSION

pytestmark = pytest.mark.django_db

EXAMPLES = 10
CHECKS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


def _document() -> Any:
    """The document without the headers that this test always sends rightly."""
    generator: Any = SchemaGenerator()
    document = generator.get_schema(request=None, public=True)
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["parameters"] = [
                parameter
                for parameter in operation["parameters"]
                if parameter["name"] not in {VERSION, ACTING_PRINCIPAL}
            ]
    return document


schema = schemathesis.openapi.from_dict(_document())
schema.app = application


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the test's own connection, and its transaction, over many requests."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def known() -> dict[str, str]:
    """An ID that exists for each collection, and a key that may do anything with it."""
    workspace = make_workspace()
    person, (key, secret) = make_person(workspace), make_admin_key(workspace)
    grant(key, workspace, "read", "write", "review", "admin")
    return {
        "secret": secret,
        "principals": make_service(workspace).id,
        "agents": make_agent(workspace).id,
        "api-keys": make_key(workspace)[0].id,
        "permission-assignments": grant(person, workspace, "read").id,
        "memory-stores": make_store(workspace),
    }


@pytest.mark.parametrize("exists", [True, False], ids=["known", "made up"])
@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_made_up_requests_are_answered_as_documented(case: Any, exists: bool, known: Any) -> None:

    collection = case.path.split("/")[2]
    if exists and collection in known and "id" in case.path_parameters:
        case.path_parameters["id"] = known[collection]
    case.call_and_validate(
        checks=CHECKS,
        headers={"Authorization": f"Bearer {known['secret']}", VERSION: "2026-08-27"},
    )
