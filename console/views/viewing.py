"""Ticking files off while reading them."""

from typing import Any

from django.http import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.door import for_person, versioned
from console.drawing.diffs import FileDiff
from console.people import ConsoleRequest
from console.proposals.viewing import load_progress
from console.publishing import publish_page
from console.responses import redirect, wants_fragment
from console.views.proposals import Review, open_review
from memory.documents.paths import PathError, parse_path
from memory.publication import Acquired
from memory.queries.diffs import tree_diff
from memory.trees.diffs import PathChange
from proposals.actions.viewings import mark_viewed
from wire.errors import Malformed


@require_POST
@for_person
@versioned
def mark(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """Mark a file as viewed, or all of them; or as not viewed."""
    review = open_review(request, proposal_id)
    path, viewed = _path(request), request.POST.get("viewed") == "yes"
    mark_viewed(access=review.tab.access, proposal_id=proposal_id, path=path, viewed=viewed)
    changes = tree_diff(review.proposal.base_id, review.proposal.head_id)
    place = _number(changes, path)
    if path and wants_fragment(request):
        return _box(request, review, changes, place)
    page = reverse("console:proposal", args=[proposal_id])
    return redirect(request, f"{page}#{f'file-{place}' if path else 'diffs'}")


def _path(request: ConsoleRequest) -> str | None:
    text = request.POST.get("path")
    try:
        return parse_path(text) if text else None
    except PathError as error:
        raise Malformed(f"path: {error}.") from error


def _number(changes: tuple[PathChange, ...], path: str | None) -> int:
    """The place of a path in the diff, from 1."""
    places = (number for number, each in enumerate(changes, start=1) if each.path == path)
    return next(places, 1)


def _box(
    request: ConsoleRequest, review: Review, changes: tuple[PathChange, ...], number: int
) -> HttpResponseBase:
    context: dict[str, Any] = review.tab.context | {
        "proposal": review.proposal,
        "file": FileDiff(number, changes[number - 1], None),
        "progress": load_progress(request, review.tab.access, changes),
    }
    acquired = [Acquired(review.tab.access)]
    return publish_page(request, "console/proposal_viewed.html", context, acquired, fragment="box")
