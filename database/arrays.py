"""Arrays as PostgreSQL spells them: psycopg spells them too, but slowly, element by element."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import BooleanField, F, Func
from django.db.models.expressions import RawSQL

from wire.ids import uuid_from_id


class Among(Func):
    """Whether a value is in an array: `value = ANY(array)`, which an index can answer."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    arity = 2
    output_field: Any = BooleanField()


def among_ids(field: str, ids: Collection[str]) -> Among:
    """Whether a field holds one of some identifiers, however many: `field__in` ends at 65,535."""
    literal = array_literal([uuid_from_id(one) for one in ids])
    return Among(F(field), RawSQL("%s::uuid[]", [literal]))


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
