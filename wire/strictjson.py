"""Strict JSON: what lenient parsers let pass is refused, in a sentence (contract §0)."""

import json
import math
from collections import Counter
from typing import Any, NoReturn

from wire.errors import Malformed, name_some, shorten

MAX_INTEGER = 2**63 - 1

MAX_FIELDS = 1_000
"""Fields of one object. No body has so many; each that is unknown would cost a thousand bytes."""


def parse_json(raw: bytes) -> Any:
    """Parse one JSON text.

    Raises:
        Malformed: not UTF-8, not JSON, a repeated key, NaN or Infinity, a number beyond 64 bits,
            nested too deeply, an object of too many fields, or NUL or a lone surrogate in a string.
    """
    try:
        text = raw.decode("utf-8")
        value = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_int=_bounded_integer,
            parse_float=_finite_number,
        )
        if "\\u" in text:  # the only spelling in which either can come this far
            _refuse_unstorable(value, "body")
    except UnicodeDecodeError as error:
        raise Malformed("The body is not valid UTF-8.") from error
    except RecursionError as error:
        raise Malformed("The body is nested too deeply.") from error
    except json.JSONDecodeError as error:
        raise Malformed(
            f"The body is not valid JSON: {error.msg} at line {error.lineno} column {error.colno}."
        ) from error
    return value


def refuse_unstorable_text(text: str, place: str) -> None:
    """Raise Malformed for NUL and lone surrogates: PostgreSQL can store neither."""
    if "\x00" in text:
        raise Malformed(f"{place}: the text contains NUL.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Malformed(f"{place}: the text contains a lone surrogate.")


def _refuse_unstorable(value: Any, place: str) -> None:
    if isinstance(value, str):
        refuse_unstorable_text(value, place)
    elif isinstance(value, dict):
        for name, item in value.items():
            refuse_unstorable_text(name, place)
            _refuse_unstorable(item, name if place == "body" else f"{place}.{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_unstorable(item, f"{place}[{index}]")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_FIELDS:
        raise Malformed(f"The body holds an object of more than {MAX_FIELDS:,} fields.")
    value = dict(pairs)
    if len(value) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = sorted(name for name, count in counts.items() if count > 1)
        raise Malformed(
            f"The body repeats the field {name_some(shorten(name, 100) for name in repeated)}."
        )
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(f"The body is not valid JSON: {name} is not a JSON number.")


def _bounded_integer(digits: str) -> int:
    if len(digits) > 20 or abs(int(digits)) > MAX_INTEGER:
        raise Malformed("The body holds an integer beyond 64 bits.")
    return int(digits)


def _finite_number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise Malformed("The body holds a number beyond 64 bits.")
    return number
