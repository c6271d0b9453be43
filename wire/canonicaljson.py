"""Canonical JSON: one spelling for one value, to be hashed or measured."""

import json
from typing import Any


def canonical_json(value: Any) -> bytes:
    """Spell plain JSON values with sorted keys, no spaces and no ASCII escaping, as UTF-8.

    Keys are sorted by code point.

    Raises:
        ValueError: a number is infinite or not a number, or a string holds a lone surrogate.
    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode()
