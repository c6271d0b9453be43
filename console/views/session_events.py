"""The log of a Session."""

from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from console.door import for_person, versioned
from console.parsing import event_filters, position_parameter
from console.people import ConsoleRequest
from console.publishing import publish_sessions_page
from console.responses import wants_fragment
from console.sessions.events import newer_page, older_page
from console.sessions.pages import SessionShell, open_shell
from console.sessions.words import EVENTS
from sessions.queries.events import EventFilters


@require_safe
@for_person
@versioned
def events(request: ConsoleRequest, session_id: str) -> HttpResponseBase:
    """What happened, newest first. The page asks for more at either end."""
    shell = open_shell(request, session_id, "session-events")
    shell.access.require_read()
    filters, after = event_filters(request), position_parameter(request, "after")
    if after is not None and wants_fragment(request):
        return _newer(request, shell, filters, after)
    before = position_parameter(request, "before")
    page = older_page(request.caller, session_id, filters, before)
    context = shell.context | {
        "log": page,
        "filters": filters,
        "kinds": [(kind, title) for kind, (title, _) in EVENTS.items()],
        "follows": before is None and shell.context["is_active"],
    }
    return publish_sessions_page(
        request,
        "console/session/events.html",
        context,
        shell.read(page.stores.values()),
        fragment="rows",
    )


def _newer(
    request: ConsoleRequest, shell: SessionShell, filters: EventFilters, after: int
) -> HttpResponse:
    """What has happened since; nothing at all when nothing has."""
    page = newer_page(request.caller, shell.session.id, filters, after)
    if not page.rows:
        return HttpResponse(status=204)
    context = shell.context | {"log": page, "follows": shell.context["is_active"]}
    return publish_sessions_page(
        request,
        "console/session/events.html",
        context,
        shell.read(page.stores.values()),
        fragment="rows",
    )
