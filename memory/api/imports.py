"""/v1/memory-store-imports: a store out of an export, page by page (contract I1)."""

from typing import Any, Literal, TypedDict, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.actions.store_imports import (
    abandon_import,
    begin_import,
    complete_import,
    receive_page,
    receive_whole,
)
from memory.actions.stores import StoreSettings
from memory.api.fields import Description
from memory.api.replays import REPLAYED_HEADER, replay_headers
from memory.api.stores import OwnerInput, OwnerOut, render_owner
from memory.importing.faults import BundleFault
from memory.importing.pages import is_page, read_page
from memory.importing.wholes import read_whole
from memory.models import StoreImport
from memory.queries.imports import find_import
from tenancy.api.base import ApiView, caller_of
from wire.errors import Conflict, Malformed, NotFound, PolicyDenied
from wire.fields import Name
from wire.idempotency import optional_key, require_key
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id
from wire.times import render_time

StateName = Literal["receiving", "building", "succeeded", "failed"]


class BeginImport(Body):
    """The store to make of an export. It is pending until the import succeeds."""

    owner: OwnerInput
    name: Name
    description: Description = ""

    def settings(self) -> StoreSettings:
        """The settings as the action takes them."""
        return StoreSettings(name=self.name, owner=self.owner.owner(), description=self.description)


class BundlePart(Body):
    """One page exactly as GET export-pages answers it, or all that GET export answers.

    What it holds is checked against those answers, item by item.
    """

    manifest: Any = None
    """Of a page: equal on each."""
    page_ordinal: Any = None
    """Of a page: the one in the address."""
    items: Any = None
    """Of a page: 200 at most."""
    item_bytes: Any = None
    """Of a page: what its items take as canonical JSON."""
    next_page: Any = None
    """Of a page: null on the last one."""
    store: Any = None
    """Of a whole export, as all that follows."""
    revisions: Any = None
    refs: Any = None
    documents: Any = None
    path_fences: Any = None


class ImportErrorOut(TypedDict):
    """What is wrong with the export; the message names the item."""

    type: str
    message: str


class ImportProgressOut(TypedDict):
    """How many items are built, of how many."""

    done: int
    total: int | None


class StoreImportOut(TypedDict):
    """The making of a store out of an export. It goes by the store's ID."""

    store: str
    name: str
    owner: OwnerOut
    state: StateName
    manifest: dict[str, Any] | None
    job: str | None
    progress: ImportProgressOut | None
    error: ImportErrorOut | None
    result: dict[str, Any] | None
    created_at: str
    touched_at: str
    finished_at: str | None


class ImportPageOut(TypedDict):
    """That a page was received and is well-formed by itself."""

    store: str
    page_ordinal: int
    items: int


def render_import(made: StoreImport) -> StoreImportOut:
    """An import with how far it is."""
    job = made.job
    return {
        "store": made.store_id,
        "name": made.store.name,
        "owner": render_owner(made.store),
        "state": cast("StateName", made.state),
        "manifest": None if made.whole else made.manifest,
        "job": made.job_id,
        "progress": {"done": job.done, "total": job.total} if job else None,
        "error": _render_error(made),
        "result": made.result,
        "created_at": render_time(made.created_at),
        "touched_at": render_time(made.touched_at),
        "finished_at": render_time(made.finished_at) if made.finished_at else None,
    }


def _render_error(made: StoreImport) -> ImportErrorOut | None:
    if made.error_type is None:
        return None
    return {"type": made.error_type, "message": made.error or ""}


class ImportsView(ApiView):
    versioned = True

    @operation(
        "memoryStoreImports.beginMemoryStoreImport",
        summary="Begin an import",
        body=BeginImport,
        answers={201: StoreImportOut},
        errors=(PolicyDenied, NotFound, Conflict),
        idempotency="optional",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request) -> Response:
        """Makes a pending store, known to its creator alone. Pages follow, then `complete`.

        Needs what making a store needs. What nobody gets on with for a day is abandoned.
        """
        caller = caller_of(request)
        body = parse_body(request, BeginImport)
        key = optional_key(request, body.model_dump(mode="json"))
        begun = begin_import(caller=caller, settings=body.settings(), key=key)
        headers = replay_headers(replayed=begun.replayed)
        made = find_import(caller, begun.store_id)
        return Response(render_import(made), status=201, headers=headers)


class ImportView(ApiView):
    versioned = True

    @operation(
        "memoryStoreImports.getMemoryStoreImport",
        summary="Get an import",
        answers={200: StoreImportOut},
        errors=(NotFound,),
    )
    def get(self, request: Request, id: str) -> Response:
        """How far it is, what is wrong with the export, or what came of it."""
        made = find_import(caller_of(request), parse_path_id("store", id))
        parse_nothing(request)
        return Response(render_import(made))

    @operation(
        "memoryStoreImports.abandonMemoryStoreImport",
        summary="Abandon an import",
        answers={204: None},
        errors=(NotFound, Conflict),
    )
    def delete(self, request: Request, id: str) -> Response:
        """Ends it at once, unless it has succeeded; all that was received is deleted."""
        caller = caller_of(request)
        made = find_import(caller, parse_path_id("store", id))
        parse_nothing(request)
        abandon_import(caller=caller, store_id=made.store_id)
        return Response(status=204)


class ImportPageView(ApiView):
    versioned = True

    @operation(
        "memoryStoreImports.putMemoryStoreImportPage",
        summary="Send a page",
        body=BundlePart,
        answers={200: ImportPageOut},
        errors=(NotFound, PolicyDenied, Conflict),
    )
    def put(self, request: Request, id: str, ordinal: str) -> Response:
        """A page of a paged export in any order, or a whole export as page 0.

        Each item is checked by itself at once: what is wrong is named. A page sent again replaces
        itself.
        """
        caller = caller_of(request)
        made = find_import(caller, parse_path_id("store", id))
        fields = parse_body(request, BundlePart).model_dump(exclude_unset=True)
        number = _parse_ordinal(ordinal)
        if is_page(fields):
            items = _receive_page(request, made.store_id, number, fields)
        else:
            items = _receive_whole(request, made.store_id, number, fields)
        answer: ImportPageOut = {"store": made.store_id, "page_ordinal": number, "items": items}
        return Response(answer)


def _receive_page(request: Request, store_id: str, ordinal: int, fields: dict[str, Any]) -> int:
    page = read_page(fields)
    if page.ordinal != ordinal:
        raise BundleFault(f"page_ordinal: it is {page.ordinal}, and {ordinal} in the address.")
    receive_page(caller=caller_of(request), store_id=store_id, page=page)
    return sum(page.kind_counts)


def _receive_whole(request: Request, store_id: str, ordinal: int, fields: dict[str, Any]) -> int:
    if ordinal:
        raise Malformed("A whole export is page 0.")
    pages = read_whole(fields)
    receive_whole(caller=caller_of(request), store_id=store_id, pages=pages)
    return sum(sum(page.kind_counts) for page in pages)


def _parse_ordinal(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and str(int(text)) == text):
        raise Malformed("The page's ordinal in the address is a whole number from 0 on.")
    return int(text)


class ImportCompletionView(ApiView):
    versioned = True

    @operation(
        "memoryStoreImports.completeMemoryStoreImport",
        summary="Complete an import",
        answers={202: StoreImportOut},
        errors=(NotFound, PolicyDenied, Conflict),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str) -> Response:
        """A job checks all items against each other and builds the store, which then opens.

        What is wrong with the export ends the import as `failed`, and its error names the item.
        """
        caller = caller_of(request)
        made = find_import(caller, parse_path_id("store", id))
        parse_nothing(request)
        key = require_key(request, {})
        replayed = complete_import(caller=caller, store_id=made.store_id, key=key)
        answer = render_import(find_import(caller, made.store_id))
        return Response(answer, status=202, headers=replay_headers(replayed=replayed))
