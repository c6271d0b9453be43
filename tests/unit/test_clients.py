"""From where a request comes: the socket's word, or that of a proxy that is trusted."""

from typing import Any

import pytest
from django.test import RequestFactory

from wire.clients import client_network


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("", ""),
        ("unix:" + "x" * 100, "unix:" + "x" * 59),
    ],
)
def test_an_address_is_a_place(address: str, network: str) -> None:
    assert client_network(RequestFactory().get("/", REMOTE_ADDR=address)) == network


@pytest.mark.parametrize(
    ("trusted", "forwarded", "network"),
    [
        (False, "192.0.2.1", "192.0.2.9"),
        (True, None, "192.0.2.9"),
        (True, "192.0.2.1", "192.0.2.1"),
        (True, "10.0.0.1, 192.0.2.1", "192.0.2.1"),
    ],
)
def test_what_a_proxy_adds_is_believed_when_it_is_trusted(
    settings: Any, trusted: bool, forwarded: str | None, network: str
) -> None:
    settings.TRUST_PROXY_HEADERS = trusted
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.9", headers=headers)
    assert client_network(request) == network
