from typing import Any, TypedDict

import pytest
from django.test import RequestFactory
from rest_framework.request import Request
from rest_framework.response import Response

from wire.errors import Malformed, NotFound, name_some, shorten
from wire.operations import EVERYWHERE, InputNotParsed, Listing, operation
from wire.parsing import Body, Query, StrictJsonParser, parse_body, parse_nothing, parse_query
from wire.rendering import AlwaysJson


class Note(Body):
    title: str


class Which(Query):
    kind: str


class NoteOut(TypedDict):
    title: str


def request(body: bytes = b"", query: str = "") -> Request:
    return Request(
        RequestFactory().post(f"/v1/notes?{query}", body, content_type="application/json"),
        parsers=[StrictJsonParser()],
        negotiator=AlwaysJson(),
    )


@operation("notes.addNote", summary="Add", body=Note, answers={201: NoteOut}, errors=(NotFound,))
def add_note(view: None, request: Request) -> Response:
    return Response({"title": parse_body(request, Note).title})


@operation(
    "notes.findNote", summary="Find", body=Note, query=Which, answers={200: Listing[NoteOut]}
)
def find_note(view: None, request: Request) -> Response:
    which = parse_query(request, Which)
    return Response({"kind": which.kind, "title": parse_body(request, Note).title})


@operation("notes.dropNotes", summary="Drop", answers={204: None})
def drop_notes(view: None, request: Request) -> Response:
    parse_nothing(request)
    return Response(status=204)


@operation("notes.forgetNote", summary="Forget", body=Note, answers={200: NoteOut})
def forgetful(view: None, request: Request) -> Response:
    return Response({"title": "made up"})


def test_what_is_documented_is_parsed():
    added: Any = add_note(None, request(b'{"title": "A"}'))
    found: Any = find_note(None, request(b'{"title": "A"}', "kind=x"))

    assert added.data == {"title": "A"}
    assert found.data == {"kind": "x", "title": "A"}
    assert drop_notes(None, request()).status_code == 204


def test_what_is_not_documented_is_refused():
    with pytest.raises(Malformed, match="kind: unknown field"):
        add_note(None, request(b'{"title": "A"}', "kind=x"))
    with pytest.raises(Malformed, match="kind: unknown field"):
        drop_notes(None, request(query="kind=x"))
    with pytest.raises(Malformed, match="no body"):
        drop_notes(None, request(b'{"title": "A"}'))


def test_a_view_that_forgets_its_input_fails_at_once():
    with pytest.raises(InputNotParsed, match="forgetNote"):
        forgetful(None, request(b'{"title": "A"}'))


def test_errors_of_every_operation_come_first():
    documented = add_note.operation  # type: ignore[attr-defined]

    assert documented.errors == (*EVERYWHERE, NotFound)
    assert documented.tag == "notes"


def test_some_are_named_and_the_rest_counted():
    assert name_some([]) == ""
    assert name_some(["a", "b"]) == "a, b"
    assert name_some(str(number) for number in range(23)).endswith("19 and 3 more")


def test_what_a_client_sent_fits_a_message():
    assert shorten("a" * 5_000, 10) == "a" * 10 + "…"
    assert shorten("\ud800") == "\\ud800"
