"""Canonical JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire.canonicaljson import canonical_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_spelling():
    value = {"b": [1, None, True], "a": "é\n\u2028", "\uff61": 0, "\U0001f600": 0}
    assert canonical_json(value).decode() == (
        '{"a":"é\\n\u2028","b":[1,null,true],"\uff61":0,"\U0001f600":0}'
    )


@given(VALUES)
def test_a_value_is_read_back(value):
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers()))
def test_the_order_of_keys_does_not_matter(value):
    assert canonical_json(value) == canonical_json(dict(reversed(value.items())))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_json_cannot_say(value):
    with pytest.raises(ValueError):
        canonical_json(value)
