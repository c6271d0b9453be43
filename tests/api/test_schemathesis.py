"""Every operation of the document, with generated input: never a 500, always what it documents.

Identifiers in addresses and queries are often swapped for real ones, so that requests get past
the 404 and the answers of real content are held against the document too.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from sessions.events import following
from tests.agents import SESSIONS, make_scene, mount
from tests.client import VERSION, Api
from tests.factories import grant, make_admin_key
from tests.stores import put_operation, shared_store
from wire import headers

pytestmark = pytest.mark.django_db

EXAMPLES = 8
"""For each operation; the whole module then takes some twenty seconds."""

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

document: Any = SchemaGenerator().get_schema(request=None, public=True)
schema = schemathesis.openapi.from_dict(document)
schema.app = application
schema.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


@contextmanager
def _one_connection() -> Iterator[None]:
    """Keep the server from closing the connection whose transaction is the test's.

    Django's own test client does it for the time of each request, and undoes it afterwards.
    """
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def world(workspace, monkeypatch):
    """A key that may do everything, and the identifiers of what there is."""
    key, secret = make_admin_key(workspace)
    store = shared_store(workspace)
    grant(key, workspace, "read", "write", "review", "admin")
    base = store.change(put_operation("/a.md", "one\n"), put_operation("/b/c.md", "x")).ok()
    head = store.change(put_operation("/a.md", "two\n", over="one\n"), message="why").ok()
    owner = {"kind": "workspace", "id": workspace.id}
    begun = Api(secret).post("/v1/memory-store-imports", {"name": "Begun", "owner": owner}).ok(201)
    scene = make_scene(workspace)
    session = scene.session(mount(scene.store()))["id"]
    event = scene.api.get(f"{SESSIONS}/{session}/events").ok()["data"][0]["id"]
    monkeypatch.setattr(following._threads, "acquire", lambda blocking: False)  # nobody waits
    with _one_connection():
        yield {
            "secret": secret,
            "id": {
                "memory-stores": store.id,
                "memory-store-imports": begun["store"],
                "api-keys": key.id,
                "sessions": session,
            },
            "session": session,
            "event": event,
            "mount": 1,
            "version": head["version"],
            "base": base["version"],
            "head": head["version"],
            "path": "/a.md",
        }


def _aim(case: Any, world: dict[str, Any]) -> None:
    """Name things that exist, two times out of three."""
    chance = random.Random(repr((case.path_parameters, case.query)))
    if case.path_parameters and chance.random() < 2 / 3:
        noun = case.path.split("/")[2]
        real = world | {"id": world["id"].get(noun)}
        for name in case.path_parameters:
            case.path_parameters[name] = real.get(name) or case.path_parameters[name]
    if case.query and chance.random() < 2 / 3:
        for name in {"version", "base", "head", "path"} & set(case.query):
            case.query[name] = world[name]


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_sent_the_answer_is_documented(case, world):
    _aim(case, world)

    case.call_and_validate(
        checks=CHECKS,
        headers={"Authorization": f"Bearer {world['secret']}", headers.VERSION: VERSION},
    )
