"""The audit log, for admins: every mutation, with who asked and for whom."""

from typing import Any

from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from console.access import for_admin
from console.naming import Names
from console.pages import slice_by_id
from console.parsing import words_parameter
from console.people import ConsoleRequest
from console.responses import render_page
from tenancy import queries
from wire import ids
from wire.errors import Malformed


@require_safe
@for_admin
def log(request: ConsoleRequest) -> HttpResponseBase:
    """Entries, newest first; of one target or one kind of event when asked."""
    target, event = words_parameter(request, "target"), words_parameter(request, "event")
    rows = queries.audit_entries(
        request.caller, target_id=_identifier(target), event=event or None
    ).order_by("-id")
    page = slice_by_id(rows, request.GET.get("page"))
    context = {
        "rows": _named(request, page.rows),
        "next_page": page.next_page,
        "target": target,
        "event": event,
    }
    return render_page(request, "console/access/audit.html", context, fragment="rows")


def _identifier(text: str) -> str | None:
    if not text:
        return None
    try:
        ids.uuid_from_id(text)
    except ids.MalformedId as error:
        raise Malformed(f"target: {error}.") from error
    return text


def _named(request: ConsoleRequest, entries: Any) -> list[dict[str, Any]]:
    names = Names(
        request.caller.workspace_id,
        [
            reference
            for entry in entries
            for reference in (
                (entry.actor_kind, entry.actor_uuid),
                ("principal", entry.acting_principal_uuid),
                (entry.target_kind, entry.target_uuid),
            )
        ],
    )
    return [
        {
            "entry": entry,
            "actor": names.of(entry.actor_kind, entry.actor_uuid),
            "acting": _acting(names, entry),
            "target": names.of(entry.target_kind, entry.target_uuid),
        }
        for entry in entries
    ]


def _acting(names: Names, entry: Any) -> Any:
    """The principal that was acted for, when it is not the actor itself."""
    if entry.acting_principal_uuid in (None, entry.actor_uuid):
        return None
    return names.of("principal", entry.acting_principal_uuid)
