"""Sessions: which there are, and what one mounts, reads, writes and did."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from console.door import for_person, versioned
from console.pages import slice_by_id
from console.people import ConsoleRequest
from console.publishing import publish_sessions_page
from console.responses import redirect
from console.sessions.pages import activity, mount_rows, open_shell, stores_of
from memory.access import open_store
from sessions.access import SessionAccess, open_session
from sessions.actions.sessions import archive_session
from sessions.actions.workingrefs import create_working_ref, release_working_ref
from sessions.models import Session
from sessions.publication import SessionsRead
from sessions.queries.sessions import sessions_for_list


@require_safe
@for_person
@versioned
def session_list(request: ConsoleRequest) -> HttpResponseBase:
    """One's own Sessions, or all that one may know of, newest first."""
    everybody, archived = bool(request.GET.get("all")), bool(request.GET.get("archived"))
    sessions = sessions_for_list(request.caller)
    if not everybody:
        sessions = sessions.filter(principal=request.principal.id)
    if not archived:
        sessions = sessions.filter(state=Session.State.ACTIVE)
    found = slice_by_id(sessions, request.GET.get("page"))
    context = {
        "rows": found.rows,
        "next_page": found.next_page,
        "everybody": everybody,
        "archived": archived,
    }
    accesses = [SessionAccess(request.caller, row, frozenset(row.granted)) for row in found.rows]
    read = SessionsRead(accesses)
    return publish_sessions_page(request, "console/sessions.html", context, read, fragment="rows")


@require_safe
@for_person
@versioned
def session(request: ConsoleRequest, session_id: str) -> HttpResponseBase:
    """What a Session mounts, and what it did last."""
    shell = open_shell(request, session_id, "session")
    rows = mount_rows(shell)
    stores = stores_of(rows)
    context = shell.context | {"rows": rows}
    if shell.access.may_read:
        found = activity(shell, rows)
        stores = found["stores"]
        context |= found
    return publish_sessions_page(
        request, "console/session/overview.html", context, shell.read(stores.values())
    )


@require_POST
@for_person
@versioned
def archive(request: ConsoleRequest, session_id: str) -> HttpResponse:
    """End a Session for good."""
    archive_session(access=open_session(request.caller, session_id))
    messages.success(request, "The Session is archived. Its keys stopped working; its refs stay.")
    return _back(request, session_id)


@require_POST
@for_person
@versioned
def pin(request: ConsoleRequest, session_id: str, store_id: str) -> HttpResponse:
    """Make a Session's working ref in a store, at canonical as it is now."""
    access = open_store(request.caller, store_id)
    create_working_ref(access=access, session_id=session_id)
    messages.success(request, "Canonical as it is now is kept for this Session.")
    return _back(request, session_id)


@require_POST
@for_person
@versioned
def release(request: ConsoleRequest, session_id: str, store_id: str) -> HttpResponse:
    """Let go of a Session's working ref in a store."""
    access = open_store(request.caller, store_id)
    release_working_ref(access=access, session_id=session_id)
    messages.success(request, "The working ref is released. Nothing was erased.")
    return _back(request, session_id)


def _back(request: ConsoleRequest, session_id: str) -> HttpResponse:
    return redirect(request, reverse("console:session", args=[session_id]))
