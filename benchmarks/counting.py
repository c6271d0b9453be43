"""Counting the statements of a request, in this process, where they can be seen."""

from http import HTTPStatus
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.world import World
from tenancy.models import User
from tests.client import Api


def queries_of_get(world: World, address: str, **query: Any) -> int:
    """Statements that a GET makes, the look-up of its key included."""
    api = _api(world.secret)
    with CaptureQueriesContext(connection) as captured:
        api.get(address, query).ok()
    return len(captured)


def queries_of_page(world: World, address: str, **query: Any) -> int:
    """Statements that a page of the Console makes for the owner, the sign-in's included."""
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(User.objects.get(principals=world.owner))
    with CaptureQueriesContext(connection) as captured:
        answer = browser.get(address, query)
    assert answer.status_code == HTTPStatus.OK, answer.content
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
