# ruff: noqa: FBT001, SLF001 - Django's _meta is documented; own_key is no switch
"""Storing new rows whole as they are, without all that `save()` and `bulk_create()` do around it.

Defaults of the fields are in the rows already; `auto_now` and signals are left out. A key that the
database makes itself is either set in all rows or in none.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import batched
from typing import Any, Final

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models

from database.arrays import array_literal
from database.transactions import step

ROWS_A_STATEMENT: Final = 1_000
"""PostgreSQL takes 65,535 parameters."""

type _Field = models.Field[Any, Any]


@step
def insert_rows(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model, as many as a request writes: in a third of `save()`'s time.

    Keys that the database made are in the rows afterwards.
    """
    for some in batched(rows, ROWS_A_STATEMENT):
        _insert(some)


@contextmanager
def in_one_trip() -> Iterator[None]:
    """Send the statements of a block without waiting for each one's answer.

    An answer that is asked for, and the end of the block, wait for all before it. That is where
    the error of a statement comes up. Over a network this saves a round trip a statement.
    """
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


def _insert(rows: Sequence[models.Model]) -> None:
    model, own_key = type(rows[0]), rows[0].pk is not None
    fields = _stored_fields(model, own_key)
    values = [_spelled(value) for row in rows for value in _values(fields, row)]
    with connection.cursor() as cursor:
        cursor.execute(_insert_statement(model, own_key, len(rows)), values)
        if not own_key:
            for row, (key,) in zip(rows, cursor.fetchall(), strict=True):
                row.pk = key


@step
def copy_rows(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model by binary COPY, for imports that write thousands.

    Keys that the database makes are not read back.
    """
    if not rows:
        return
    model, own_key = type(rows[0]), rows[0].pk is not None
    fields = _stored_fields(model, own_key)
    statement = f"COPY {_table_and_columns(model, own_key)} FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([_type_name(field) for field in fields])
        for row in rows:
            copy.write_row(_values(fields, row))


@cache
def _insert_statement(model: type[models.Model], own_key: bool, count: int) -> str:
    row = ", ".join("%s" for _ in _stored_fields(model, own_key))
    rows = ", ".join([f"({row})"] * count)
    statement = f"INSERT INTO {_table_and_columns(model, own_key)} VALUES {rows}"  # noqa: S608
    return statement if own_key else f"{statement} RETURNING {_quote(model._meta.pk)}"


def _table_and_columns(model: type[models.Model], own_key: bool) -> str:
    columns = ", ".join(map(_quote, _stored_fields(model, own_key)))
    return f"{connection.ops.quote_name(model._meta.db_table)} ({columns})"


def _quote(field: _Field) -> str:
    return str(connection.ops.quote_name(str(field.column)))


@cache
def _stored_fields(model: type[models.Model], own_key: bool) -> tuple[_Field, ...]:
    """The fields with a column, without the key when the database makes it."""
    fields: list[_Field] = [*model._meta.concrete_fields]
    return tuple(field for field in fields if own_key or not field.primary_key)


def _type_name(field: _Field) -> str:
    # Of an identity column, db_type() is the plain integer's.
    return str(field.db_type(connection))


def _values(fields: Sequence[_Field], row: models.Model) -> list[Any]:
    return [_value(field, row) for field in fields]


def _spelled(value: Any) -> Any:
    return array_literal(value) if isinstance(value, list) else value


def _value(field: _Field, row: models.Model) -> Any:
    value = getattr(row, field.attname)
    if isinstance(field, ArrayField):  # Django would convert element by element, in vain
        return value
    return field.get_db_prep_save(value, connection)
