"""Contract §0 "Fence": one switch closes all that needs versions, before anything is looked up."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLResolver, get_resolver

from tenancy.models import Workspace
from tests.browser.serving import PLAIN_FILES
from tests.client import Answer, Api, random_id
from tests.factories import make_admin_key, make_person

pytestmark = pytest.mark.django_db

STORE = "v1/memory-stores/<str:id>"
OPEN = {
    *((method, "v1/memory-stores") for method in ("GET", "POST")),
    *((method, STORE) for method in ("GET", "PATCH")),
    *((method, f"{STORE}/document") for method in ("GET", "PUT", "DELETE")),
    *((method, "v1/jobs") for method in ("GET",)),
    *((method, "v1/jobs/<str:id>") for method in ("GET",)),
}
"""What stays, beside tenancy and capabilities: jobs tell how far work has come that has begun."""

TENANCY = {
    *("workspace", "principals", "agents", "api-keys", "permission-assignments", "audit-entries"),
    *("environments", "spaces", "support"),
}
KINDS = {"proposal": "proposal", "assignment": "permission_assignment", "version": "version"}
"""What the variables of routes name, where it is not in their name or their route."""

CONSOLE_OPEN = {
    *("sign-in", "sign-out", "password", "workspace", "theme", "errors", "reference"),
    *("reference-schema", "stores", "store-new", "store-settings", "store-lifecycle"),
    *("store-access", "access", "access-revoke", "principals", "principals-new-person"),
    *("principals-new-service", "principals-one", "agents", "agents-new", "agents-one"),
    *("agents-archive", "keys", "keys-new", "keys-revoke", "audit", "jobs", "jobs-one"),
    *("environments", "environments-new", "environments-one", "environments-archive"),
    *("spaces", "spaces-new", "spaces-one", "spaces-remove"),
    *("access-explained", "capabilities", "notices-preferences", "notices-ask"),
    *("notices-confirm", "notices-unsubscribe"),
}
"""Pages of people, settings and work under way."""

CONTENT = re.compile(r'"(memory|proposals|jobs)_\w+"|\b(memory|proposals|jobs)_\w+')
"""Tables of the rooms above tenancy."""


class Route(NamedTuple):
    """One pattern, with what its variables stand for filled in."""

    pattern: str
    url: str
    view: Any
    name: str


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[Route]:
    for entry in resolver.url_patterns:
        pattern = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, pattern)
        elif not pattern.startswith(("healthz", "readyz", "^")):
            yield Route(pattern, "/" + _filled(pattern), entry.callback, entry.name or "")


def _filled(pattern: str) -> str:
    """The pattern as an address of things that are nowhere."""

    def fill(found: re.Match[str]) -> str:
        kind, name = found[1], found[2]
        if kind == "int":
            return "1"
        return random_id(kind if kind != "str" else KINDS.get(name, "store"))

    return re.sub(r"<(\w+):(\w+)>", fill, pattern)


def _api_routes() -> list[Route]:
    return [
        route
        for route in _routes(get_resolver())
        if route.pattern.startswith("v1/") and route.pattern.split("/")[1] not in TENANCY
        if hasattr(route.view, "view_class") and "(?" not in route.pattern
    ]


def _console_routes() -> list[Route]:
    return [route for route in _routes(get_resolver()) if not route.pattern.startswith(("v1", "^"))]


def _methods(route: Route) -> list[str]:
    offered = ("GET", "POST", "PUT", "PATCH", "DELETE")
    return [method for method in offered if hasattr(route.view.view_class, method.lower())]


def _send(api: Api, method: str, address: str, values: dict[str, str]) -> Answer:
    return (
        api.delete(address) if method == "DELETE" else getattr(api, method.lower())(address, values)
    )


def _touched(queries: CaptureQueriesContext) -> list[str]:
    """Statements that write, or that look into the rooms above tenancy."""
    spelled = [str(query["sql"]) for query in queries]
    return [
        sql
        for sql in spelled
        if CONTENT.search(sql) or re.match(r"\s*(INSERT|UPDATE|DELETE)", sql, re.IGNORECASE)
    ]


@pytest.fixture
def fenced(settings: LazySettings) -> None:
    settings.VERSIONED_SURFACE = False
    settings.RATE_LIMITS = []
    settings.STORAGES = PLAIN_FILES


def test_every_versioned_route_of_the_api_is_closed_before_any_look_up(
    workspace: Workspace, fenced: None
) -> None:
    api = Api(make_admin_key(workspace)[1])
    wrong: dict[tuple[str, str], Any] = {}
    closed = 0
    for route in _api_routes():
        for method in _methods(route):
            if (method, route.pattern) in OPEN:
                continue
            closed += 1
            with CaptureQueriesContext(
                connection,
            ) as queries:
                answer = _send(api, method, route.url, {"not": "what it takes"})
            found = (answer.status, answer.error, _touched(queries))
            if found != (503, "memory.backend_unavailable", []):
                wrong[method, route.pattern] = found

    assert wrong == {}
    assert closed >= 25


def test_what_stays_open_is_not_closed(workspace: Workspace, fenced: None) -> None:
    api = Api(make_admin_key(workspace)[1])
    patterns = {(method, route.pattern) for route in _api_routes() for method in _methods(route)}
    assert patterns >= OPEN
    for route in _api_routes():
        for method in set(_methods(route)) & {m for m, pattern in OPEN if pattern == route.pattern}:
            assert _send(api, method, route.url, {}).status in {200, 400, 404}, (method, route.url)


def test_exact_versions_of_documents_are_closed(workspace: Workspace, fenced: None) -> None:
    api = Api(make_admin_key(workspace)[1])
    address = f"/v1/memory-stores/{random_id('store')}/document"
    query = {"path": "/a.md", "version": random_id("version")}

    assert api.get(address, {"path": "/a.md"}).status == 404
    assert api.get(address, query).error == "memory.backend_unavailable"


def test_the_console_says_of_every_versioned_page_that_it_is_switched_off(
    workspace: Workspace, fenced: None
) -> None:
    person = make_person(workspace, "Kim", username="kim", is_admin=True)
    assert person.user
    client = Client(raise_request_exception=False)
    client.force_login(person.user)
    wrong: dict[str, Any] = {}
    names = set()
    for route in _console_routes():
        names.add(route.name)
        if route.name in CONSOLE_OPEN:
            continue
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(route.url)
            if answer.status_code == 405:
                answer = client.post(route.url, {"not": "what it takes"})
        said = b"This part is switched off" in answer.content
        found = (answer.status_code, said, _touched(queries))
        if found != (503, True, []):
            wrong[route.name] = found

    assert wrong == {}
    assert names > CONSOLE_OPEN


def test_pages_that_stay_open_are_no_dead_end(workspace: Workspace, fenced: None) -> None:
    person = make_person(workspace, "Kim", username="kim", is_admin=True)
    assert person.user
    client = Client()
    client.force_login(person.user)

    home = client.get("/").content.decode()

    for address in ("/stores", "/access", "/jobs"):
        assert f'href="{address}"' in home
        assert client.get(address).status_code == 200
