"""Transactions: durable actions retried in bounds, steps that insist on one, and snapshots."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from django.db import OperationalError, connection, transaction

RETRIED_STATES = frozenset({"40001", "40P01"})  # serialization failure, deadlock
ATTEMPTS = 3


def durable[**P, R](action: Callable[P, R]) -> Callable[P, R]:
    """Run an action in the outermost transaction of its own, retried on deadlock.

    The whole action is run again, `ATTEMPTS` times at most, and only for the SQL states that
    PostgreSQL documents as safe to repeat. Calling one durable action from another is a
    programming error and raises RuntimeError.
    """

    @functools.wraps(action)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with transaction.atomic(durable=True):
                    return action(*args, **kwargs)
            except OperationalError as error:
                if attempt == ATTEMPTS or sql_state(error) not in RETRIED_STATES:
                    raise
        raise AssertionError("unreachable")

    return run


def durable_once[**P, R](action: Callable[P, R]) -> Callable[P, R]:
    """The same without any retry, for an action whose input can be read only once."""
    return transaction.atomic(durable=True)(action)


def step[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Mark a piece of a write that composes: it refuses to run outside a transaction."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if not connection.in_atomic_block:
            raise transaction.TransactionManagementError(
                f"{function.__qualname__} must run inside a transaction"
            )
        return function(*args, **kwargs)

    return run


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Let all statements of a block read the same snapshot of the database, and write nothing.

    In a transaction that is open already, its own isolation holds.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def sql_state(error: Exception) -> str | None:
    """The five-character SQLSTATE behind a Django database error, if there is one."""
    return cast("str | None", getattr(error.__cause__, "sqlstate", None))
