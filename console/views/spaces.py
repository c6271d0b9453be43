"""Collaboration spaces of the Workspace and who belongs to them, for its admins."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.door import for_admin
from console.forms.base import ConsoleForm
from console.forms.environments import MemberForm, PlaceForm
from console.naming import Names
from console.pages import slice_by_id
from console.parsing import member_sent
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from tenancy import queries
from tenancy.actions.spaces import add_member, change_space, create_space, remove_member
from tenancy.models import Agent, CollaborationSpace, Principal, SpaceMember


@require_safe
@for_admin
def space_list(request: ConsoleRequest) -> HttpResponseBase:
    """Every space."""
    rows = queries.spaces_with_counts(request.caller).order_by("-id")
    page = slice_by_id(rows, request.GET.get("page"))
    context = {"rows": page.rows, "next_page": page.next_page}
    return render_page(request, "console/access/spaces.html", context, fragment="rows")


@require_http_methods(["GET", "POST"])
@for_admin
def new_space(request: ConsoleRequest) -> HttpResponseBase:
    """Make a space."""
    form = PlaceForm(request.POST or None)
    if form.is_valid():
        values = form.cleaned_data
        made = form.carry_out(lambda: create_space(caller=request.caller, **values))
        if made:
            messages.success(request, "The space exists now. Nobody belongs to it yet.")
            return redirect(request, reverse("console:spaces-one", args=[made.id]))
    context = {"form": form, "title": "New space", "back": "console:spaces", "back_to": "Spaces"}
    return render_page(request, "console/access/form.html", context, status=form.status)


@require_http_methods(["GET", "POST"])
@for_admin
def space(request: ConsoleRequest, space_id: str) -> HttpResponseBase:
    """Rename or describe a space, and say who belongs to it."""
    found = queries.find_space(request.caller, space_id)
    which = request.POST.get("form", "")
    words = PlaceForm(
        request.POST if which == "words" else None,
        initial={"name": found.name, "description": found.description},
    )
    newcomer = MemberForm(
        request.POST if which == "member" else None, members=_candidates(request), auto_id="new_%s"
    )
    for sent, carry_out in ((words, _change), (newcomer, _add)):
        if sent.is_bound and sent.is_valid() and carry_out(request, found, sent):
            return redirect(request, reverse("console:spaces-one", args=[space_id]))
    context = {
        "space": found,
        "form": words,
        "newcomer": newcomer,
        "members": _members(request, found),
    }
    status = words.status if words.is_bound else newcomer.status
    return render_page(request, "console/access/space.html", context, status=status)


@require_POST
@for_admin
def remove(request: ConsoleRequest, space_id: str) -> HttpResponse:
    """Let somebody not belong to a space any more."""
    remove_member(caller=request.caller, space_id=space_id, member_id=member_sent(request))
    messages.success(request, "They do not belong to the space any more.")
    return redirect(request, reverse("console:spaces-one", args=[space_id]))


def _change(request: ConsoleRequest, space: CollaborationSpace, form: ConsoleForm) -> bool:
    values = form.cleaned_data
    changed = form.carry_out(
        lambda: change_space(caller=request.caller, space_id=space.id, **values)
    )
    if changed:
        messages.success(request, "Saved.")
    return changed is not None


def _add(request: ConsoleRequest, space: CollaborationSpace, form: ConsoleForm) -> bool:
    kind, _, identifier = form.cleaned_data["member"].partition(":")
    added = form.carry_out(
        lambda: add_member(
            caller=request.caller,
            space_id=space.id,
            kind=SpaceMember.Kind(kind),
            member_id=identifier,
        )
    )
    if added:
        messages.success(request, "They belong to the space now.")
    return added is not None


def _candidates(request: ConsoleRequest) -> list[Any]:
    """Everybody who can belong to a space, as grouped choices."""
    people = queries.principals(request.caller).filter(state=Principal.State.ACTIVE)
    agents = queries.agents(request.caller).filter(state=Agent.State.ACTIVE)
    return [
        ("People and services", [(f"principal:{e.id}", e.name) for e in people.order_by("name")]),
        ("Agents", [(f"agent:{e.id}", e.name) for e in agents.order_by("name")]),
    ]


def _members(request: ConsoleRequest, space: CollaborationSpace) -> list[dict[str, Any]]:
    members = list(queries.members_of(space).order_by("id"))
    names = Names(
        request.caller.workspace_id, [(one.member_kind, one.member_uuid) for one in members]
    )
    return [{"member": one, "who": names.of(one.member_kind, one.member_uuid)} for one in members]
