"""What docs/customer-text.md tells, and where in the database a secret is found (X5)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from django.db import connection

PAGE: Final = Path(__file__).resolve().parents[1] / "docs/customer-text.md"

Way = Literal["redaction", "deletion", "expiry", "session"]

_COLUMN: Final = re.compile(r"`(\w+\.\w+)`")
_COLUMNS: Final = """
SELECT c.table_name, c.column_name, c.udt_name
FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
ORDER BY 1, c.ordinal_position
"""
_NO_TEXT: Final = {
    *("bool", "int2", "int4", "int8", "float4", "float8", "numeric"),
    *("date", "time", "timestamp", "timestamptz", "interval", "uuid"),
}
"""Types that hold no text, whatever is put into them."""


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of customer text: the columns it is kept in, and the ways that erase it."""

    columns: frozenset[str]
    erased_by: frozenset[str]


def told() -> dict[str, Row]:
    """The page's table of customer text, by kind."""
    ways = ("redaction", "deletion", "expiry", "session")
    return {
        kind: Row(
            frozenset(_COLUMN.findall(kept_in)),
            frozenset(way for way, said in zip(ways, verdicts, strict=True) if _is_erased(said)),
        )
        for kind, kept_in, *verdicts in _cells(columns=6)
    }


def told_to_hold_none() -> set[str]:
    """The page's other table: columns without customer text."""
    return {column for _, columns in _cells(columns=2) for column in _COLUMN.findall(columns)}


def _cells(columns: int) -> Iterable[list[str]]:
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == columns and _COLUMN.search(cells[1]):
            yield cells


def _is_erased(verdict: str) -> bool:
    word = verdict.partition(":")[0]
    assert word in {"erased", "kept"}, f"{PAGE.name} says neither: {verdict}"
    return word == "erased"


def columns_for_text() -> set[str]:
    """The database's columns that could hold text, as its catalogue has them."""
    return {f"{table}.{name}" for table, name, kind in _catalogue() if kind not in _NO_TEXT}


def find(secrets: Mapping[str, str]) -> dict[str, set[str]]:
    """The columns, of all columns of all tables, in which each secret is found."""
    found: dict[str, set[str]] = {name: set() for name in secrets}
    by_table: dict[str, list[tuple[str, str]]] = {}
    for table, name, kind in _catalogue():
        by_table.setdefault(table, []).append((name, kind))
    for table, columns in by_table.items():
        for name, column in _find_in(table, columns, secrets):
            found[name].add(f"{table}.{column}")
    return found


def _find_in(
    table: str, columns: list[tuple[str, str]], secrets: Mapping[str, str]
) -> Iterable[tuple[str, str]]:
    places = [(name, column, kind) for column, kind in columns for name in secrets]
    tests = [_contains(column, kind) for _, column, kind in places]
    values = [text for name, *_ in places for text in _spellings(secrets[name])]
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT {", ".join(tests)} FROM "{table}"', values)
        answers = cursor.fetchone()
    return [(name, column) for (name, column, _), yes in zip(places, answers, strict=True) if yes]


def _contains(column: str, kind: str) -> str:
    text = f"encode(\"{column}\", 'escape')" if kind == "bytea" else f'"{column}"::text'
    return f"bool_or(strpos(lower({text}), %s) > 0 OR strpos(lower({text}), %s) > 0)"


def _spellings(secret: str) -> tuple[str, str]:
    """As it is, and as PostgreSQL spells bytes of an array."""
    return secret.lower(), secret.encode().hex()


@cache
def _catalogue() -> list[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        return cursor.fetchall()


def expected(kinds: Iterable[str], way: Way | None = None) -> set[str]:
    """The columns in which a secret of some kinds stands: at first, or after one way of erasing."""
    rows = told()
    return {
        column
        for kind in kinds
        if way is None or way not in rows[kind].erased_by
        for column in rows[kind].columns
    }


def keys_of_valkey(valkey: Any) -> dict[bytes, bytes]:
    """All that is in Valkey: each key, and its value as Valkey itself would dump it."""
    return {key: valkey.dump(key) or b"" for key in valkey.scan_iter()}
