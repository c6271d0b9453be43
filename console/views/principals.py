"""People and services of the Workspace, for its admins."""

from django.contrib import messages
from django.http import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from console.door import for_admin
from console.forms.tenancy import PersonForm, PrincipalForm, ServiceForm
from console.pages import slice_by_id
from console.people import ConsoleRequest
from console.permissions.grants import grant_rows
from console.responses import redirect, render_page
from tenancy import queries
from tenancy.actions.principals import (
    PrincipalChanges,
    change_principal,
    create_person,
    create_principal,
)
from tenancy.models import Principal


@require_safe
@for_admin
def principal_list(request: ConsoleRequest) -> HttpResponseBase:
    """Everybody who acts in the Workspace."""
    rows = queries.principals(request.caller).select_related("user").order_by("-id")
    page = slice_by_id(rows, request.GET.get("page"))
    context = {"rows": page.rows, "next_page": page.next_page}
    return render_page(request, "console/access/principals.html", context, fragment="rows")


@require_http_methods(["GET", "POST"])
@for_admin
def new_person(request: ConsoleRequest) -> HttpResponseBase:
    """Make a person with a sign-in."""
    form = PersonForm(request.POST or None)
    if form.is_valid():
        values = form.cleaned_data
        made = form.carry_out(lambda: create_person(caller=request.caller, **values))
        if made:
            messages.success(request, "The person can sign in now. They hold no grant yet.")
            return redirect(request, reverse("console:principals-one", args=[made.id]))
    context = {
        "form": form,
        "title": "New person",
        "back": "console:principals",
        "back_to": "Principals",
    }
    return render_page(request, "console/access/form.html", context, status=form.status)


@require_http_methods(["GET", "POST"])
@for_admin
def new_service(request: ConsoleRequest) -> HttpResponseBase:
    """Make a service principal."""
    form = ServiceForm(request.POST or None)
    if form.is_valid():
        made = form.carry_out(
            lambda: create_principal(
                caller=request.caller,
                kind=Principal.Kind.SERVICE,
                name=form.cleaned_data["name"],
            )
        )
        if made:
            messages.success(request, "The service exists now. It holds no grant yet.")
            return redirect(request, reverse("console:principals-one", args=[made.id]))
    context = {
        "form": form,
        "title": "New service",
        "back": "console:principals",
        "back_to": "Principals",
    }
    return render_page(request, "console/access/form.html", context, status=form.status)


@require_http_methods(["GET", "POST"])
@for_admin
def principal(request: ConsoleRequest, principal_id: str) -> HttpResponseBase:
    """One principal: rename, make an admin or not, disable or enable."""
    found = queries.find_principal(request.caller, principal_id)
    form = PrincipalForm(request.POST or None, principal=found)
    if form.is_valid():
        values = form.cleaned_data
        changes = PrincipalChanges(
            name=values["name"],
            is_admin=values.get("is_admin"),
            state=Principal.State(values["state"]),
        )
        changed = form.carry_out(
            lambda: change_principal(
                caller=request.caller, principal_id=principal_id, changes=changes
            )
        )
        if changed:
            messages.success(request, "Saved.")
            return redirect(request, reverse("console:principals-one", args=[principal_id]))
    grants = queries.assignments(request.caller, subject_id=principal_id)
    context = {
        "principal": found,
        "form": form,
        "grants": grant_rows(request.caller, list(grants.order_by("id"))),
        "keys": queries.api_keys(request.caller).filter(principal=principal_id).order_by("-id"),
    }
    return render_page(request, "console/access/principal.html", context, status=form.status)
