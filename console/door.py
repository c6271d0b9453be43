"""The door of the Console: members come in, and what is refused becomes a page."""

import functools
from collections.abc import Callable
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from psycopg_pool import PoolTimeout

from console.failures import remember_person, render_failure
from console.people import ConsoleRequest, act_as, enter
from console.responses import htmx_of, redirect
from tenancy.models import Principal
from wire.errors import ApiError, NotFound, PolicyDenied
from wire.handler import as_api_error
from wire.versioning import require_versioned_surface

HANDLED = (ApiError, OperationalError, InterfaceError, PoolTimeout)

type View = Callable[..., HttpResponseBase]
"""A view whose first argument is a ConsoleRequest; the rest comes from the route."""


def for_person(view: View) -> View:
    """Let signed-in members in, and render what the rooms below refuse as a page.

    Visitors are sent to the sign-in page and brought back afterwards.
    """

    @functools.wraps(view)
    def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        person = cast("ConsoleRequest", request)
        try:
            if not request.user.is_authenticated:
                return _to_sign_in(request)
            enter(person)
            return view(person, *args, **kwargs)
        except NotFound as error:
            elsewhere = _answers_elsewhere(person, view, *args, **kwargs)
            return render_failure(request, error, {"elsewhere": elsewhere})
        except HANDLED as error:
            return render_failure(request, as_api_error(error))

    return run


def for_visitor(view: View) -> View:
    """Let everybody in, and render what the rooms below refuse as a page.

    Who is signed in is known to the page, and nothing hangs on it.
    """

    @functools.wraps(view)
    def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            remember_person(request)
            return view(request, *args, **kwargs)
        except HANDLED as error:
            return render_failure(request, as_api_error(error))

    return run


def for_admin(view: View) -> View:
    """Like `for_person`, for Workspace admins only."""

    @for_person
    @functools.wraps(view)
    def run(request: ConsoleRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.caller.is_admin:
            raise PolicyDenied("This page is for admins of the Workspace.")
        return view(request, *args, **kwargs)

    return run


def versioned(view: View) -> View:
    """Close a view while the versioned surface is fenced, before it looks anything up."""

    @functools.wraps(view)
    def run(request: ConsoleRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        require_versioned_surface()
        return view(request, *args, **kwargs)

    return run


def _answers_elsewhere(
    request: ConsoleRequest, view: View, *args: Any, **kwargs: Any
) -> Principal | None:
    """Another membership for which the same address answers: a link from a colleague.

    The view itself decides, so nothing is told that the person could not open anyway.
    """
    if request.method != "GET":
        return None
    here = request.principal
    try:
        for other in request.memberships:
            if other != here and _answers_for(request, other, view, *args, **kwargs):
                return other
    finally:
        act_as(request, here)
    return None


def _answers_for(
    request: ConsoleRequest,
    principal: Principal,
    view: View,
    *args: Any,
    **kwargs: Any,
) -> bool:
    act_as(request, principal)
    try:
        return view(request, *args, **kwargs).status_code < 400
    except HANDLED:
        return False


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """Ask to sign in; a fragment's reader is brought back to the page it was part of."""
    htmx = htmx_of(request)
    if htmx:
        back = htmx.current_url_abs_path or reverse("console:queue")
        return redirect(request, redirect_to_login(back).url)
    if request.method != "GET":
        return redirect_to_login(reverse("console:queue"))
    return redirect_to_login(request.get_full_path())
