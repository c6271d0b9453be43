"""Environments of the Workspace, for its admins: where Sessions run."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.door import for_admin
from console.forms.environments import EnvironmentForm, PlaceForm
from console.pages import slice_by_id
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from tenancy import queries
from tenancy.actions.environments import (
    Abilities,
    archive_environment,
    change_environment,
    create_environment,
)
from tenancy.models import Environment


@require_safe
@for_admin
def environment_list(request: ConsoleRequest) -> HttpResponseBase:
    """Every environment."""
    rows = queries.environments(request.caller).order_by("-id")
    page = slice_by_id(rows, request.GET.get("page"))
    context = {"rows": page.rows, "next_page": page.next_page}
    return render_page(request, "console/access/environments.html", context, fragment="rows")


@require_http_methods(["GET", "POST"])
@for_admin
def new_environment(request: ConsoleRequest) -> HttpResponseBase:
    """Make an environment."""
    form = EnvironmentForm(request.POST or None)
    if form.is_valid():
        values = dict(form.cleaned_data)
        writer = Environment.MemoryWriter(values.pop("memory_writer"))
        abilities = Abilities(values.pop("can_enumerate"), writer)
        made = form.carry_out(
            lambda: create_environment(caller=request.caller, abilities=abilities, **values)
        )
        if made:
            messages.success(request, "The environment exists now. Sessions can start in it.")
            return redirect(request, reverse("console:environments"))
    context = {
        "form": form,
        "title": "New environment",
        "back": "console:environments",
        "back_to": "Environments",
    }
    return render_page(request, "console/access/form.html", context, status=form.status)


@require_http_methods(["GET", "POST"])
@for_admin
def environment(request: ConsoleRequest, environment_id: str) -> HttpResponseBase:
    """Rename or describe an environment."""
    found = queries.find_environment(request.caller, environment_id)
    initial = {"name": found.name, "description": found.description}
    form = PlaceForm(request.POST or None, initial=initial)
    if form.is_valid():
        values = form.cleaned_data
        changed = form.carry_out(
            lambda: change_environment(
                caller=request.caller, environment_id=environment_id, **values
            )
        )
        if changed:
            messages.success(request, "Saved.")
            return redirect(request, reverse("console:environments"))
    context = {"form": form, "environment": found}
    return render_page(request, "console/access/environment.html", context, status=form.status)


@require_POST
@for_admin
def archive(request: ConsoleRequest, environment_id: str) -> HttpResponse:
    """Retire an environment for good."""
    archive_environment(caller=request.caller, environment_id=environment_id)
    messages.success(request, "The environment is archived.")
    return redirect(request, reverse("console:environments"))
