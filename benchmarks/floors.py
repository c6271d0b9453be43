"""What nothing can be faster than: the same rows by psycopg alone, a bare compare-and-swap."""

from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

import psycopg
from django.db import connection
from uuid_utils.compat import uuid7

from benchmarks.world import Shelf
from memory.actions.change_sets import apply_change_set

type Statement = tuple[str, Sequence[Any]]

WRITES: Final = ("INSERT", "UPDATE")

_COUNTER = """
CREATE TABLE benchmark_counter (id int PRIMARY KEY, version bigint NOT NULL);
INSERT INTO benchmark_counter VALUES (1, 0)
"""
_LOOK = "SELECT version FROM benchmark_counter WHERE id = 1"
_SWAP = "UPDATE benchmark_counter SET version = version + 1 WHERE id = 1 AND version = %s"


def connect() -> psycopg.Connection[Any]:
    """A connection of psycopg's own to the same database, with prepared statements."""
    parameters = connection.get_connection_params()
    raw = psycopg.connect(**parameters | {"cursor_factory": psycopg.Cursor})
    raw.prepare_threshold = 0
    raw.autocommit = True
    return raw


class SameInserts:
    """The rows of one change set again and again: each time a new version, durably."""

    def __init__(self, shelf: Shelf) -> None:
        """Watch one change set on a shelf of its own, and keep what it writes."""
        self.statements: list[Statement] = []
        access, change_set = shelf.open(shelf.caller), shelf.next_change(shelf.canonical)
        with connection.execute_wrapper(self._keep):
            apply_change_set(access=access, change_set=change_set)
        self.version, _, self.base, *_ = self._inserted("memory_memoryversion")
        self.document, *_ = self._inserted("memory_documentversion")
        self.tip: UUID = self.version
        self.connection = connect()

    def __call__(self) -> None:
        """Write them once more, on top of the last ones, in one transaction."""
        version = uuid7()
        fresh = {self.base: self.tip, self.version: version, self.document: uuid7()}
        with self.connection.transaction(), self.connection.cursor() as cursor:
            for sql, parameters in self.statements:
                cursor.execute(sql, [_swap(value, fresh) for value in parameters])
        self.tip = version

    def _keep(self, execute: Callable[..., Any], sql: str, parameters: Any, *more: Any) -> Any:
        if sql.startswith(WRITES):
            self.statements.append((sql, parameters))
        return execute(sql, parameters, *more)

    def _inserted(self, table: str) -> Sequence[Any]:
        start = f'INSERT INTO "{table}"'
        return next(values for sql, values in self.statements if sql.startswith(start))


def _swap(value: Any, fresh: dict[UUID, UUID]) -> Any:
    return fresh.get(value, value) if isinstance(value, UUID) else value


class SwapLoop:
    """A counter that is moved by compare-and-swap and nothing else, durably."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_COUNTER)

    def writer(self, _number: int) -> Callable[[], bool]:
        """One writer's attempt; True when it won."""
        raw = connect()

        def attempt() -> bool:
            with raw.transaction():
                row = raw.execute(_LOOK).fetchone()
                assert row
                return raw.execute(_SWAP, row).rowcount == 1

        return attempt
