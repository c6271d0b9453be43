"""One document as one exact version holds it."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils.safestring import SafeString

from console.browsing import linked_documents
from console.drawing.blame import blamed_ranges
from console.drawing.linenotes import Notes, notes_on
from console.drawing.safety import report_on_text
from console.drawing.sourcetables import source_rows
from console.drawing.visible import visible_text
from console.links import document_url
from console.naming import Names
from console.parsing import path_parameter, version_parameter
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import wants_fragment
from console.views.store_shell import Tab, content_tab
from memory.documents import markdown
from memory.documents.mediatypes import MARKDOWN
from memory.publication import Acquired
from memory.queries.blame import blame_document
from memory.queries.documents import DocumentAt, read_document
from memory.queries.tags import tags_at, tags_held
from memory.queries.versions import path_history, resolve
from memory.textsafety.scanning import scan
from wire.errors import NotFound

HISTORY_SIZE = 20


@content_tab("documents")
def document(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """A document's text, its history, and what is known of this very write.

    Where there is none any more, or its text was erased, the page tells all that is still known
    and answers 404, as the API does.
    """
    store_id, path = tab.access.store_id, path_parameter(request)
    wanted = version_parameter(request, "version")
    try:
        shown = read_document(store_id, path, wanted)
    except NotFound:
        return _gone(request, tab, path, resolve(store_id, wanted))
    history = _history(request, store_id, path, shown.version_id)
    tags = tags_at([shown.version_id]).get(shown.version_id, [])
    context = tab.context | {
        "document": shown,
        "directory": path.rpartition("/")[0] + "/",
        "pinned": wanted is not None,
        "canonical": canonical_state(tab, shown),
        "tags": tags,
        **history,
        **_views(request, shown),
    }
    context |= _links(request, shown, context["view"])
    acquired = [
        Acquired(
            access=tab.access,
            bodies=[shown.document_id] if shown.text is not None else [],
            notes=_notes(history),
            held=[tags_held(tags)],
            expires_at=shown.expires_at,
            whole=True,
        )
    ]
    if context["view"] == "blame":
        acquired.append(_add_blame(request, tab, shown, context))
    return publish_page(
        request,
        "console/document.html",
        context,
        acquired,
        fragment="path_history",
        status=200 if shown.text is not None else _missing(request),
    )


def _links(request: ConsoleRequest, shown: DocumentAt, view: str) -> dict[str, str]:
    """The document's address at this very version, and at whatever canonical holds.

    Lines are of the source, so links keep to the view that is open, where that shows lines.
    """
    more = {"view": view} if view in {"source", "blame"} else {}
    at_version = document_url(shown.store_id, shown.path, shown.version_id, **more)
    at_canonical = document_url(shown.store_id, shown.path, **more)
    return {
        "permalink": request.build_absolute_uri(at_version),
        "canonical_link": request.build_absolute_uri(at_canonical),
    }


def _gone(request: ConsoleRequest, tab: Tab, path: str, version_id: str) -> HttpResponse:
    """What is known of a document that a version holds no more. Raises NotFound for no document."""
    history = _history(request, tab.access.store_id, path, version_id)
    if not history["history"]:
        raise NotFound(f"There is no document at this path in {version_id}.")
    context = tab.context | {
        **history,
        "document": {"path": path, "version_id": version_id},
        "directory": path.rpartition("/")[0] + "/",
        "end": history["history"][0],
        "last": next((each["change"] for each in history["history"] if _holds(each)), None),
    }
    return publish_page(
        request,
        "console/document_gone.html",
        context,
        [Acquired(tab.access, notes=_notes(history))],
        fragment="path_history",
        status=_missing(request),
    )


def _missing(request: ConsoleRequest) -> int:
    """404 for the page; more rows of its history are there all the same."""
    return 200 if wants_fragment(request) else 404


def _holds(row: dict[str, Any]) -> bool:
    return row["change"].document_id is not None


def _notes(history: dict[str, Any]) -> list[str]:
    """The versions whose messages the history of a path shows."""
    changes = (row["change"] for row in history["history"])
    return [change.version_id for change in changes if change.message is not None]


def _add_blame(
    request: ConsoleRequest, tab: Tab, shown: DocumentAt, context: dict[str, Any]
) -> Acquired:
    """Put the writer of each line into the context; tell which texts that was found in."""
    blame = blame_document(shown)
    workspace_id = request.caller.workspace_id
    context["blamed"] = list(blamed_ranges(workspace_id, context["lines"], blame.ranges))
    return Acquired(tab.access, blame.bodies, expires_at=blame.expires_at)


def canonical_state(tab: Tab, shown: DocumentAt) -> str:
    """How canonical's content at this path compares: `same`, `changed` or `gone`."""
    if shown.version_id == tab.access.store.canonical_id:
        return "same"
    try:
        current = read_document(shown.store_id, shown.path)
    except NotFound:
        return "gone"
    return "same" if current.content_sha256 == shown.content_sha256 else "changed"


def _views(request: ConsoleRequest, shown: DocumentAt) -> dict[str, Any]:
    """The rendered, the source or the blame view, whichever the address asks for."""
    if shown.text is None:
        return {"view": "erased"}
    renders = shown.media_type == MARKDOWN
    view = _view(request.GET.get("view"), renders=renders)
    found = scan(shown.text)
    source = document_url(shown.store_id, shown.path, shown.version_id, view="source")
    context: dict[str, Any] = {
        "view": view,
        "renders": renders,
        "safety": report_on_text(found, shown.path, source if view == "rendered" else ""),
    }
    if view == "rendered":
        resolve = linked_documents(shown.store_id, shown.path, shown.version_id)
        context["rendered"] = SafeString(markdown.render(shown.text, resolve))
    else:
        context["lines"] = list(_spelled_lines(shown.text, notes_on(found)))
        context["source"] = source_rows(context["lines"]) if view == "source" else ""
        context["ends_with_newline"] = shown.text.endswith("\n") or not shown.text
    return context


def _view(asked: str | None, *, renders: bool) -> str:
    if asked == "blame" or (asked == "source" and renders):
        return asked
    return "rendered" if renders else "source"


def _spelled_lines(text: str, notes: Notes) -> Iterator[SafeString]:
    for number, line in enumerate(_lines(text), start=1):
        yield visible_text(line) + notes.get(number, SafeString(""))


def _lines(text: str) -> list[str]:
    """Lines end at LF only; the last LF ends a line and begins none."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _history(request: ConsoleRequest, store_id: str, path: str, version_id: str) -> dict[str, Any]:
    """The changes of a path up to the version shown, and where older ones continue."""
    found = path_history(
        store_id,
        path,
        version_id,
        before=version_parameter(request, "before"),
        limit=HISTORY_SIZE + 1,
    )
    changes = found[:HISTORY_SIZE]
    actors = [(change.actor.actor_kind, change.actor.actor_uuid) for change in changes]
    names = Names(request.caller.workspace_id, actors)
    return {
        "history": [{"change": each, "actor": names.actor(each.actor)} for each in changes],
        "older": changes[-1].version_id if len(found) > HISTORY_SIZE else None,
    }
