"""The history of a store: its versions on every branch, and what narrows them."""

from typing import Any

from django.db import models
from django.http import HttpResponseBase

from console.forms.versions import HistoryForm
from console.history.graph import Graph
from console.history.rows import Row, acquire_rows, rows_of
from console.history.searching import authors_of, matching
from console.pages import SIZE
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.views.store_shell import Tab, content_tab
from wire.errors import Malformed
from wire.paging import decode_page, encode_page


@content_tab("history")
def history(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """Versions of the store, newest first, with the lines between them unless some are left out."""
    form = HistoryForm(request.GET, authors=authors_of(tab.access))
    rows: list[Row] = []
    context: dict[str, Any] = tab.context | {"form": form}
    if form.is_valid():
        is_filtered = any(form.cleaned_data.values())
        rows, next_page = _page(request, tab, form, draws=not is_filtered)
        context |= {"next_page": next_page, "is_filtered": is_filtered}
        context["width"] = max((row.dot.width for row in rows if row.dot), default=1)
    return publish_page(
        request,
        "console/store/history.html",
        context | {"rows": rows},
        [acquire_rows(tab.access, rows)],
        fragment="rows",
        status=form.status,
    )


def _page(
    request: ConsoleRequest, tab: Tab, form: HistoryForm, *, draws: bool
) -> tuple[list[Row], str | None]:
    """The rows of one page, and where the next begins."""
    position = decode_page(request.GET.get("page") or None, str, str)
    wanted = matching(tab.access.store_id, form.cleaned_data)
    try:
        if position:
            wanted = wanted.filter(id__lt=position[0])
        found = list(wanted.fetch_mode(models.FETCH_RAISE)[: SIZE + 1])
    except ValueError as error:
        raise Malformed("page: not a position of this list.") from error
    graph = Graph(position[1] if position else "") if draws else None
    rows = rows_of(tab.access, found[:SIZE], graph)
    if len(found) <= SIZE:
        return rows, None
    return rows, encode_page(found[SIZE - 1].id, graph.state if graph else "")
