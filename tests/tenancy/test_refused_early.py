"""Requests that Django refuses before any view sees them still get a typed answer."""

import pytest

from tests.client import Api
from tests.factories import make_key

pytestmark = pytest.mark.django_db


def test_a_foreign_host_is_400(workspace):
    api = Api(make_key(workspace)[1])

    answer = api.request("GET", "/v1/workspace", more={"Host": "evil.example"})

    assert (answer.status, answer.error) == (400, "validation.malformed")


def test_a_path_that_is_not_utf_8_is_404_or_400(admin_api):
    assert admin_api.request("GET", "/v1/%FF%FE").error == "memory.not_found"
