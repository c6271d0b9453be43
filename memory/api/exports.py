"""/v1/memory-stores/{id}/export and /export-pages: a store's whole graph (contract E1-E3)."""

import re
from typing import Annotated, Literal, TypedDict

from pydantic import BeforeValidator, Field
from rest_framework.request import Request

from memory.access import open_store
from memory.api.publishing import Published, publish
from memory.exporting.cursors import MAX_CURSOR_CHARACTERS
from memory.exporting.pages import MAX_PAGE_ITEMS, PageOut, export_page
from memory.exporting.shapes import (
    ExportedDocumentVersion,
    ExportedEntry,
    ExportedFence,
    ExportedRef,
    ExportedRevision,
)
from memory.exporting.whole import WholeExportOut, whole_export
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied, RangeTooLarge
from wire.operations import operation
from wire.parsing import Query, parse_nothing, parse_path_id, parse_query

_POSITIVE = re.compile(r"[1-9][0-9]*")


def _page_items(value: object) -> int:
    """Any whole number from 1 on: more than a page holds acts as what it holds."""
    if isinstance(value, int):
        return value
    if not isinstance(value, str) or not _POSITIVE.fullmatch(value):
        raise ValueError("expected a whole number from 1 on, in decimal digits")
    return int(value) if len(value) <= len(str(MAX_PAGE_ITEMS)) else MAX_PAGE_ITEMS


class ExportPagesQuery(Query):
    """How much of an export, and from where on."""

    limit: Annotated[int, Field(ge=1), BeforeValidator(_page_items)] = MAX_PAGE_ITEMS
    """How many items at most; a page never holds more than 200 of them, nor more than 1 MiB."""
    page: Annotated[str, Field(max_length=MAX_CURSOR_CHARACTERS)] | None = None
    """What the page before gave as `next_page`. Left out, a new export begins."""


class RevisionItem(TypedDict):
    """A MemoryVersion."""

    kind: Literal["revision"]
    revision: ExportedRevision


class FenceItem(TypedDict):
    """A path fence."""

    kind: Literal["path_fence"]
    path_fence: ExportedFence


class DocumentVersionItem(TypedDict):
    """A document version."""

    kind: Literal["document_version"]
    document_version: ExportedDocumentVersion


class EntryItem(TypedDict):
    """What one revision holds at one path."""

    kind: Literal["revision_entry"]
    revision_entry: ExportedEntry


class RefItem(TypedDict):
    """A ref."""

    kind: Literal["ref"]
    ref: ExportedRef


type ExportItem = RevisionItem | FenceItem | DocumentVersionItem | EntryItem | RefItem


class ExportView(ApiView):
    versioned = True

    @operation(
        "memoryStores.exportMemoryStore",
        summary="Export a store in one response",
        answers={200: WholeExportOut},
        errors=(NotFound, PolicyDenied, Conflict, RangeTooLarge, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """All revisions, refs, documents of every revision, and path fences.

        For stores of at most 10,000 items and 8 MiB; larger ones are exported page by page.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        parse_nothing(request)
        access.require_content()
        export = whole_export(access)
        return publish(export.acquired, export.answer)


class ExportPagesView(ApiView):
    versioned = True

    @operation(
        "memoryStores.exportMemoryStorePage",
        summary="Export a store page by page",
        query=ExportPagesQuery,
        answers={200: PageOut[ExportItem]},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Revisions, parents first; path fences; document versions; revision entries; refs.

        All pages are of one snapshot: after a change of the store, or when a text expires that
        the export holds, `next_page` answers 409.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, ExportPagesQuery)
        access.require_content()
        found = export_page(access, limit=query.limit, page=query.page)
        return publish(found.acquired, found.answer)
