from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework.request import Request

from wire.errors import Malformed
from wire.idempotency import fingerprint, optional_key, require_key


def request(key: str | None, path: str = "/v1/x") -> Request:
    headers: dict[str, str] = {} if key is None else {"Idempotency-Key": key}
    return Request(RequestFactory().post(path, headers=headers))


@pytest.mark.parametrize("key", ["a", "A" * 255, " ", "~!", "with space"])
def test_a_key_is_printable_ascii(key):
    assert require_key(request(key), {}).key == key


@pytest.mark.parametrize("key", ["", "A" * 256, "é", "a\tb", "\x7f"])
def test_any_other_key_is_malformed(key):
    for read in (require_key, optional_key):
        with pytest.raises(Malformed, match="Idempotency-Key"):
            read(request(key), {})


def test_a_missing_key_matters_only_where_it_is_required():
    assert optional_key(request(None), {}) is None
    with pytest.raises(Malformed, match="required"):
        require_key(request(None), {})


def test_the_fingerprint_is_of_method_target_and_canonical_body():
    first: Any = {"a": 1, "b": ["é", None]}
    same = {"b": ["é", None], "a": 1}

    assert fingerprint("POST", "/v1/x", first) == fingerprint("POST", "/v1/x", same)
    others = [
        fingerprint("PUT", "/v1/x", first),
        fingerprint("POST", "/v1/y", first),
        fingerprint("POST", "/v1/x", {"a": 1, "b": [None, "é"]}),
        fingerprint("POST", "/v1/x", {"a": "1", "b": ["é", None]}),
        fingerprint("POST", "/v1/x", None),
    ]
    assert len({fingerprint("POST", "/v1/x", first), *others}) == 6


def test_the_query_is_part_of_the_target():
    one = require_key(request("k", "/v1/x?path=/a"), None)
    other = require_key(request("k", "/v1/x?path=/b"), None)

    assert one.fingerprint != other.fingerprint
