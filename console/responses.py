"""Answers of the Console: a page or its fragment, and redirects that htmx follows too."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.encoding import iri_to_uri
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from console.drawing.revealing import reveal_page


def render_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    fragment: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render a whole page, or for htmx only the named partial of the same template.

    Args:
        fragment: a `partialdef` of the template; the DOM id that htmx replaces has its name.
        status: honest also for fragments; the client is configured to swap 4xx it expects.
    """
    name = f"{template}#{fragment}" if fragment and wants_fragment(request) else template
    html = reveal_page(render_to_string(name, context, request))
    response = HttpResponse(html, status=status)
    patch_vary_headers(response, ["HX-Request"])
    response["Cache-Control"] = "no-store"
    return response


def wants_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part; a restore from history needs the whole page."""
    htmx = htmx_of(request)
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """What django-htmx's middleware found out about the request."""
    found: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    return found


def redirect(request: HttpRequest, url: str) -> HttpResponse:
    """Send the browser to `url` as a whole page: 303, or HX-Redirect under htmx."""
    if htmx_of(request):
        return HttpResponseClientRedirect(url)
    # What a form sent along may hold characters that no header can carry.
    return HttpResponse(status=303, headers={"Location": iri_to_uri(url)})
