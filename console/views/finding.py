"""One box for the whole Workspace: paste an identifier, or type a part of a name."""

from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from console.door import for_person, versioned
from console.finding import address_of, find, is_identifier
from console.parsing import words_parameter
from console.people import ConsoleRequest
from console.publishing import publish_overview
from console.responses import redirect, render_page
from memory.publication import Held

TEMPLATE = "console/find.html"


@require_safe
@for_person
@versioned
def find_page(request: ConsoleRequest) -> HttpResponseBase:
    """Go to what an identifier names; list what has the words in its name."""
    words = words_parameter(request)
    if not words:
        return render_page(request, TEMPLATE, {"words": words})
    address = address_of(request.caller, words)
    if address:
        return redirect(request, address)
    if is_identifier(words):
        return render_page(request, TEMPLATE, {"words": words, "is_unknown_id": True}, status=404)
    return publish_overview(request, lambda: _found(request, words))


def _found(request: ConsoleRequest, words: str) -> tuple[HttpResponse, list[Held]]:
    found = find(request.caller, words)
    context = {"words": words, "found": found}
    return render_page(request, TEMPLATE, context), list(found.held)
