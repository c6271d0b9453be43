"""Querysets compiled once: on a hot read Django takes longer to spell SQL than it takes to run.

Only the spelling is kept. Values are bound anew each time, and rows become instances by Django's
own code, so a compiled query answers exactly what its queryset would.
"""

import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import randrange
from secrets import token_bytes
from typing import Any
from uuid import UUID, uuid4

from django.db import connections
from django.db.models import Model, QuerySet

from wire.ids import uuid_from_id


def compiled[M: Model](build: Callable[..., QuerySet[M, Any]]) -> Callable[..., list[Any]]:
    """Turn a function that builds a queryset into one that fetches its rows.

    The keyword-only parameters of `build` are the values that differ from call to call:
    identifiers (annotated `str`), digests (`bytes`) or times (`datetime`), each of them handed to
    a lookup as it is. Positional parameters, which must be hashable, choose between different
    statements; each combination is compiled at its first use.
    """
    kinds = {
        name: parameter.annotation
        for name, parameter in inspect.signature(build).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }

    @functools.cache
    def statement(*shape: Any) -> Statement:
        stand_ins = {name: _stand_in(kind) for name, kind in kinds.items()}
        return _compile(build(*shape, **stand_ins), stand_ins)

    @functools.wraps(build)
    def fetch(*shape: Any, **values: Any) -> list[Any]:
        return statement(*shape).fetch(values)

    return fetch


@dataclass(frozen=True, slots=True)
class Statement:
    """A compiled queryset; `names` tells for each bound parameter the value that goes there."""

    queryset: QuerySet[Any, Any]
    compiler: Any
    sql: str
    parameters: tuple[Any, ...]
    names: tuple[str | None, ...]

    def fetch(self, values: Mapping[str, Any]) -> list[Any]:
        """Run it with these values, through this thread's own connection."""
        bound = {name: _bind(value) for name, value in values.items()}
        parameters = tuple(
            constant if name is None else bound[name]
            for name, constant in zip(self.names, self.parameters, strict=True)
        )
        compiler = copy.copy(self.compiler)
        compiler.connection = connections[self.queryset.db]
        compiler.as_sql = lambda *_, **__: (self.sql, parameters)
        queryset: Any = self.queryset.all()
        queryset.query.get_compiler = lambda *_, **__: compiler
        return list(queryset)


def _compile(queryset: QuerySet[Any, Any], stand_ins: Mapping[str, Any]) -> Statement:
    compiler = queryset.query.get_compiler(queryset.db)
    sql, parameters = compiler.as_sql()
    names_by_value = {_bind(value): name for name, value in stand_ins.items()}
    names = tuple(names_by_value.get(_hashable(value)) for value in parameters)
    if missing := stand_ins.keys() - set(names):
        raise ValueError(f"{missing} do not reach the statement as they are")
    return Statement(queryset, compiler, sql, tuple(parameters), names)


def _stand_in(kind: Any) -> Any:
    """A value that nothing else in the statement has, to be found again among its parameters."""
    if kind is bytes:
        return token_bytes(32)
    if kind is datetime:
        return datetime(1, 1, 1, tzinfo=UTC) + timedelta(microseconds=randrange(10**15))  # noqa: S311
    return uuid4().hex


def _bind(value: Any) -> Any:
    return uuid_from_id(value) if isinstance(value, str) else value


def _hashable(value: Any) -> Any:
    """A bound parameter, if it can be a stand-in at all."""
    return value if isinstance(value, UUID | bytes | datetime) else None
