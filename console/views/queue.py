"""Home: the review queue of the person who is signed in."""

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from console.access import for_person, versioned
from console.parsing import store_parameter, words_parameter
from console.people import ConsoleRequest
from console.proposals.rows import rows_of
from console.publishing import publish_overview
from console.responses import render_page
from memory.access import listable_stores
from memory.publication import Held
from proposals.publication import words_held
from proposals.queries.filters import Filters
from proposals.queries.queue import Section, review_queue

LENGTH = 50


@require_safe
@for_person
@versioned
def queue(request: ConsoleRequest) -> HttpResponseBase:
    """What waits for this person first, then what is theirs, then the rest and the decided."""
    filters = Filters(
        store=store_parameter(request, "store"),
        text=words_parameter(request) or None,
        path=words_parameter(request, "path") or None,
    )
    return publish_overview(request, lambda: _page(request, filters))


def _page(request: ConsoleRequest, filters: Filters) -> tuple[HttpResponse, list[Held]]:
    found = review_queue(request.caller, filters, length=LENGTH)
    sections = [
        _section(request, "waiting", "Waiting for you", found.waiting),
        _section(request, "mine", "Opened by you", found.mine),
        _section(request, "others", "Open, for others to decide", found.others),
        _section(request, "decided", "Recently decided", found.decided),
    ]
    context = {
        "sections": sections,
        "filters": filters,
        "is_filtered": filters != Filters(),
        "stores": listable_stores(request.caller).order_by("name").values_list("id", "name"),
    }
    response = render_page(request, "console/queue.html", context, fragment="results")
    return response, [words_held(view.proposal for view in found.views)]


def _section(request: ConsoleRequest, name: str, title: str, section: Section) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "rows": rows_of(request.caller.workspace_id, section.views),
        "has_more": section.has_more,
    }
