"""Refusals as pages in the Console's own design, and as fragments for htmx."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme

from console.people import ConsoleRequest, enter
from console.responses import htmx_of, render_page
from wire import errors
from wire.handler import as_api_error, error_response
from wire.requestids import current_request_id

NOTICES = "#notices"

STORE = re.compile(r"\bmemstore_[0-9a-f]{32}\b")


@dataclass(frozen=True, slots=True)
class Words:
    """A failure as a person needs it: what happened, in a title, and what to do about it."""

    title: str
    what_to_do: str


WORDS: Mapping[type[errors.ApiError], Words] = {
    errors.Malformed: Words(
        "That request does not make sense here",
        "An address may have been cut short or typed. Go back and follow the link again.",
    ),
    errors.RangeTooLarge: Words(
        "That is more than one page can show", "Go back and ask for less of it."
    ),
    errors.DisabledTenancy: Words(
        "This account is disabled", "An admin of the Workspace can enable it again."
    ),
    errors.AuthorizationUnavailable: Words(
        "Your permissions cannot be checked now",
        "Nothing was shown and nothing was changed. Reload the page in a moment.",
    ),
    errors.PolicyDenied: Words(
        "You may not do that",
        "Nothing was changed. Whoever may change access can give you what is missing.",
    ),
    errors.ReadOnly: Words(
        "This store takes no such change",
        "Nothing was changed. The settings of the store say why, and who may change that.",
    ),
    errors.NotFound: Words(
        "There is nothing here",
        "It may have been erased, it may be in another Workspace, or you may not read it; these"
        " look alike on purpose. Check the address, or ask whoever sent it for access.",
    ),
    errors.Conflict: Words(
        "Somebody was faster",
        "Nothing was changed. Go back, reload the page to see how it stands now, and decide again.",
    ),
    errors.Fenced: Words(
        "This part is switched off",
        "Whoever runs this server has fenced everything that needs versions: documents and their"
        " history, Proposals, search, exports, retention and erasure. Nothing is lost, and it is"
        " all here again when the fence goes down. Settings of stores, access, keys and jobs work"
        " meanwhile.",
    ),
    errors.BackendUnavailable: Words(
        "The store is not available now",
        "Reload the page in a moment. If you were sending a form, look first whether it arrived.",
    ),
    errors.BudgetExceeded: Words("Too many requests", "Wait a moment, then reload the page."),
    errors.Internal: Words(
        "Something went wrong on our side",
        "Try it once more. If it happens again, tell whoever runs this server the reference; it"
        " leads them to what failed.",
    ),
}

OTHERWISE = Words("That did not work", "Go back and try it another way.")


def render_failure(
    request: HttpRequest, error: errors.ApiError, extra: Mapping[str, Any] | None = None
) -> HttpResponse:
    """Render an error of the catalogue with its own status.

    A fragment goes to the page's notices, wherever the request meant to put its answer, so
    that what the person typed stays on the screen.
    """
    store = STORE.search(error.message)
    context = {
        "error": error,
        "words": WORDS.get(type(error), OTHERWISE),
        "anchor": error_anchor(error.type),
        "is_failure": True,
        "is_fenced": isinstance(error, errors.Fenced),
        "denied_on": store[0] if store and isinstance(error, errors.PolicyDenied) else None,
        "back": _came_from(request),
        "request_id": current_request_id.get(),
        **(extra or {}),
    }
    response = render_page(
        request, "console/failure.html", context, fragment="notice", status=error.status
    )
    if htmx_of(request):
        response["HX-Retarget"] = NOTICES
        response["HX-Reswap"] = "innerHTML show:window:top"
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response


def _came_from(request: HttpRequest) -> str | None:
    """The page of this very site from which the person came, unless it is this one."""
    came = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(
        came, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return came if ours and came != request.build_absolute_uri() else None


def error_anchor(error_type: str) -> str:
    """The fragment of the error reference that explains a type (contract §0)."""
    return error_type.replace(".", "-").replace("_", "-")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Django's 404: an address that is no route, or a file that is not there."""
    return _answer(request, errors.NotFound("There is nothing at this address."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Django's 403."""
    return _answer(request, errors.PolicyDenied("This is not allowed."))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Django's 400: a request that was refused before any view saw it."""
    return _answer(request, errors.Malformed("The request could not be read."))


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's 500: an exception that no view handled. An outage is 503, a bug an incident."""
    error = as_api_error(cast("Exception", sys.exception()))
    if request.path.startswith("/v1/"):
        return error_response(error)
    return render_failure(request, error)


def csrf_failure(request: HttpRequest, **_: str) -> HttpResponse:
    """A form whose token is missing or old: most often a page left open over a sign-in."""
    return _answer(
        request,
        errors.PolicyDenied(
            "This form was opened before you signed in, or cookies are off."
            " Nothing was changed. Go back, reload the page and send it again."
        ),
    )


def _answer(request: HttpRequest, error: errors.ApiError) -> HttpResponse:
    if request.path.startswith("/v1/"):
        return error_response(error)
    try:
        remember_person(request)
    except errors.DisabledTenancy as disabled:
        return render_failure(request, disabled)
    return render_failure(request, error)


def remember_person(request: HttpRequest) -> None:
    """Show who is signed in on pages that visitors may see too.

    Raises DisabledTenancy as `enter` does.
    """
    if request.user.is_authenticated:
        enter(cast("ConsoleRequest", request))
