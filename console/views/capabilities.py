"""What this deployment can do, for people: the same table that the API answers with."""

from django.conf import settings
from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from console.door import for_person
from console.people import ConsoleRequest
from console.responses import render_page
from tenancy.capabilities import CAPABILITIES


@require_safe
@for_person
def capability_list(request: ConsoleRequest) -> HttpResponseBase:
    """Every capability, whether it is available, and how far it is proven."""
    context = {"release": settings.RELEASE, "capabilities": CAPABILITIES}
    return render_page(request, "console/capabilities.html", context)
