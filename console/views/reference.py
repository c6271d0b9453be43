"""The API reference: Swagger UI from our own origin, over the generated document."""

import functools
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils.csp import CSP
from django.views.decorators.csp import csp_override
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from console.door import for_person
from console.people import ConsoleRequest
from console.responses import render_page
from wire.rendering import dump_json

VIEWER_POLICY: Mapping[str, list[str]] = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF, CSP.UNSAFE_INLINE],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
"""The one exception from the Console's policy: the viewer styles its own elements inline."""


@require_safe
@csp_override(VIEWER_POLICY)
@for_person
def reference(request: ConsoleRequest) -> HttpResponseBase:
    """Every route of the API, with its types, to read and to try with a key."""
    return render_page(request, "console/reference.html", {})


@require_safe
@for_person
def schema(_: ConsoleRequest) -> HttpResponse:
    """The OpenAPI document of this very release."""
    return HttpResponse(dump_json(_generated()), content_type="application/vnd.oai.openapi+json")


@functools.cache
def _generated() -> Any:
    generator: Any = SchemaGenerator
    return generator().get_schema(request=None, public=True)
