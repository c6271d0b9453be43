"""Querysets compiled once: on a hot route Django takes longer to spell SQL than it takes to run.

Only the spelling is kept. Values are bound anew each time, and rows become instances by Django's
own code, so a compiled query answers exactly what its queryset would.
"""

import copy
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import randrange
from secrets import token_bytes
from typing import Any
from uuid import UUID, uuid4

from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.sql import UpdateQuery

from wire.ids import uuid_from_id


def compiled[M: Model](build: Callable[..., QuerySet[M, Any]]) -> Callable[..., list[Any]]:
    """Turn a function that builds a queryset into one that fetches its rows.

    The keyword-only parameters of `build` are the values that differ from call to call:
    identifiers (annotated `str`), digests (`bytes`) or times (`datetime`), each of them handed to
    a lookup as it is. Positional parameters, which must be hashable, choose between different
    statements, and so does which of the values are None. Each is compiled at its first use.
    """

    def compile_once(values: Mapping[str, Any], *shape: Any) -> Statement:
        queryset = build(*shape, **values)
        return _compile(queryset, queryset.query, values)

    statement = _remembered(build, compile_once)

    @functools.wraps(build)
    def fetch(*shape: Any, **values: Any) -> list[Any]:
        return statement(shape, values).fetch(values)

    return fetch


def compiled_update[M: Model](
    build: Callable[..., tuple[QuerySet[M, Any], dict[str, Any]]],
) -> Callable[..., int]:
    """The same for an UPDATE: `build` returns the rows to update and their new values.

    The function that it becomes returns the number of rows that were updated.
    """

    def compile_once(values: Mapping[str, Any], *shape: Any) -> Statement:
        queryset, changes = build(*shape, **values)
        query: Any = queryset.query.chain(UpdateQuery)
        query.add_update_values(changes)
        return _compile(queryset, query, values)

    statement = _remembered(build, compile_once)

    @functools.wraps(build)
    def update(*shape: Any, **values: Any) -> int:
        return statement(shape, values).execute(values)

    return update


type _Names = str | tuple[_Names, ...] | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A compiled queryset.

    Attributes:
        names: for each bound parameter, or each item of one that is an array, the value that goes
            there; None where what was compiled goes there as it is.
    """

    queryset: QuerySet[Any, Any]
    compiler: Any
    sql: str
    parameters: tuple[Any, ...]
    names: tuple[_Names, ...]

    def fetch(self, values: Mapping[str, Any]) -> list[Any]:
        """Run it with these values, through this thread's own connection, for its rows."""
        bound = self._bind(values)
        compiler = copy.copy(self.compiler)
        compiler.connection = connections[self.queryset.db]
        compiler.as_sql = lambda *_, **__: (self.sql, bound)
        queryset: Any = self.queryset.all()
        queryset.query.get_compiler = lambda *_, **__: compiler
        return list(queryset)

    def execute(self, values: Mapping[str, Any]) -> int:
        """Run it with these values, for the number of rows that it touched."""
        with connections[self.queryset.db].cursor() as cursor:
            cursor.execute(self.sql, self._bind(values))
            return int(cursor.rowcount)

    def _bind(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        bound = {name: _as_parameter(value) for name, value in values.items()}
        return tuple(
            _filled(names, constant, bound)
            for names, constant in zip(self.names, self.parameters, strict=True)
        )


def _filled(names: _Names, constant: Any, bound: Mapping[str, Any]) -> Any:
    if isinstance(names, tuple):
        return [_filled(*pair, bound) for pair in zip(names, constant, strict=True)]
    return constant if names is None else bound[names]


def _remembered(
    build: Callable[..., Any], compile_once: Callable[..., Statement]
) -> Callable[[tuple[Any, ...], Mapping[str, Any]], Statement]:
    """Compile with stand-ins for the values, once for each shape."""
    kinds = {
        name: parameter.annotation
        for name, parameter in inspect.signature(build).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }

    @functools.cache
    def compile_shape(shape: tuple[Any, ...], missing: tuple[str, ...]) -> Statement:
        stand_ins = {
            name: None if name in missing else _stand_in(kind) for name, kind in kinds.items()
        }
        return compile_once(stand_ins, *shape)

    def statement(shape: tuple[Any, ...], values: Mapping[str, Any]) -> Statement:
        return compile_shape(shape, tuple(name for name in values if values[name] is None))

    return statement


def _compile(queryset: QuerySet[Any, Any], query: Any, stand_ins: Mapping[str, Any]) -> Statement:
    compiler = query.get_compiler(queryset.db)
    sql, parameters = compiler.as_sql()
    given = {_as_parameter(value): name for name, value in stand_ins.items() if value is not None}
    names = tuple(_names_of(value, given) for value in parameters)
    if unused := set(given.values()) - set(_flat(names)):
        raise ValueError(f"{unused} do not reach the statement as they are")
    return Statement(queryset, compiler, sql, tuple(parameters), names)


def _names_of(parameter: Any, given: Mapping[Any, str]) -> _Names:
    if isinstance(parameter, list):
        return tuple(_names_of(item, given) for item in parameter)
    return given.get(_as_stand_in(parameter))


def _flat(names: _Names) -> Iterator[str | None]:
    if isinstance(names, tuple):
        yield from itertools.chain.from_iterable(map(_flat, names))
    else:
        yield names


def _stand_in(kind: Any) -> Any:
    """A value that nothing else in the statement has, to be found again among its parameters."""
    if kind is bytes:
        return token_bytes(32)
    if kind is datetime:
        return datetime(1, 1, 1, tzinfo=UTC) + timedelta(microseconds=randrange(10**15))  # noqa: S311
    return uuid4().hex


def _as_parameter(value: Any) -> Any:
    return uuid_from_id(value) if isinstance(value, str) else value


def _as_stand_in(parameter: Any) -> Any:
    """A parameter, if it can be a stand-in at all (others need not be hashable)."""
    return parameter if isinstance(parameter, UUID | bytes | datetime) else None
