from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from wire.fields import DIGITS, IdOf, Moment, Name
from wire.ids import new_id

Count = Annotated[int, Field(ge=0), DIGITS]


def accepts(shape: Any, value: object) -> Any:
    return TypeAdapter(shape).validate_python(value)


def refuses(shape: Any, value: object) -> bool:
    try:
        accepts(shape, value)
    except ValidationError:
        return True
    return False


@pytest.mark.parametrize("name", ["A", "Über uns", "日本語", "a b", "A" * 200])
def test_a_name_is_one_line(name):
    assert accepts(Name, name) == name


@pytest.mark.parametrize(
    "name", ["", " ", "a\nb", "a\tb", " a", "a ", "A" * 201, "a\u2028b", "\x7f"]
)
def test_what_is_no_name(name):
    assert refuses(Name, name)


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("7", 7), ("200", 200), (7, 7)])
def test_digits_are_a_count(text, number):
    assert accepts(Count, text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", "01", "1_0", " 1", "٣", "9" * 30, "1e3"])
def test_what_is_no_count(text):
    assert refuses(Count, text)


def test_bounds_of_a_number_stand_in_its_schema():
    schema = TypeAdapter(Annotated[int, Field(ge=1, le=200), DIGITS]).json_schema()

    assert schema == {"type": "integer", "minimum": 1, "maximum": 200}


@pytest.mark.parametrize(
    "text", ["2026-08-27T09:30:00Z", "2026-08-27T09:30:00.000Z", "2026-08-27T11:30:00+02:00"]
)
def test_a_moment_is_read_as_utc(text):
    assert accepts(Moment, text) == datetime(2026, 8, 27, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "value", ["2026-08-27", "2026-08-27T09:30:00", "now", "", 0, None, "2026-13-01T00:00:00Z"]
)
def test_what_is_no_moment(value):
    assert refuses(Moment, value)


def test_a_moment_is_text_on_the_wire():
    assert TypeAdapter(Moment).json_schema()["type"] == "string"


def test_an_id_is_of_one_of_its_kinds_and_normalised():
    version = new_id("version")
    either = Annotated[str, IdOf("agent", "version")]

    assert accepts(either, version) == version
    assert accepts(either, version.replace("memver", "mrev")) == version
    assert refuses(either, new_id("store"))
    assert refuses(either, 7)


def test_an_ids_form_stands_in_its_schema():
    schema = TypeAdapter(Annotated[str, IdOf("agent", "version")]).json_schema()

    assert schema["pattern"] == "^(?:agent|memver|mrev)_[0-9a-f]{32}$"
