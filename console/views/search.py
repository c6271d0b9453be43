"""Search in one exact version of a store, with what matches marked (contract Q1)."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponseBase

from console.browsing import Place
from console.drawing.visible import visible_text
from console.links import document_url
from console.parsing import directory_parameter, version_parameter
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import render_page
from console.views.store_shell import Tab, content_tab
from memory.queries.versions import resolve
from memory.search.pages import Asked, Result, search_page
from memory.search.queries import QueryError

TEMPLATE = "console/store/search.html"


@content_tab("documents")
def search(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """What matches in canonical or in an exact version, best first, some at a time."""
    wanted = version_parameter(request, "version")
    version_id = resolve(tab.access.store_id, wanted)
    place = Place(directory_parameter(request))
    words = request.GET.get("words", "").strip()
    context = tab.context | {
        "words": words,
        "place": place,
        "version_id": version_id,
        "pinned": wanted is not None,
        "is_canonical": version_id == tab.access.store.canonical_id,
    }
    if not words:
        return render_page(request, TEMPLATE, context)
    prefix = None if place.path == "/" else place.path
    cursor = request.GET.get("cursor") or None
    try:
        page = search_page(tab.access, Asked(words, version_id, prefix, cursor))
    except QueryError as error:
        return render_page(request, TEMPLATE, context | {"problem": str(error)}, status=400)
    rows = _rows(tab.access.store_id, version_id, page.results)
    found = {"rows": rows, "next_cursor": page.next_cursor, "is_first": cursor is None}
    return publish_page(request, TEMPLATE, context | found, [page.acquired])


def _rows(store_id: str, version_id: str, results: Sequence[Result]) -> list[dict[str, Any]]:
    return [
        {
            "path": result.path,
            "line": result.snippet.line,
            "url": document_url(store_id, result.path, version_id, view="source"),
            "text": visible_text(result.snippet.text.strip("\n"), _ranges(result)),
        }
        for result in results
    ]


def _ranges(result: Result) -> list[tuple[int, int]]:
    """The highlights, counted from where the text begins that is shown."""
    text = result.snippet.text
    cut = len(text) - len(text.lstrip("\n"))
    return [(start - cut, end - cut) for start, end in result.snippet.highlights]
