"""Deciding on several Proposals: all of them in full on one page, and what became of each."""

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import resolve_url
from django.views.decorators.http import require_http_methods

from console.door import for_person, versioned
from console.drawing.diffoptions import options_of, remember_layout
from console.people import ConsoleRequest
from console.proposals.deciding import chosen_ids, decide_each, load_items, rows_for
from console.publishing import acquire_diff, publish_overview, publish_page
from console.responses import redirect, render_page
from memory.publication import Held
from proposals.publication import acquire_proposals, words_held


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def decide_several(request: ConsoleRequest) -> HttpResponseBase:
    """Show the chosen Proposals; decide on those for which a decision is sent."""
    if request.method == "POST":
        return _results(request)
    chosen = chosen_ids(request.GET.getlist("proposal"))
    if not chosen:
        return redirect(request, resolve_url("console:queue"))
    options = options_of(request)
    items = load_items(request, chosen, options)
    shared = [item.proposal.store_id for item in items if item.may_approve]
    context = {
        "items": items,
        "missing": len(chosen) - len(items),
        "decidable": sum(item.may_reject or item.may_approve for item in items),
        "shares_a_store": len(set(shared)) < len(shared),
        "address": request.path,
        "options": options,
    }
    acquired = [
        each
        for item in items
        for each in (
            acquire_diff(item.access, item.diff),
            acquire_proposals(item.access, [item.view]),
        )
    ]
    response = publish_page(request, "console/decide.html", context, acquired)
    remember_layout(request, response)
    return response


def _results(request: ConsoleRequest) -> HttpResponse:
    """Each Proposal on which something was decided, with what became of that.

    Sent again, the same decisions are answered alike: none is made twice.
    """
    chosen = chosen_ids(request.POST.getlist("proposal"))
    results = decide_each(request, chosen, request.POST)

    def render() -> tuple[HttpResponse, list[Held]]:
        rows = rows_for(request, [result.proposal_id for result in results])
        by_id = {row.view.proposal.id: row for row in rows}
        context = {
            "results": [(result, by_id.get(result.proposal_id)) for result in results],
            "left": len(chosen) - len(results),
        }
        response = render_page(request, "console/decided.html", context)
        return response, [words_held(row.view.proposal for row in rows)]

    return publish_overview(request, render)
