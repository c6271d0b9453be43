"""Strict input (contract §0): what is not documented is refused, and the error names it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Self, cast
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.http import QueryDict
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from wire import ids
from wire.errors import Malformed, name_some, shorten
from wire.strictjson import parse_json, refuse_unstorable_text

LONGEST_FIELD = 100


class Body(BaseModel):
    """A JSON request body: exact types, no unknown fields."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )


class KindAndId(Body):
    """A kind of thing, and the ID of one of that kind. Subclasses say which kinds there are."""

    kind: Any
    id: str

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        ids.parse_id(self.kind, self.id)
        return self


class Query(BaseModel):
    """Query parameters: text by nature, so each field says how it is read; none unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class NoQuery(Query):
    """A route that takes no query parameters."""


@dataclass
class Expected:
    """The input that an operation documents, and what has been read of it so far."""

    body: type[Body] | None
    query: type[Query]
    read: set[type[BaseModel]] = field(default_factory=set)

    @property
    def unread(self) -> set[type[BaseModel]]:
        """Models that were documented and never parsed."""
        return {self.query, *([self.body] if self.body else [])} - self.read


class StrictJsonParser(BaseParser):
    """Parse a JSON body of at most DATA_UPLOAD_MAX_MEMORY_SIZE bytes, strictly."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise Malformed(f"The body is larger than {limit:,} bytes.")
        return parse_json(raw)


def parse_body[B: Body](request: Request, model: type[B]) -> B:
    """Read the request's JSON body as `model`.

    An operation that documents no query parameters refuses any here. No body at all is as good
    as an empty object.

    Raises:
        Malformed: naming every field that is missing, unknown or of a wrong type.
    """
    expected = expected_of(request)
    if expected.query is NoQuery:
        parse_query(request, NoQuery)
    _refuse_pieces(request)
    data = request.data
    if not isinstance(data, dict) or isinstance(data, QueryDict):
        raise Malformed("The body must be a JSON object, sent as application/json.")
    body = _validate(model, data)
    expected.read.add(model)
    return body


def parse_query[Q: Query](request: Request, model: type[Q]) -> Q:
    """Read the request's query parameters as `model`.

    An operation that documents no body refuses any here.

    Raises:
        Malformed: naming each parameter that is unknown, repeated or of a wrong form.
    """
    expected = expected_of(request)
    if expected.body is None:
        refuse_body(request)
    query = _validate(model, _query_values(request))
    expected.read.add(model)
    return query


def parse_nothing(request: Request) -> None:
    """Refuse any query parameter and any body, for an operation that takes neither."""
    parse_query(request, NoQuery)


def refuse_body(request: Request) -> None:
    """Raise Malformed when a body was sent; an empty object is as good as none."""
    _refuse_pieces(request)
    if request.META.get("CONTENT_LENGTH") not in {None, "", "0"} and request.data != {}:
        raise Malformed("This route takes no body.")


def _refuse_pieces(request: Request) -> None:
    """Raise Malformed for a body without a length, which Django would take for none at all."""
    if "Transfer-Encoding" in request.headers:
        raise Malformed("Send the body in one piece, with its Content-Length.")


def expected_of(request: Request) -> Expected:
    """What the operation at hand documents; `wire.operations` puts it there."""
    return cast("Expected", request.parser_context["expected"])


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


def _validate[M: BaseModel](model: type[M], values: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise Malformed(describe_errors(error)) from error


def _query_values(request: Request) -> dict[str, str]:
    """The query parameters, each given once and in UTF-8."""
    try:
        unquote_to_bytes(request.META.get("QUERY_STRING", "").encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed("The query string is not valid UTF-8.") from error
    parameters = request.query_params
    repeated = [name for name in parameters if len(parameters.getlist(name)) > 1]
    if repeated:
        raise Malformed(f"Query parameters given more than once: {name_some(sorted(repeated))}.")
    values = {name: str(parameters[name]) for name in parameters}
    for name, value in values.items():
        refuse_unstorable_text(name + value, "query")
    return values


def _spell_location(location: tuple[int | str, ...]) -> str:
    spelled = ""
    for part in location:
        spelled += f"[{part}]" if isinstance(part, int) else f".{part}" if spelled else part
    return shorten(spelled, LONGEST_FIELD) or "body"


def _spell_problem(problem: Any) -> str:
    if problem["type"] == "extra_forbidden":
        return "unknown field"
    return str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
