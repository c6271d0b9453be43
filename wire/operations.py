"""An API operation says once what it takes and answers; the document is made from that."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, Literal, Protocol, TypedDict, cast

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from wire.errors import (
    ApiError,
    AuthorizationUnavailable,
    BackendUnavailable,
    BudgetExceeded,
    DisabledTenancy,
    Internal,
    InvalidKey,
    Malformed,
    PolicyDenied,
)
from wire.parsing import Body, Expected, NoQuery, Query

EVERYWHERE: tuple[type[ApiError], ...] = (
    Malformed,
    InvalidKey,
    DisabledTenancy,
    PolicyDenied,
    AuthorizationUnavailable,
    BackendUnavailable,
    BudgetExceeded,
    Internal,
)
"""Errors that any operation can answer."""


class Listing[T](TypedDict):
    """One page of a list, and how to ask for the next."""

    data: list[T]
    next_page: str | None


@dataclass(frozen=True, slots=True)
class Download:
    """An answer that is a file, in one of some media types."""

    media_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """What one method of one route takes and answers. `operation` explains the fields."""

    id: str
    summary: str
    answers: Mapping[int, Any]
    body: type[Body] | None
    query: type[Query]
    errors: tuple[type[ApiError], ...]
    idempotency: Literal["required", "optional"] | None
    headers: Sequence[OpenApiParameter]

    @property
    def tag(self) -> str:
        """The group it is listed under."""
        return self.id.partition(".")[0]


class Documented(Protocol):
    """A view's method that carries its Operation."""

    operation: Operation


class InputNotParsed(AssertionError):
    """A view answered without having parsed all the input that its operation documents."""


def operation[**P](
    id: str,
    *,
    summary: str,
    answers: Mapping[int, Any],
    body: type[Body] | None = None,
    query: type[Query] = NoQuery,
    errors: tuple[type[ApiError], ...] = (),
    idempotency: Literal["required", "optional"] | None = None,
    headers: Sequence[OpenApiParameter] = (),
) -> Callable[
    [Callable[Concatenate[Any, Request, P], HttpResponseBase]],
    Callable[Concatenate[Any, Request, P], HttpResponseBase],
]:
    """Document a view's method, and hold it to that.

    The method still parses, after its own fetch (contract §0 "Order of checks"): `parse_body`
    and `parse_query` with the models named here, or `parse_nothing`. What is not documented is
    refused by those, and a method that forgets one fails its first test with InputNotParsed.

    Args:
        id: `group.verbNoun`, unique: `apiKeys.createApiKey`.
        summary: a few words. The method's docstring becomes the description.
        answers: status → TypedDict, `Listing[TypedDict]`, a `Download`, or None for no
            content.
        errors: types beyond `EVERYWHERE`.
        idempotency: whether the route reads `Idempotency-Key`.
        headers: further request or response headers.
    """
    documented = Operation(
        id, summary, answers, body, query, (*EVERYWHERE, *errors), idempotency, headers
    )

    def decorate(
        method: Callable[Concatenate[Any, Request, P], HttpResponseBase],
    ) -> Callable[Concatenate[Any, Request, P], HttpResponseBase]:
        @functools.wraps(method)
        def run(
            view: Any, request: Request, /, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            expected = Expected(body, query)
            request.parser_context["expected"] = expected
            response = method(view, request, *args, **kwargs)
            if expected.unread:
                raise InputNotParsed(f"{id} did not parse {expected.unread}")
            return response

        cast("Documented", run).operation = documented
        return run

    return decorate
