"""The audit log, for admins: every mutation, with who asked and for whom."""

from typing import Any

from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from console.door import for_admin
from console.forms.audit import NOUNS, AuditForm
from console.naming import Names
from console.pages import slice_by_id
from console.people import ConsoleRequest
from console.responses import render_page
from tenancy import queries


@require_safe
@for_admin
def log(request: ConsoleRequest) -> HttpResponseBase:
    """Entries, newest first; of one target, kind of event, person or time when asked."""
    form = AuditForm(request.GET, actors=_actors(request))
    context: dict[str, Any] = {"form": form, "is_filtered": False, "nouns": NOUNS}
    if form.is_valid():
        wanted = form.cleaned_data
        rows = queries.audit_entries(
            request.caller,
            target_id=wanted["target"] or None,
            event=wanted["event"] or None,
            by=wanted["by"] or None,
            days=(wanted["since"], wanted["until"]),
        )
        page = slice_by_id(rows.order_by("-id"), request.GET.get("page"))
        context |= {
            "rows": _named(request, page.rows),
            "next_page": page.next_page,
            "is_filtered": any(wanted.values()),
        }
    return render_page(
        request, "console/access/audit.html", context, fragment="rows", status=form.status
    )


def _actors(request: ConsoleRequest) -> list[Any]:
    """Everybody who may have done something, as grouped choices."""
    kinds = (
        ("People and services", queries.principals(request.caller)),
        ("API keys", queries.api_keys(request.caller)),
    )
    return [(label, list(rows.order_by("name").values_list("id", "name"))) for label, rows in kinds]


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
