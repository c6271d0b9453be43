import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire.errors import Malformed
from wire.strictjson import MAX_INTEGER, parse_json

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


@given(values, st.booleans())
def test_what_is_storable_is_read_as_it_was_written(value, escaped):
    assert parse_json(json.dumps(value, ensure_ascii=escaped).encode()) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_a_sentence(raw):
    try:
        parse_json(raw)
    except Malformed as error:
        assert error.message.endswith(".")  # noqa: PT017


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        (b'{"a": {"b": "\\u0000"}}', "a.b"),
        (b'{"a": ["", "\\ud800"]}', "a[1]"),
        (b'{"a": {"\\u0000": 1}}', "a:"),
        (b'{"a": 1, "a": 2}', "a"),
        (b'{"a": 9223372036854775808}', "64 bits"),
        (b'{"a": -1e999}', "64 bits"),
        (b'{"a": NaN}', "NaN"),
        (b"[1,]", "line 1 column"),
        (b"[" * 100_000, "deep"),
    ],
)
def test_the_sentence_names_the_place_or_the_fault(raw, named):
    with pytest.raises(Malformed) as caught:
        parse_json(raw)

    assert named in caught.value.message


def test_a_surrogate_pair_is_one_character():
    assert parse_json(b'"\\ud83d\\ude00"') == "\U0001f600"


def test_many_repeated_keys_are_refused_quickly():
    raw = b"{" + b",".join(b'"k%d": 1' % (number % 500) for number in range(1_000)) + b"}"

    with pytest.raises(Malformed, match="and 480 more"):
        parse_json(raw)


def test_very_many_fields_are_refused_without_a_look_at_each():
    raw = b"{" + b",".join(b'"k%d": 1' % number for number in range(200_000)) + b"}"

    with pytest.raises(Malformed, match="an object of more than 1,000 fields"):
        parse_json(raw)
