"""What nothing can be faster than: the same rows by psycopg alone, a bare compare-and-swap."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final
from uuid import UUID

import psycopg
from django.db import connection
from uuid_utils.compat import uuid7

type Statement = tuple[str, Sequence[Any]]

WRITES: Final = ("INSERT", "UPDATE")
LONGEST_NAME: Final = 200
"""Of texts that name something, such as the key of a receipt; longer ones are content."""
_UUID: Final = re.compile("(?<=_)[0-9a-f]{32}|^[0-9a-f]{32}")

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
    """What an action wrote, again and again: durably, and each time with identifiers of its own."""

    def __init__(
        self,
        action: Callable[[], object],
        *,
        since: UUID | None = None,
        without: Collection[str] = (),
    ) -> None:
        """Watch an action once, and keep what it writes.

        Args:
            since: what was made before the action, and has to be another thing each time, too,
                comes behind this one; the action itself when left out.
            without: tables whose rows cannot be written twice, whatever their identifiers.
        """
        self.statements: list[Statement] = []
        self.without = tuple(f'INSERT INTO "{table}"' for table in without)
        self.born = since or uuid7()
        with connection.execute_wrapper(self._keep):
            action()
        self.version, self.base = self._sealed()
        self.tip = self.version
        self.connection = connect()

    def __call__(self) -> None:
        """Write it once more, in one transaction; a version comes on top of the last one."""
        fresh = {self.base: self.tip} if self.base and self.tip else {}
        with self.connection.transaction(), self.connection.cursor() as cursor:
            for sql, parameters in self.statements:
                cursor.execute(sql, [self._anew(value, fresh) for value in parameters])
        self.tip = fresh.get(self.version) if self.version else None

    def _keep(self, execute: Callable[..., Any], sql: str, parameters: Any, *more: Any) -> Any:
        if sql.lstrip().startswith(WRITES) and not sql.startswith(self.without):
            self.statements.append((sql, parameters))
        return execute(sql, parameters, *more)

    def _sealed(self) -> tuple[UUID | None, UUID | None]:
        """The version that was sealed, if one was, and its parent."""
        start = 'INSERT INTO "memory_memoryversion"'
        rows = (values for sql, values in self.statements if sql.startswith(start))
        version, _, base, *_ = next(rows, (None, None, None))
        return version, base

    def _anew(self, value: Any, fresh: dict[UUID, UUID]) -> Any:
        """The same with other identifiers in place of those that the action made."""
        if isinstance(value, UUID):
            made = value.version == self.born.version and value > self.born
            return fresh.setdefault(value, uuid7()) if made else fresh.get(value, value)
        if isinstance(value, str) and len(value) <= LONGEST_NAME:
            return _UUID.sub(lambda found: self._anew(UUID(found[0]), fresh).hex, value)
        return value


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
