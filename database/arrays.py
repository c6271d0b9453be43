"""Arrays as PostgreSQL spells them: psycopg spells them too, but slowly, element by element."""

from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID


def array_literal[T: (str, int, bytes, UUID)](values: Sequence[T]) -> str:
    """Spell values of one type, none of them None, as a literal of an array of that type."""
    spell = _SPELLINGS[type(values[0])] if values else str
    return "{" + ",".join(map(spell, values)) + "}"


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_SPELLINGS: Final[dict[type, Callable[[Any], str]]] = {
    str: _quote,
    int: str,
    bytes: lambda digest: f'"\\\\x{digest.hex()}"',
    UUID: lambda uuid: uuid.hex,
}
