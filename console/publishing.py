"""Reading is publishing, for pages too: render, look once more, then send (contract R5)."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse

from console.responses import render_page
from memory.publication import Acquired, recheck


def publish_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    acquired: Iterable[Acquired],
    *,
    fragment: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render a page that releases content, then check that all of it may still be released.

    Raises what `recheck` raises; the page that was rendered is dropped then.
    """
    response = render_page(request, template, context, fragment=fragment, status=status)
    for each in acquired:
        recheck(each)
    return response
