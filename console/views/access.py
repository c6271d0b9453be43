"""Who may do what: grants on the Workspace and on its stores."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.door import for_person
from console.forms.tenancy import GrantForm
from console.pages import slice_by_id
from console.people import ConsoleRequest
from console.permissions.grants import grant_rows
from console.responses import redirect, render_page
from console.views.account import safe_next
from console.views.store_shell import open_tab
from memory.access import listable_stores
from tenancy import queries
from tenancy.actions.permissions import assign, revoke
from tenancy.administration import require_grant_authority
from tenancy.authority import Target
from tenancy.caller import Subject
from tenancy.models import Agent, Principal, SubjectKind, TargetKind
from wire.errors import PolicyDenied


@require_http_methods(["GET", "POST"])
@for_person
def access(request: ConsoleRequest) -> HttpResponseBase:
    """One's own grants; for admins, every grant of the Workspace and the form for new ones."""
    caller = request.caller
    mine = queries.assignments(caller, subject_id=caller.acting_principal_id).order_by("id")
    context: dict[str, Any] = {"mine": grant_rows(request.caller, list(mine))}
    form = None
    if caller.is_admin:
        form = GrantForm(
            request.POST or None, subjects=_subjects(request), targets=_targets(request)
        )
        if form.is_valid() and _grant(request, form, _parsed_target(form)):
            return redirect(request, reverse("console:access"))
        page = slice_by_id(queries.assignments(caller).order_by("-id"), request.GET.get("page"))
        context |= {
            "form": form,
            "rows": grant_rows(request.caller, page.rows),
            "next_page": page.next_page,
        }
    elif request.method == "POST":
        raise PolicyDenied("This is for admins of the Workspace.")
    status = form.status if form else 200
    return render_page(request, "console/access/assignments.html", context, status=status)


@require_http_methods(["GET", "POST"])
@for_person
def store_access(request: ConsoleRequest, store_id: str) -> HttpResponseBase:
    """The grants that reach one store, and for those who may, the form for new ones."""
    tab = open_tab(request, store_id, "access")
    target = Target(TargetKind.STORE, store_id)
    context = tab.context | {"held": sorted(tab.access.permissions), "form": None}
    try:
        require_grant_authority(request.caller, target)
    except PolicyDenied:
        if request.method == "POST":
            raise
        return render_page(request, "console/store/access.html", context)
    form = GrantForm(request.POST or None, subjects=_subjects(request))
    if form.is_valid() and _grant(request, form, target):
        return redirect(request, reverse("console:store-access", args=[store_id]))
    context |= {
        "form": form,
        "rows": grant_rows(request.caller, _on(request, store_id)),
        "everywhere": grant_rows(request.caller, _on(request, request.caller.workspace_id)),
    }
    return render_page(request, "console/store/access.html", context, status=form.status)


@require_POST
@for_person
def revoke_assignment(request: ConsoleRequest, assignment_id: str) -> HttpResponse:
    """Take a grant back."""
    revoke(caller=request.caller, assignment_id=assignment_id)
    messages.success(request, "The assignment is revoked.")
    return redirect(request, safe_next(request))


def _grant(request: ConsoleRequest, form: GrantForm, target: Target) -> bool:
    kind, _, identifier = form.cleaned_data["subject"].partition(":")
    made = form.carry_out(
        lambda: assign(
            caller=request.caller,
            subject=Subject(SubjectKind(kind), identifier),
            target=target,
            permissions=form.cleaned_data["permissions"],
        )
    )
    if made:
        messages.success(request, "The assignment is made.")
    return made is not None


def _parsed_target(form: GrantForm) -> Target:
    kind, _, identifier = form.cleaned_data["target"].partition(":")
    return Target(TargetKind(kind), identifier)


def _on(request: ConsoleRequest, target_id: str) -> list[Any]:
    return list(queries.assignments(request.caller, target_id=target_id).order_by("id"))


def _subjects(request: ConsoleRequest) -> list[Any]:
    """Everybody who can be granted something, as grouped choices."""
    people = (
        queries.principals(request.caller).filter(state=Principal.State.ACTIVE).order_by("name")
    )
    agents = queries.agents(request.caller).filter(state=Agent.State.ACTIVE).order_by("name")
    keys = queries.api_keys(request.caller).filter(revoked_at=None, principal=None).order_by("name")
    return [
        ("People and services", [(f"principal:{each.id}", each.name) for each in people]),
        ("Agents", [(f"agent:{each.id}", each.name) for each in agents]),
        ("API keys bound to nobody", [(f"api_key:{each.id}", each.name) for each in keys]),
    ]


def _targets(request: ConsoleRequest) -> list[Any]:
    workspace = request.principal.workspace
    stores = listable_stores(request.caller).order_by("name").values_list("id", "name")
    agents = queries.agents(request.caller).filter(state=Agent.State.ACTIVE).order_by("name")
    return [
        (f"workspace:{workspace.id}", f"The whole Workspace ({workspace.name})"),
        ("One store", [(f"store:{identifier}", name) for identifier, name in stores]),
        ("One agent, to act as", [(f"agent:{each.id}", each.name) for each in agents]),
    ]
