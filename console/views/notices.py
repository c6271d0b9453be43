"""What a person was told: their notices, one by one."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from console.door import for_person, versioned
from console.mail_paths import ConsolePaths
from console.naming import Named, Names
from console.pages import slice_by_id
from console.parsing import number_in
from console.people import ConsoleRequest
from console.publishing import publish_overview
from console.responses import redirect, render_page
from memory.publication import Held
from notices.actions.reading import read_all_notices, read_notice
from notices.queries.notices import notices_of, unread_count
from proposals.publication import words_held


@dataclass(frozen=True, slots=True)
class Row:
    """A notice, and who did what it tells of."""

    notice: Any
    actor: Named


@require_safe
@for_person
@versioned
def notice_list(request: ConsoleRequest) -> HttpResponseBase:
    """A person's notices, the newest first; with `unread`, those alone."""
    return publish_overview(request, lambda: _page(request))


def _page(request: ConsoleRequest) -> tuple[HttpResponse, list[Held]]:
    rows, only_unread = notices_of(request.caller), bool(request.GET.get("unread"))
    found = slice_by_id(rows.filter(read_at=None) if only_unread else rows, request.GET.get("page"))
    names = Names(
        request.caller.workspace_id, [(each.actor_kind, each.actor_uuid) for each in found.rows]
    )
    context = {
        "rows": [Row(each, names.of(each.actor_kind, each.actor_uuid)) for each in found.rows],
        "next_page": found.next_page,
        "only_unread": only_unread,
        "unread": unread_count(request.caller),
        "newest": found.rows[0].id if found.rows else 0,
    }
    response = render_page(request, "console/notices.html", context, fragment="rows")
    return response, [words_held(each.proposal for each in found.rows)]


@require_POST
@for_person
@versioned
def open_notice(request: ConsoleRequest) -> HttpResponseBase:
    """Mark a notice as read and go to what it tells of."""
    notice = read_notice(caller=request.caller, notice_id=number_in(request.POST, "notice"))
    return redirect(request, ConsolePaths().proposal(notice.proposal_id, notice.comment_id))


@require_POST
@for_person
@versioned
def read_all(request: ConsoleRequest) -> HttpResponseBase:
    """Mark all notices as read that there were when the page was made."""
    read_all_notices(caller=request.caller, up_to=number_in(request.POST, "newest"))
    return redirect(request, reverse("console:notices"))
