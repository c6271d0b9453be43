"""/v1/memory-stores/{id}/search: words in the documents of one exact version (contract Q1)."""

from typing import Annotated, Final, TypedDict

from pydantic import AfterValidator, Field
from rest_framework.request import Request

from memory.access import open_store
from memory.api.fields import Prefix, VersionId
from memory.api.publishing import Published, publish
from memory.search.cursors import MAX_CURSOR_CHARACTERS
from memory.search.pages import DEFAULT_RESULTS, MAX_RESULTS, Asked, Result, search_page
from memory.search.queries import MAX_QUERY_CHARACTERS, parse_search
from memory.search.snippets import Snippet
from memory.trees.hashing import spell_hash
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_path_id

MILLION: Final = 1_000_000


def _answerable(query: str) -> str:
    parse_search(query)
    return query


class SearchMemory(Body):
    """What to look for, and where."""

    query: Annotated[
        str,
        AfterValidator(_answerable),
        Field(json_schema_extra={"minLength": 1, "maxLength": MAX_QUERY_CHARACTERS}),
    ]
    """Words that must all be found; `"words in a row"`; `-word` for what must not be found."""
    version: VersionId | None = None
    """An exact version; canonical, resolved once, when left out. A cursor needs it."""
    path_prefix: Prefix | None = None
    """Only what is in this directory (`/notes/`), or the document or directory of this name."""
    limit: Annotated[int, Field(ge=1, le=MAX_RESULTS)] = DEFAULT_RESULTS
    """How many results at most."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_CHARACTERS)] | None = None
    """What the page before gave as `next_cursor`, with the same version, query and prefix."""


class HighlightOut(TypedDict):
    """A range of a snippet's text that matches, in code points."""

    start: int
    end: int


class SnippetOut(TypedDict):
    """A piece of the document's text as it stands there; `line` is where its match begins."""

    text: str
    line: int
    highlights: list[HighlightOut]


class SearchResultOut(TypedDict):
    """A document that matches."""

    path: str
    content_sha256: str
    score: float
    snippet: SnippetOut


class SearchResultsOut(TypedDict):
    """One page of results at one exact version, best first."""

    version: str
    results: list[SearchResultOut]
    next_cursor: str | None


class SearchView(ApiView):
    versioned = True

    @operation(
        "memoryStores.searchMemory",
        summary="Search the documents of a version",
        body=SearchMemory,
        answers={200: SearchResultsOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def post(self, request: Request, id: str) -> Published:
        """Lexical. The same query on the same version has the same results, in the same order.

        Whole words are found, the parts of identifiers, the segments of paths, and pieces of
        scripts that are written without spaces. Erased texts are not found; an erasure ends the
        cursors that are older.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, SearchMemory)
        access.require_content()
        asked = Asked(body.query, body.version, body.path_prefix, body.cursor, body.limit)
        page = search_page(access, asked)
        answer: SearchResultsOut = {
            "version": page.version_id,
            "results": [_render_result(result) for result in page.results],
            "next_cursor": page.next_cursor,
        }
        return publish(page.acquired, answer)


def _render_result(result: Result) -> SearchResultOut:
    return {
        "path": result.path,
        "content_sha256": spell_hash(result.content_sha256),
        "score": result.score / MILLION,
        "snippet": _render_snippet(result.snippet),
    }


def _render_snippet(snippet: Snippet) -> SnippetOut:
    return {
        "text": snippet.text,
        "line": snippet.line,
        "highlights": [{"start": start, "end": end} for start, end in snippet.highlights],
    }
