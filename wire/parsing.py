"""Strict input (contract §0): what is not documented is refused, and the error names it."""

import json
from collections.abc import Mapping
from typing import IO, Annotated, Any, NoReturn

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import QueryDict
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from wire import ids
from wire.errors import Malformed, name_some

MAX_INTEGER = 2**63 - 1


class Body(BaseModel):
    """A JSON request body: exact types, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Query(BaseModel):
    """Query parameters: text by nature, so numbers are read from digits; none unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoQuery(Query):
    """A route that takes no query parameters."""


def id_of(kind: str) -> Any:
    """An annotation for an identifier of `kind`, normalised to its live spelling."""

    def parse(text: str) -> str:
        return ids.parse_id(kind, text)

    return Annotated[str, AfterValidator(parse)]


class StrictJsonParser(BaseParser):
    """Parse a JSON body, refusing what lenient parsers let pass.

    Raises:
        Malformed: not UTF-8, not JSON, a repeated key, NaN, an integer beyond 64 bits, NUL or a
            lone surrogate in a string, or more than the body limit.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            raw = stream.read()
        except RequestDataTooBig:
            refuse_large_body()
        return parse_json(raw)


def refuse_large_body() -> NoReturn:
    """Raise the error for a body over the limit."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    raise Malformed(f"The body is larger than {limit:,} bytes.")


def parse_json(raw: bytes) -> Any:
    """Parse strict JSON from bytes. Raises Malformed as `StrictJsonParser` says."""
    try:
        text = raw.decode("utf-8")
        value = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_int=_bounded_integer,
        )
    except UnicodeDecodeError as error:
        raise Malformed("The body is not valid UTF-8.") from error
    except RecursionError as error:
        raise Malformed("The body is nested too deeply.") from error
    except json.JSONDecodeError as error:
        raise Malformed(
            f"The body is not valid JSON: {error.msg} at line {error.lineno} column {error.colno}."
        ) from error
    if "\\u" in text:
        _refuse_unstorable(value, "body")
    return value


def parse_body[B: Body](request: Request, model: type[B]) -> B:
    """Read the request's JSON body as `model`.

    Raises:
        Malformed: naming every field that is missing, unknown or of a wrong type.
    """
    data = request.data
    if not isinstance(data, dict) or isinstance(data, QueryDict):
        raise Malformed("The body must be a JSON object, sent as application/json.")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise Malformed(describe_errors(error)) from error


def parse_query[Q: Query](request: Request, model: type[Q]) -> Q:
    """Read the request's query parameters as `model`.

    Raises:
        Malformed: naming each parameter that is unknown, repeated or of a wrong form.
    """
    parameters = request.query_params
    repeated = [name for name in parameters if len(parameters.getlist(name)) > 1]
    if repeated:
        raise Malformed(f"Query parameters given more than once: {name_some(sorted(repeated))}.")
    values = {name: str(parameters[name]) for name in parameters}
    _refuse_unstorable(values, "query")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise Malformed(describe_errors(error)) from error


def parse_path_id(kind: str, text: str) -> str:
    """Read an identifier in the route. Raises Malformed when it is not one of `kind`."""
    try:
        return ids.parse_id(kind, text)
    except ids.MalformedId as error:
        raise Malformed(f"The {kind} ID in the address is malformed: {error}.") from error


def describe_errors(error: ValidationError) -> str:
    """One sentence that names each offending field and what is wrong with it."""
    problems = [
        f"{_spell_location(problem['loc'])}: {_spell_problem(problem)}"
        for problem in error.errors(include_url=False, include_input=False)
    ]
    return name_some(problems) + "."


def _spell_location(location: tuple[int | str, ...]) -> str:
    spelled = ""
    for part in location:
        spelled += f"[{part}]" if isinstance(part, int) else f".{part}" if spelled else part
    return spelled or "body"


def _spell_problem(problem: Any) -> str:
    if problem["type"] == "extra_forbidden":
        return "unknown field"
    return str(problem["msg"]).removeprefix("Value error, ").rstrip(".")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise Malformed(f"The body repeats the field {name_some(repeated)}.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(f"The body is not valid JSON: {name} is not a JSON number.")


def _bounded_integer(digits: str) -> int:
    if len(digits) > 20 or abs(int(digits)) > MAX_INTEGER:
        raise Malformed("The body holds an integer beyond 64 bits.")
    return int(digits)


def _refuse_unstorable(value: Any, place: str) -> None:
    """Refuse NUL and lone surrogates anywhere: PostgreSQL can store neither."""
    if isinstance(value, str):
        if "\x00" in value:
            raise Malformed(f"{place}: the text contains NUL.")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise Malformed(f"{place}: the text contains a lone surrogate.")
    elif isinstance(value, dict):
        for name, item in value.items():
            _refuse_unstorable(name, place)
            _refuse_unstorable(item, f"{place}.{name}" if place != "body" else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_unstorable(item, f"{place}[{index}]")
