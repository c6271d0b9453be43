"""One Proposal: what it changes, who may decide, the decision, and what happened to it."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HTMX_STOP_POLLING

from console.door import for_person, versioned
from console.drawing.diffoptions import options_of, paths_in, remember_layout
from console.drawing.diffs import redacted_in
from console.forms.comments import CommentForm
from console.forms.proposals import RespondForm
from console.naming import Names
from console.pages import slice_by_id
from console.parsing import status_parameter, words_parameter
from console.people import ConsoleRequest
from console.proposals.comments import Refused, Talks, asked_place, load_talks
from console.proposals.deciding import answer_of, may_reject
from console.proposals.diffs import ShownDiff, Which, load_shown, may_be_replayed, which_diff
from console.proposals.rows import rows_of
from console.proposals.rules import shown_approvals
from console.proposals.viewing import Progress, load_progress
from console.publishing import publish_page
from console.responses import redirect, wants_fragment
from console.views.store_shell import Tab, content_tab, open_tab
from memory.publication import Acquired
from memory.queries.diffs import tree_diff
from proposals.actions.comments import require_commenting
from proposals.actions.respond import respond
from proposals.actions.withdraw import withdraw_approval
from proposals.models import ProposalResponse, ProposalStatus
from proposals.publication import acquire_proposals, comments_held, words_held
from proposals.queries.filters import Filters, narrow
from proposals.queries.places import Place
from proposals.queries.rows import (
    ProposalView,
    describe,
    get_proposal,
    proposals_in,
    store_of_proposal,
)
from proposals.queries.timeline import timeline
from proposals.replays.replaying import replay_on
from wire.errors import ApiError, Conflict, Malformed, NotFound, PolicyDenied, ReadOnly

DRIFT_SHOWN = 20
"""Paths that moved since the base, named on the page."""

DIFFS = (
    (Which.REVIEWED, "Reviewed", "document-check"),
    (Which.DRIFT, "Drift", "arrows-right-left"),
    (Which.TRIAL, "Trial", "beaker"),
)

TICK_FIRST = (
    "Not all of the change was shown to you. Load what is left of it, or tick that you approve it"
    " all the same."
)

REFUSED = (Conflict, PolicyDenied, ReadOnly)
"""Refusals of a decision that the review page itself shows."""


@dataclass(frozen=True, slots=True)
class Review:
    """A Proposal before the person who looks at it."""

    tab: Tab
    view: ProposalView

    @property
    def proposal(self) -> Any:
        return self.view.proposal


@content_tab("proposals")
def store_proposals(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """The Proposals of one store, newest first."""
    status = status_parameter(request, "status")
    filters = Filters(status=status, text=words_parameter(request) or None)
    rows = narrow(proposals_in([tab.access.store_id], request.caller), filters).order_by("-id")
    found = slice_by_id(rows, request.GET.get("page"))
    views = describe(request.caller, found.rows)
    context = tab.context | {
        "rows": rows_of(request.caller.workspace_id, views),
        "next_page": found.next_page,
        "status": status,
        "statuses": ProposalStatus,
        "words": filters.text or "",
    }
    acquired = [acquire_proposals(tab.access, views)]
    return publish_page(request, "console/store/proposals.html", context, acquired, fragment="rows")


@require_safe
@for_person
@versioned
def proposal(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """The review page; for htmx the form that `?comment=` asks for, alone."""
    review = open_review(request, proposal_id)
    place = asked_place(request)
    if place and wants_fragment(request):
        return _comment_form(request, review, place)
    return review_page(request, review)


def _comment_form(request: ConsoleRequest, review: Review, place: Place) -> HttpResponse:
    require_commenting(review.tab.access)
    context = review.tab.context | {
        "form": CommentForm(),
        "place": place,
        "proposal": review.proposal,
    }
    acquired = [acquire_proposals(review.tab.access, [review.view])]
    return publish_page(request, "console/proposal_talk.html", context, acquired, fragment="form")


@require_safe
@for_person
@versioned
def state(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """What the review page polls: has canonical moved, has somebody decided?

    Answers 204 while nothing changed since `seen`, so that nothing on the page is disturbed.
    """
    review = open_review(request, proposal_id)
    context = _state_context(request, review)
    if request.GET.get("seen") == context["fingerprint"]:
        return HttpResponse(status=204)
    shown = which_diff(request, review.view)
    context |= review.tab.context | {
        "polled": True,
        "shown": shown,
        "unshown": _unshown(request, review) if shown is Which.REVIEWED else 0,
    }
    acquired = [acquire_proposals(review.tab.access, [review.view])]
    response = publish_page(
        request, "console/proposal_state.html", context, acquired, fragment="state"
    )
    if not review.proposal.is_open:
        response.status_code = HTMX_STOP_POLLING
    return response


@require_POST
@for_person
@versioned
def decide(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """Approve or reject exactly what was on the screen."""
    review = open_review(request, proposal_id)
    form = RespondForm(request.POST)
    if not form.is_valid():
        raise Malformed("The decision form is incomplete. Open the Proposal again.")
    values = form.cleaned_data
    unshown = _unshown(request, review) if values["response"] == ProposalResponse.APPROVE else None
    if unshown and not values["unshown"]:
        return review_page(request, review, Malformed(TICK_FIRST), note=values["note"])
    try:
        outcome = respond(
            access=review.tab.access,
            proposal_id=proposal_id,
            answer=answer_of(values, unshown=unshown),
        )
    except REFUSED as error:
        fresh = open_review(request, proposal_id)
        return review_page(request, fresh, error, note=values["note"])
    _tell(request, outcome.status)
    return redirect(request, reverse("console:proposal", args=[proposal_id]))


@require_POST
@for_person
@versioned
def withdraw(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """Take one's own approval back."""
    review = open_review(request, proposal_id)
    try:
        withdraw_approval(access=review.tab.access, proposal_id=proposal_id)
    except (*REFUSED, NotFound) as error:
        return review_page(request, open_review(request, proposal_id), error)
    messages.info(request, "Your approval is withdrawn.")
    return redirect(request, reverse("console:proposal", args=[proposal_id]))


def open_review(request: ConsoleRequest, proposal_id: str) -> Review:
    """Find a Proposal by its ID alone, in a store that the person may read.

    Raises:
        NotFound: there is none that they may know of.
        PolicyDenied: they administer the Workspace, and may not read the store (contract §0).
    """
    try:
        store_id = store_of_proposal(request.caller, proposal_id)
        tab = open_tab(request, store_id, "proposals")
        tab.access.require_content()
        return Review(tab, get_proposal(tab.access, proposal_id))
    except NotFound as error:
        raise NotFound("There is no such Proposal.") from error


def _unshown(request: ConsoleRequest, review: Review) -> int:
    """The changed files that the page held back, but for those that were loaded since."""
    if not review.proposal.is_open:
        return 0
    held_back = load_shown(review.view, Which.REVIEWED).diff.held_back_paths
    return len(set(held_back) - paths_in(request.POST.getlist("load")))


def _tell(request: ConsoleRequest, status: ProposalStatus) -> None:
    if status == ProposalStatus.APPROVED:
        messages.success(request, "Approved. Canonical is exactly the reviewed head now.")
    elif status == ProposalStatus.OPEN:
        messages.success(request, "Your approval is kept. Canonical moves once there are enough.")
    elif status == ProposalStatus.REJECTED:
        messages.info(request, "Rejected. Canonical stays as it was.")
    else:
        messages.warning(
            request,
            "Canonical had moved since this Proposal's base, so nothing was changed and the"
            " Proposal is superseded. Re-propose it on today's canonical.",
        )


def review_page(
    request: ConsoleRequest,
    review: Review,
    refusal: ApiError | None = None,
    refused: Refused | None = None,
    *,
    note: str = "",
) -> HttpResponse:
    """The review page, with a decision or a comment that was refused.

    Args:
        note: the words that were sent with the decision.
    """
    options = options_of(request)
    shown = load_shown(review.view, which_diff(request, review.view), options)
    talks = _talks(request, review, shown, refused)
    context = review.tab.context | {
        **_state_context(request, review),
        "address": reverse("console:proposal", args=[review.proposal.id]),
        "shown": shown.which,
        "diffs": DIFFS if may_be_replayed(review.view) else (),
        "diff": shown.diff,
        "conflicts": shown.conflicts,
        "conflicts_shown": DRIFT_SHOWN,
        "options": options,
        "row": rows_of(request.caller.workspace_id, [review.view])[0],
        "timeline": _timeline(request, review),
        "talks": talks,
        "unshown": shown.diff.held_back if shown.which is Which.REVIEWED else 0,
        "progress": _progress(request, review, shown),
        "refusal": refusal,
        "note": note,
    }
    acquired = Acquired(
        review.tab.access,
        bodies=shown.diff.body_ids,
        expires_at=shown.diff.expires_at,
        held=[words_held([review.proposal]), comments_held(talks.comments)],
    )
    status = refusal.status if refusal else refused.form.status if refused else 200
    response = publish_page(request, "console/proposal.html", context, [acquired], status=status)
    remember_layout(request, response)
    return response


def _progress(request: ConsoleRequest, review: Review, shown: ShownDiff) -> Progress | None:
    """How far the person has come with the reviewed diff."""
    if shown.which is not Which.REVIEWED:
        return None
    return load_progress(request, review.tab.access, shown.diff.changes)


def _talks(
    request: ConsoleRequest, review: Review, shown: ShownDiff, refused: Refused | None
) -> Talks:
    """What was said, with the files of the reviewed diff to say it in."""
    sent = refused.form.place if refused and isinstance(refused.form, CommentForm) else None
    return load_talks(
        request,
        review.tab.access,
        review.proposal,
        files=shown.diff.files if shown.which is Which.REVIEWED else (),
        asked=sent or asked_place(request),
        refused=refused,
    )


def _state_context(request: ConsoleRequest, review: Review) -> dict[str, Any]:
    """What can change while the page is open."""
    view, row = review.view, review.proposal
    unmet = [each for each in view.requirements if not each.satisfied]
    drift = tree_diff(row.base_id, view.canonical_id) if view.is_stale else ()
    return {
        "view": view,
        "proposal": row,
        "unmet": unmet,
        "may_reject": may_reject(view),
        "drift": drift,
        "redacted": redacted_in(view.canonical_id, drift[:DRIFT_SHOWN]),
        "drift_shown": DRIFT_SHOWN,
        "count_conflicts": partial(_count_conflicts, view),
        "changed_paths": _own_paths(view) if view.is_stale else frozenset(),
        "approvals": shown_approvals(request.caller.workspace_id, view),
        "fingerprint": _fingerprint(view),
    }


def _fingerprint(view: ProposalView) -> str:
    """What a page that is open compares: it changes with what the page would say anew."""
    given = len(view.tally.approvals)
    return f"{view.proposal.status}.{view.canonical_id}.{view.can_approve}.{given}"


def _count_conflicts(view: ProposalView) -> int:
    """Paths that re-proposing leaves to decide; counted only where the page tells it."""
    return len(replay_on(view.proposal, view.canonical_id).conflicts)


def _own_paths(view: ProposalView) -> frozenset[str]:
    changes = tree_diff(view.proposal.base_id, view.proposal.head_id)
    return frozenset(path for change in changes for path in (change.path, change.old_path) if path)


def _timeline(request: ConsoleRequest, review: Review) -> list[dict[str, Any]]:
    entries = timeline(review.proposal)
    names = Names(
        request.caller.workspace_id,
        [(entry.actor.actor_kind, entry.actor.actor_uuid) for entry in entries],
    )
    return [{"entry": entry, "actor": names.actor(entry.actor)} for entry in entries]
