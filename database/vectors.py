"""Full-text vectors made in Python: lexemes with positions, sent as PostgreSQL stores them.

`to_tsvector` would cut and fold words by the locale that the database was made with. A vector
that is made here is the same on every server, and goes through binary COPY like any other value.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import psycopg
from django.contrib.postgres.search import SearchVectorField
from psycopg.adapt import Dumper
from psycopg.pq import Format

MOST_POSITION: Final = 16_383
MOST_POSITIONS: Final = 256
MOST_BYTES: Final = (1 << 20) - 1
"""PostgreSQL's limits of a tsvector: the highest position, positions of a lexeme, bytes in all."""

WEIGHTS: Final = {"D": 0, "C": 1 << 14, "B": 2 << 14, "A": 3 << 14}
"""What is added to a position to give it a weight. D is the default."""

_OID: Final = 3614
_LETTERS: Final = "DCBA"


@dataclass(frozen=True, slots=True)
class SearchVector:
    """A tsvector: each lexeme with its rising positions, weights added (`WEIGHTS`)."""

    lexemes: Mapping[str, Sequence[int]]


if TYPE_CHECKING:  # Django's fields take their type parameters only in the stubs
    _VectorBase = SearchVectorField[Any, Any]
else:
    _VectorBase = SearchVectorField


class VectorField(_VectorBase):
    """A column that takes a `SearchVector`.

    Models import this before anything connects, and only connections made later know how a
    `SearchVector` is sent.
    """


def stored_bytes(lexeme_bytes: int, positions: int) -> int:
    """What a lexeme takes of the 1 MiB that a tsvector may have."""
    aligned = lexeme_bytes + lexeme_bytes % 2
    return aligned + (2 + 2 * positions if positions else 0)


def quote_lexeme(lexeme: str) -> str:
    """A lexeme as the text forms of tsvector and tsquery spell it."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


class _TextDumper(Dumper):
    oid = _OID

    def dump(self, obj: SearchVector) -> bytes:
        return " ".join(
            quote_lexeme(lexeme) + (":" if positions else "") + ",".join(map(_spell, positions))
            for lexeme, positions in obj.lexemes.items()
        ).encode()


class _BinaryDumper(Dumper):
    format = Format.BINARY
    oid = _OID

    def dump(self, obj: SearchVector) -> bytes:
        pieces = [struct.pack("!I", len(obj.lexemes))]
        for lexeme, positions in obj.lexemes.items():
            count = len(positions)
            pieces += (lexeme.encode(), struct.pack(f"!xH{count}H", count, *positions))
        return b"".join(pieces)


def _spell(position: int) -> str:
    return f"{position & MOST_POSITION}{_LETTERS[position >> 14]}"


psycopg.adapters.register_dumper(SearchVector, _TextDumper)
psycopg.adapters.register_dumper(SearchVector, _BinaryDumper)
