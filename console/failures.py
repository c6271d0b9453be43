"""Refusals as pages in the Console's own design, and as fragments for htmx."""

import sys
from collections.abc import Mapping
from typing import Any, cast

from django.http import HttpRequest, HttpResponse

from console.people import ConsoleRequest, enter
from console.responses import htmx_of, render_page
from wire import errors
from wire.handler import as_api_error, error_response

NOTICES = "#notices"

TITLES: Mapping[type[errors.ApiError], str] = {
    errors.Malformed: "That request does not make sense here",
    errors.RangeTooLarge: "That is more than one page can show",
    errors.DisabledTenancy: "This account is disabled",
    errors.AuthorizationUnavailable: "Your permissions cannot be checked now",
    errors.PolicyDenied: "You may not do that",
    errors.ReadOnly: "This store takes no such change",
    errors.NotFound: "There is nothing here",
    errors.Conflict: "Somebody was faster",
    errors.Fenced: "This part is switched off",
    errors.BackendUnavailable: "The store is not available now",
    errors.BudgetExceeded: "Too many requests",
    errors.Internal: "Something went wrong on our side",
}


def render_failure(
    request: HttpRequest, error: errors.ApiError, extra: Mapping[str, Any] | None = None
) -> HttpResponse:
    """Render an error of the catalogue with its own status.

    A fragment goes to the page's notices, wherever the request meant to put its answer, so
    that what the person typed stays on the screen.
    """
    context = {
        "error": error,
        "title": TITLES.get(type(error), "That did not work"),
        "anchor": error_anchor(error.type),
        "is_fenced": isinstance(error, errors.Fenced),
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
