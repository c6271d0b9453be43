"""Saved views of the review queue: kept, chosen as the default, forgotten."""

from django.contrib import messages
from django.http import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.door import for_person, versioned
from console.forms.saved_views import KeepViewForm
from console.parsing import number_in
from console.people import ConsoleRequest
from console.proposals.filtering import filters_in, queue_url
from console.responses import redirect
from proposals.actions.saved_views import choose_default_view, delete_view, keep_view
from proposals.queries.saved_views import filters_of
from wire.errors import Malformed


@require_POST
@for_person
@versioned
def keep(request: ConsoleRequest) -> HttpResponseBase:
    """Keep the filters of the page under a name; what had the name is replaced."""
    form = KeepViewForm(request.POST)
    if not form.is_valid():
        raise Malformed("name: a view needs a name of one line, of 200 characters at most.")
    view = keep_view(
        caller=request.caller,
        name=form.cleaned_data["name"],
        filters=filters_in(request.POST),
        is_default=form.cleaned_data["is_default"],
    )
    messages.success(request, "The view is saved.")
    return redirect(request, queue_url(filters_of(view)))


@require_POST
@for_person
@versioned
def change(request: ConsoleRequest) -> HttpResponseBase:
    """Begin one's queue with a view, or with everything again; or forget the view."""
    view_id, wanted = number_in(request.POST, "view"), request.POST.get("do")
    if wanted == "delete":
        delete_view(caller=request.caller, view_id=view_id)
        messages.info(request, "The view is deleted.")
    elif wanted in {"choose", "leave"}:
        choose_default_view(caller=request.caller, view_id=view_id, chosen=wanted == "choose")
        messages.success(
            request,
            "Your queue begins with this view."
            if wanted == "choose"
            else "Your queue begins with everything again.",
        )
    else:
        raise Malformed("do: one of choose, leave, delete.")
    return redirect(request, f"{reverse('console:queue')}?show=all")
