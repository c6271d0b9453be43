"""Reading is publishing, for pages too: render, look once more, then send (contract R5)."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from console.drawing.diffs import Diff
from console.people import ConsoleRequest
from console.responses import render_page
from memory.access import StoreAccess
from memory.publication import Acquired, Held, recheck
from sessions.publication import SessionsRead, recheck_sessions
from tenancy.recheck import recheck_authority
from wire.errors import AuthorizationUnavailable

ATTEMPTS: Final = 3


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


def publish_sessions_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    read: SessionsRead,
    *,
    fragment: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render a page about Sessions, then check that all of it may still be released.

    Raises what `recheck_sessions` raises; the page that was rendered is dropped then.
    """
    response = render_page(request, template, context, fragment=fragment, status=status)
    recheck_sessions(read)
    return response


def publish_overview(
    request: ConsoleRequest, render: Callable[[], tuple[HttpResponse, Iterable[Held]]]
) -> HttpResponse:
    """Render what a person may see of all stores.

    It is rendered anew when anybody's authority changed meanwhile, or some of it was erased.

    Args:
        render: returns the page, and the words that it holds.

    Raises:
        InvalidKey, DisabledTenancy: the person may see nothing any more.
        AuthorizationUnavailable: something changed at each attempt; retry.
    """
    for _ in range(ATTEMPTS):
        (response, held), before = render(), request.caller.authority_epoch
        request.caller = recheck_authority(request.caller)
        if request.caller.authority_epoch == before and all(each.is_intact() for each in held):
            return response
    raise AuthorizationUnavailable("Permissions keep changing. Reload the page.")


def acquire_diff(access: StoreAccess, diff: Diff | None) -> Acquired:
    """The texts that a page's diff shows, for the publication recheck."""
    if diff is None:
        return Acquired(access)
    return Acquired(access, bodies=diff.body_ids, expires_at=diff.expires_at)
