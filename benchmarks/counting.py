"""Counting the statements of a request, in this process, where they can be seen."""

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.world import World
from tests.client import Api


def queries_of_get(world: World, address: str, **query: Any) -> int:
    """Statements that a GET makes, the look-up of its key included."""
    api = _api(world)
    with CaptureQueriesContext(connection) as captured:
        api.get(address, query).ok()
    return len(captured)


def queries_of_post(world: World, address: str, body: Any) -> int:
    """Statements that a POST makes, BEGIN and COMMIT included."""
    api = _api(world)
    with CaptureQueriesContext(connection) as captured:
        api.post(address, body).ok()
    return len(captured)


def _api(world: World) -> Api:
    api = Api(world.secret)
    api.http.defaults["SERVER_NAME"] = "localhost"
    return api
