"""The database's files: a deleted row leaves its bytes in them until they are rewritten (X4).

A plain VACUUM only calls their place free, and ANALYZE copies values into the catalogue. So all
tables are rewritten, the erased with the kept: whatever held erased text at any time has new files
afterwards, and the old ones are given back to the file system.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from django.apps import apps
from django.db import DatabaseError, connection

STATISTICS: Final = "pg_statistic"

ATTEMPTS: Final = 3
"""How often a table is rewritten when the server's own work had kept deleted rows in it."""

PATIENCE: Final = 60.0
"""Seconds that the server's own work in the database is waited for, each time."""

_OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
_HOLDERS = """
SELECT count(*) FROM (
    SELECT FROM pg_prepared_xacts WHERE database = current_database()
    UNION ALL SELECT FROM pg_replication_slots WHERE xmin IS NOT NULL
    UNION ALL SELECT FROM pg_stat_replication WHERE backend_xmin IS NOT NULL
) AS holder
"""
_AUTOVACUUM = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'autovacuum worker'
"""
_FILES = """
WITH tables AS (
    SELECT oid FROM pg_class WHERE oid = %(table)s::regclass
    UNION ALL
    SELECT reltoastrelid FROM pg_class WHERE oid = %(table)s::regclass AND reltoastrelid <> 0
)
SELECT pg_relation_filenode(oid) FROM tables
UNION ALL
SELECT pg_relation_filenode(indexrelid) FROM pg_index WHERE indrelid IN (SELECT oid FROM tables)
"""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A table that was rewritten, with its indexes and what is stored beside it.

    Attributes:
        kept: deleted rows that were copied along, because somebody might still see them.
        old_files: files that it has kept; none when the rewriting was done.
        bytes: what it takes now.
    """

    table: str
    kept: int
    old_files: int
    bytes: int

    @property
    def is_clean(self) -> bool:
        """Whether nothing that was deleted before is in its files."""
        return not self.kept and not self.old_files


@contextmanager
def one_session() -> Iterator[None]:
    """Give this process a single connection, and none in a pool that would count as another's."""
    options = connection.settings_dict["OPTIONS"]
    connection.close()
    cast("Any", connection).close_pool()
    pool = options.pop("pool", None)
    try:
        yield
    finally:
        connection.close()
        if pool:
            options["pool"] = pool


def other_sessions() -> int:
    """How many others are connected to the database, who may see or write rows."""
    return int(_one(_OTHERS))


def holders() -> int:
    """How many prepared transactions and standby servers keep deleted rows from going."""
    return int(_one(_HOLDERS))


def tables() -> list[str]:
    """Every table of the service, in a stable order."""
    models = apps.get_models(include_auto_created=True)
    return sorted({model._meta.db_table for model in models if model._meta.managed})  # noqa: SLF001


def database_time() -> datetime:
    """The current time by the database, which jobs are stamped with."""
    moment: datetime = _one("SELECT now()")
    return moment


def rewrite(table: str) -> Rewritten:
    """Rewrite a table and its indexes, and compute its statistics anew. Locks it meanwhile.

    The server's own ANALYZE also sees deleted rows while it runs: it is waited for, and what it
    kept when it began in between is rewritten again. Outside of transactions only.
    """
    for _ in range(ATTEMPTS):
        _await_autovacuum()
        done = _rewrite_once(table)
        if done.is_clean:
            break
    return done


def _await_autovacuum() -> None:
    deadline = time.monotonic() + PATIENCE
    while _one(_AUTOVACUUM) and time.monotonic() < deadline:
        time.sleep(0.1)


def _rewrite_once(table: str) -> Rewritten:
    before = _files(table)
    with _without_limits(), _told() as details:
        _run(f"VACUUM (FULL, VERBOSE) {connection.ops.quote_name(table)}")
        if table != STATISTICS:
            _run(f"ANALYZE {connection.ops.quote_name(table)}")
    size = int(_one("SELECT pg_total_relation_size(%s::regclass)", table))
    return Rewritten(table, _kept(details), len(before & _files(table)), size)


def give_back() -> bool:
    """Have the old files removed at once. Returns whether the database lets us."""
    try:
        _run("CHECKPOINT")
    except DatabaseError:
        return False
    return True


def _kept(details: list[str]) -> int:
    """What VACUUM says of rows that it could not remove: the first number of its detail."""
    found = re.search(r"\d+", details[0]) if details else None
    return int(found[0]) if found else 0


def _files(table: str) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(_FILES, {"table": table})
        return {row[0] for row in cursor.fetchall()}


@contextmanager
def _told() -> Iterator[list[str]]:
    """The details of what the server tells meanwhile."""
    details: list[str] = []

    def hear(diagnostic: Any) -> None:
        if diagnostic.message_detail:
            details.append(diagnostic.message_detail)

    connection.ensure_connection()
    connection.connection.add_notice_handler(hear)
    try:
        yield details
    finally:
        connection.connection.remove_notice_handler(hear)


@contextmanager
def _without_limits() -> Iterator[None]:
    """Lift the limit of a statement's time that requests have."""
    _run("SET statement_timeout = 0")
    try:
        yield
    finally:
        _run("RESET statement_timeout")


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _one(statement: str, *values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, list(values))
        return cursor.fetchone()[0]
