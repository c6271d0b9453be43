"""Picking files of a Proposal: a new one with just those."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.door import for_person, versioned
from console.forms.proposals import PickForm
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import redirect
from console.views.proposals import Review, open_review
from memory.queries.diffs import tree_diff
from proposals.actions.pick import pick_changes
from proposals.publication import acquire_proposals
from tenancy.models import Permission


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def pick(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """Choose files, and open a Proposal of them."""
    review = open_review(request, proposal_id)
    review.tab.access.require(Permission.WRITE)
    review.tab.access.require_active()
    proposal = review.proposal
    paths = [change.path for change in tree_diff(proposal.base_id, proposal.head_id)]
    form = PickForm(request.POST or None, paths=paths, initial={"title": proposal.title})
    made = _pick(request, review, form) if form.is_valid() else None
    if made is None:
        return _page(request, review, form)
    messages.success(request, "The Proposal of what you picked is open. The other one stays.")
    return redirect(request, reverse("console:proposal", args=[made]))


def _pick(request: ConsoleRequest, review: Review, form: PickForm) -> str | None:
    values = form.cleaned_data
    done = form.carry_out(
        lambda: pick_changes(
            access=review.tab.access,
            proposal_id=review.proposal.id,
            paths=values["paths"],
            title=values["title"],
            key=form.key(request),
        )
    )
    return done.proposal_id if done else None


def _page(request: ConsoleRequest, review: Review, form: PickForm) -> HttpResponse:
    context = review.tab.context | {"proposal": review.proposal, "form": form}
    acquired = [acquire_proposals(review.tab.access, [review.view])]
    return publish_page(
        request, "console/proposal_pick.html", context, acquired, status=form.status
    )
