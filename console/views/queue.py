"""Home: the review queue of the person who is signed in."""

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from console.door import for_person, versioned
from console.forms.saved_views import KeepViewForm
from console.people import ConsoleRequest
from console.proposals.deciding import MOST_AT_ONCE
from console.proposals.filtering import (
    authors_offered,
    filters_in,
    parameters_of,
    queue_url,
    section_in,
)
from console.proposals.rows import rows_of
from console.publishing import publish_overview
from console.responses import redirect, render_page
from memory.access import listable_stores
from memory.publication import Held
from proposals.models import ProposalStatus
from proposals.publication import words_held
from proposals.queries.filters import EVERYTHING, Filters
from proposals.queries.queue import Section, SectionName, queue_section, review_queue
from proposals.queries.rows import ProposalView
from proposals.queries.saved_views import filters_of, saved_views

LENGTH = 50

TITLES = {
    SectionName.WAITING: "Waiting for you",
    SectionName.MINE: "Opened by you",
    SectionName.OTHERS: "Open, for others to decide",
    SectionName.DECIDED: "Recently decided",
}


@require_safe
@for_person
@versioned
def queue(request: ConsoleRequest) -> HttpResponseBase:
    """What waits for this person first, then what is theirs, then the rest and the decided.

    An address that says nothing is that of the person's default view, if they have one.
    """
    if not request.GET:
        default = next((view for view in saved_views(request.caller) if view.is_default), None)
        if default:
            return redirect(request, queue_url(filters_of(default)))
    filters, section = filters_in(request.GET), section_in(request)
    return publish_overview(request, lambda: _page(request, filters, section))


def _page(
    request: ConsoleRequest, filters: Filters, alone: SectionName | None
) -> tuple[HttpResponse, list[Held]]:
    found = _sections(request, filters, alone)
    views = [view for section in found.values() for view in section.views]
    context = {
        "sections": [
            _section(request, name, section)
            for name, section in found.items()
            if section.views or _is_expected(name, filters, alone)
        ],
        "alone": alone,
        "most_at_once": MOST_AT_ONCE,
        **_form(request, filters),
    }
    response = render_page(request, "console/queue.html", context, fragment="results")
    return response, [words_held(view.proposal for view in views)]


def _sections(
    request: ConsoleRequest, filters: Filters, alone: SectionName | None
) -> dict[SectionName, Section]:
    if alone:
        page = request.GET.get("page") or None
        one = queue_section(request.caller, alone, filters, page=page, length=LENGTH)
        return {alone: one}
    whole = review_queue(request.caller, filters, length=LENGTH)
    return {name: getattr(whole, name) for name in SectionName}


def _is_expected(name: SectionName, filters: Filters, alone: SectionName | None) -> bool:
    """Whether a section is there although it is empty."""
    if alone:
        return True
    if filters.status in {None, ProposalStatus.OPEN}:
        return name is SectionName.WAITING
    return name is SectionName.DECIDED


def _form(request: ConsoleRequest, filters: Filters) -> dict[str, Any]:
    """What the form offers, and the views that were made with it."""
    views = [
        {"view": view, "url": queue_url(filters_of(view)), "is_here": filters_of(view) == filters}
        for view in saved_views(request.caller)
    ]
    return {
        "filters": filters,
        "parameters": parameters_of(filters),
        "is_filtered": filters != EVERYTHING,
        "stores": listable_stores(request.caller).order_by("name").values_list("id", "name"),
        "authors": authors_offered(request.caller, filters.author),
        "statuses": ProposalStatus,
        "views": views,
        "everything": queue_url(EVERYTHING),
        "here": next((each["view"] for each in views if each["is_here"]), None),
        "save_form": KeepViewForm(auto_id="save-%s"),
    }


def _section(request: ConsoleRequest, name: SectionName, section: Section) -> dict[str, Any]:
    shown: tuple[ProposalView, ...] = section.views
    return {
        "name": name,
        "title": TITLES[name],
        "rows": rows_of(request.caller.workspace_id, shown),
        "total": section.total,
        "has_more": section.has_more,
        "next_page": section.next_page,
        "is_selectable": name is SectionName.WAITING,
    }
