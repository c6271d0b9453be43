"""Re-proposing on today's canonical, and deciding what both sides changed (contract P4)."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.door import for_person, versioned
from console.parsing import version_in
from console.people import ConsoleRequest
from console.proposals.diffs import may_be_replayed
from console.proposals.merging import MergePage, drafts_in, merge_page
from console.publishing import publish_page
from console.responses import redirect
from console.views.proposals import REFUSED, Review, open_review, review_page
from memory.trees.hashing import HashError
from proposals.actions.repropose import NO_CHOICES, repropose
from proposals.publication import acquire_proposals
from proposals.replays.choices import Choices
from proposals.replays.merges import acquire_merges
from proposals.replays.replaying import Trial, replay_on
from tenancy.models import Permission
from wire.errors import ApiError, Conflict, Malformed


@require_POST
@for_person
@versioned
def propose_again(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """Replay the change on today's canonical as a new Proposal; conflicts are shown to decide."""
    review = open_review(request, proposal_id)
    try:
        return _repropose(request, review, NO_CHOICES)
    except REFUSED as error:
        fresh = open_review(request, proposal_id)
        trial = _trial(fresh) if isinstance(error, Conflict) else None
        if trial and trial.conflicts:
            return _page(request, fresh, merge_page(trial), invited=True, status=error.status)
        return review_page(request, fresh, error)


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def merge(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """Look at what both sides changed, decide each path, and re-propose exactly that."""
    review = open_review(request, proposal_id)
    review.tab.access.require(Permission.WRITE)
    review.tab.access.require_active()
    trial = _trial(review)
    if trial is None or not trial.conflicts:
        messages.info(request, "Nothing of this Proposal is in conflict with canonical.")
        return redirect(request, reverse("console:proposal", args=[proposal_id]))
    if request.method == "GET":
        return _page(request, review, merge_page(trial))
    if version_in(request.POST, "canonical_version") != trial.canonical_id:
        moved = Conflict("Canonical moved since you looked. These are the conflicts with it now.")
        return _page(request, review, merge_page(trial, drafts=drafts_in(request.POST)), moved)
    page = merge_page(trial, request.POST)
    if not page.is_valid or "preview" in request.POST:
        return _page(request, review, page, status=200 if page.is_valid else 422)
    try:
        return _repropose(request, review, _choices(page))
    except REFUSED as error:
        fresh = _trial(open_review(request, proposal_id)) or trial
        return _page(request, review, merge_page(fresh, drafts=drafts_in(request.POST)), error)


def _repropose(request: ConsoleRequest, review: Review, choices: Choices) -> HttpResponse:
    made = repropose(access=review.tab.access, proposal_id=review.proposal.id, choices=choices)
    words = "as you resolved it" if choices.by_path else "the same change"
    messages.success(request, f"This is {words} on today's canonical. Review it anew.")
    return redirect(request, reverse("console:proposal", args=[made.proposal_id]))


def _trial(review: Review) -> Trial | None:
    """The change on canonical as it is now; None when there is no replaying it any more."""
    if not may_be_replayed(review.view):
        return None
    return replay_on(review.proposal, review.view.canonical_id)


def _choices(page: MergePage) -> Choices:
    try:
        return page.choices
    except HashError as error:
        raise Malformed(f"content_sha256: {error}.") from error


def _page(
    request: ConsoleRequest,
    review: Review,
    page: MergePage,
    refusal: ApiError | None = None,
    *,
    invited: bool = False,
    status: int = 200,
) -> HttpResponse:
    context = review.tab.context | {
        "proposal": review.proposal,
        "page": page,
        "refusal": refusal,
        "invited": invited,
    }
    access = review.tab.access
    acquired = [acquire_merges(access, page.merges), acquire_proposals(access, [review.view])]
    return publish_page(
        request,
        "console/proposal_merge.html",
        context,
        acquired,
        status=refusal.status if refusal else status,
    )
