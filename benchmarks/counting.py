"""Counting the statements of a request, in this process, where they can be seen."""

from http import HTTPStatus
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.world import World
from tests.client import Api


def queries_of_get(world: World, address: str, **query: Any) -> int:
    """Statements that a GET makes, the look-up of its key included."""
    api = _api(world.secret)
    with CaptureQueriesContext(connection) as captured:
        api.get(address, query).ok()
    return len(captured)


def queries_of_post(world: World, address: str, body: Any, *, secret: str | None = None) -> int:
    """Statements that a POST makes, BEGIN and COMMIT included; with the owner's key or another."""
    api = _api(secret or world.secret)
    with CaptureQueriesContext(connection) as captured:
        answer = api.post(address, body)
    assert answer.status < HTTPStatus.BAD_REQUEST, answer.body
    return len(captured)


def _api(secret: str) -> Api:
    api = Api(secret)
    api.http.defaults["SERVER_NAME"] = "localhost"
    return api
