"""A store's export: what it holds, as one JSON file, or as a file of pages."""

import logging
from collections.abc import Iterator
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header

from console.door import HANDLED
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.views.store_shell import Tab, content_tab
from memory.access import StoreAccess, open_store
from memory.exporting.manifests import count_items
from memory.exporting.pages import ExportPage, export_page
from memory.exporting.whole import LIMITS, whole_export
from memory.publication import Acquired, recheck
from wire.errors import RangeTooLarge
from wire.rendering import dump_json

ITEMS_HEADER: Final = "Checkfu-Export-Items"
"""How many items a file of pages will hold, for whoever shows how far it is."""

logger = logging.getLogger(__name__)


@content_tab("export")
def export(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """What an export of the store holds, and the two files that it can be taken as."""
    counts = count_items(tab.access.store_id)
    context = tab.context | {
        "counts": counts,
        "whole_bytes": _whole_bytes(tab.access),
        "limits": LIMITS,
    }
    return publish_page(request, "console/store/export.html", context, [Acquired(tab.access)])


def _whole_bytes(access: StoreAccess) -> int | None:
    """How long the export in one file is; None when the store is too large for that."""
    try:
        return whole_export(access).response_bytes
    except RangeTooLarge:
        return None


@content_tab("export")
def export_whole(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:  # noqa: ARG001
    """The whole export as a file."""
    found = whole_export(tab.access)
    response = HttpResponse(dump_json(found.answer), headers=_headers(tab, "json"))
    recheck(found.acquired)
    return response


@content_tab("export")
def export_pages(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:  # noqa: ARG001
    """The paged export as one file, a page a line.

    A store that changes on the way ends the file early: only the last line of a whole one has no
    `next_page`.
    """
    first = export_page(tab.access, page=None)
    line = _line(first)
    headers = _headers(tab, "ndjson") | {ITEMS_HEADER: str(first.manifest.counts.total)}
    return StreamingHttpResponse(_lines(tab.access, first, line), headers=headers)


def _lines(access: StoreAccess, page: ExportPage, line: bytes) -> Iterator[bytes]:
    """A line for each page. Each is looked at again before it leaves (contract R5)."""
    yield line
    try:
        while token := page.answer["next_page"]:
            page = export_page(open_store(access.caller, access.store_id), page=token)
            yield _line(page)
    except HANDLED as error:  # the status is sent already
        logger.warning("an export ended early: %s", type(error).__name__)


def _line(page: ExportPage) -> bytes:
    line = dump_json(page.answer) + b"\n"
    recheck(page.acquired)
    return line


def _headers(tab: Tab, ending: str) -> dict[str, Any]:
    types = {"json": "application/json", "ndjson": "application/x-ndjson"}
    name = f"{tab.access.store_id}.{ending}"
    return {
        "Content-Type": types[ending],
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=name),
        "Cache-Control": "no-store",
    }
