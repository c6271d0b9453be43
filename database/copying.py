"""Storing rows in bulk: binary COPY, for imports that write more than any request may."""

from collections.abc import Sequence
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models

from database.transactions import step

type _Field = models.Field[Any, Any]


@step
def copy_rows(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model, whole as they are, about five times faster than INSERT does.

    Defaults of the fields are in the rows already; `auto_now` and signals are left out. A key
    that the database makes itself is either set in all rows or in none.
    """
    if not rows:
        return
    meta = rows[0]._meta  # noqa: SLF001 (its contents are Django's public interface)
    keyed = rows[0].pk is not None
    fields = [field for field in meta.concrete_fields if keyed or not field.primary_key]
    columns = ", ".join(_quoted(field.column) for field in fields)
    statement = f"COPY {_quoted(meta.db_table)} ({columns}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([_type_name(field) for field in fields])
        for row in rows:
            copy.write_row([_value(field, row) for field in fields])


def _quoted(name: str | None) -> str:
    assert name is not None
    return connection.ops.quote_name(name)


def _type_name(field: _Field) -> str:
    # Of an identity column, db_type() is the plain integer's.
    return str(field.db_type(connection))


def _value(field: _Field, row: models.Model) -> Any:
    value = getattr(row, field.attname)
    if isinstance(field, ArrayField):  # Django would convert element by element, in vain
        return value
    return field.get_db_prep_save(value, connection)
