"""Holds a request between acquiring its content and publishing it, by PostgreSQL's own locks.

Nothing of the server is replaced. One lock stops the request before it reads content, when the
store was opened already; another one, taken meanwhile, stops it again at the publication recheck,
which is the only time that it comes back to the store's row. What is done there, in the transaction
that holds the second lock, happened after the content was acquired.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any, cast

from django.db import connection, connections, transaction
from django.db.models import Model

from tests.client import Answer

PATIENCE = 20
"""Seconds to wait for the other side."""

STORES = "memory_memorystore"


def answer_after(
    request: Callable[[], Answer],
    *,
    reading: str,
    meanwhile: Callable[[], Any],
    publishing: str = STORES,
) -> Answer:
    """What `request` answers when `meanwhile` happens between its reading and its publishing.

    Args:
        reading: a table that it touches after it opened the store, and not before.
        meanwhile: runs inside a transaction: steps, or actions `without_transaction`.
        publishing: a table that it comes to when it has read its content, and not together with it.
    """
    with _locked_elsewhere(reading) as release, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(in_thread, request)
        await_waiter(reading)
        with transaction.atomic():
            lock(publishing)
            release()
            await_waiter(publishing)
            meanwhile()
        return answer.result(PATIENCE)


def without_transaction[**P, R](action: Callable[P, R]) -> Callable[P, R]:
    """The body of a durable action, for a transaction that is open already."""
    return cast("Callable[P, R]", cast("Any", action).__wrapped__)


def answer_when_stopped(
    request: Callable[[], Answer], *, reading: str, meanwhile: Callable[[], Any]
) -> Answer:
    """What `request` answers when `meanwhile` happens before it reads the table `reading`."""
    with _locked_elsewhere(reading) as release, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(in_thread, request)
        await_waiter(reading)
        meanwhile()
        release()
        return answer.result(PATIENCE)


def answer_when_row_is_held(
    request: Callable[[], Answer], *, row: Model, meanwhile: Callable[[], Any]
) -> Answer:
    """What `request` answers when `meanwhile` happens before it gets the lock of `row`."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor, ThreadPoolExecutor(1) as pool:
            table, key = row._meta.db_table, row._meta.pk.get_db_prep_value(row.pk, other)
            cursor.execute(f"SELECT FROM {table} WHERE id = %s FOR UPDATE", [key])
            answer = pool.submit(in_thread, request)
            await_row_waiter()
            meanwhile()
            other.rollback()
            return answer.result(PATIENCE)
    finally:
        other.close()


def end_waiters(table: str) -> None:
    """Break the connection of everybody who waits for a table, as an outage would."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks"
            " WHERE NOT granted AND relation = %s::regclass",
            [table],
        )


def lock(table: str, using: Any = connection) -> None:
    """Keep everybody else from a table until the transaction ends."""
    with using.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")


def await_waiter(table: str) -> None:
    """Wait until somebody waits for a table."""
    _await(lambda: _has_waiter(table), table)


def await_row_waiter() -> None:
    """Wait until somebody waits for a row."""
    _await(_somebody_waits_for_a_row, "a row")


def _await(happens: Callable[[], bool], what: str) -> None:
    deadline = monotonic() + PATIENCE
    while not happens():
        assert monotonic() < deadline, f"nobody came to {what}"
        sleep(0.005)


def _somebody_waits_for_a_row() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction sees one for ever
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
            " AND wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple'))"
        )
        return bool(cursor.fetchone()[0])


def _has_waiter(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = %s::regclass)",
            [table],
        )
        return bool(cursor.fetchone()[0])


@contextmanager
def _locked_elsewhere(table: str) -> Iterator[Callable[[], None]]:
    """A lock that another connection holds; yields how to let go of it."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        lock(table, using=other)
        yield other.rollback
        other.rollback()
    finally:
        other.close()


def in_thread[R](request: Callable[[], R]) -> R:
    """Run something in a thread of its own, and leave no connection behind."""
    try:
        return request()
    finally:
        connections.close_all()
