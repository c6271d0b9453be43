"""The error reference: the page that `error.more` links to, open to everybody."""

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from console.error_guide import GUIDE
from console.failures import error_anchor, remember_person
from console.responses import render_page
from wire.errors import CATALOGUE


@require_safe
def reference(request: HttpRequest) -> HttpResponseBase:
    """Every type of the catalogue, each under the anchor that API answers name."""
    remember_person(request)
    rows = [
        {
            "type": kind.type,
            "status": int(kind.status),
            "anchor": error_anchor(kind.type),
            "advice": GUIDE[kind],
        }
        for kind in CATALOGUE
    ]
    return render_page(request, "console/errors.html", {"rows": rows})
