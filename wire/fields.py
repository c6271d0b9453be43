"""The types that fields of bodies and query parameters are made of."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic_core import CoreSchema, core_schema

from wire import ids

NAME_LENGTH = 200
_DIGITS = re.compile(r"0|[1-9][0-9]{0,18}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class IdOf:
    """Marks a text as an identifier of one of some kinds: `Annotated[str, IdOf("store")]`.

    The value is normalised to its live spelling (`mrev_…` becomes `memver_…`).
    """

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.parse, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        prefixes = "|".join(ids.accepted_prefixes(self.kinds))
        return handler(schema) | {"pattern": f"^(?:{prefixes})_[0-9a-f]{{32}}$"}

    def parse(self, text: str) -> str:
        """Check and normalise. Raises ValueError, which pydantic reports under the field."""
        return ids.parse_id(ids.kind_among(self.kinds, text), text)


def _whole_number(value: object) -> int:
    if isinstance(value, int):
        return value
    if not isinstance(value, str) or not _DIGITS.fullmatch(value):
        raise ValueError("expected a whole number in decimal digits")
    return int(value)


def one_line(text: str) -> str:
    """Check a name. Raises ValueError saying what is wrong with it."""
    if not 1 <= len(text) <= NAME_LENGTH:
        raise ValueError(f"a name has 1 to {NAME_LENGTH} characters")
    if _CONTROLS.search(text):
        raise ValueError("a name is one line without control characters")
    if text != text.strip():
        raise ValueError("a name neither begins nor ends with white space")
    return text


def _moment(value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        utc = moment.astimezone(UTC) if moment and moment.tzinfo else None
    except (ValueError, OverflowError):  # in UTC it may lie before the first year, or past the last
        utc = None
    if utc is None:
        raise ValueError("expected a time with its offset, like 2026-08-27T09:30:00.000Z")
    return utc


DIGITS = BeforeValidator(_whole_number)
"""Reads a whole number from a query string: plain decimal digits. Comes last in `Annotated`."""

Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH), AfterValidator(one_line)]
"""What people call a thing: one line of 1 to 200 characters."""

Moment = Annotated[
    datetime, BeforeValidator(_moment, json_schema_input_type=str), Field(strict=True)
]
"""A time in a body: ISO 8601 with an offset, read as UTC."""
