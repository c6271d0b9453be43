"""Forking a version: its tree becomes a store of its own (contract F1)."""

from typing import Final

from django.contrib import messages
from django.http import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.access import for_person, versioned
from console.forms.stores import ForkForm
from console.owners import chosen_owner, owner_choices
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from console.views.store_shell import open_tab
from memory.actions.forks import Fork, Forked, fork_store
from memory.actions.stores import StoreSettings
from memory.queries.versions import get_version
from wire.fields import NAME_LENGTH

LONGEST_NAME: Final = NAME_LENGTH - len(" (fork)")


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def fork(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponseBase:
    """Say what becomes of a version, and make it."""
    tab = open_tab(request, store_id, "history")
    tab.access.require_content()
    version = get_version(store_id, version_id)
    form = ForkForm(
        request.POST or None,
        owners=owner_choices(request),
        initial={
            "name": f"{tab.access.store.name[:LONGEST_NAME]} (fork)",
            "owner": f"principal:{request.principal.id}",
        },
    )
    if form.is_valid():
        settings = StoreSettings(
            name=form.cleaned_data["name"],
            description=form.cleaned_data["description"],
            owner=chosen_owner(form.cleaned_data["owner"]),
        )
        made: Forked | None = form.carry_out(
            lambda: fork_store(access=tab.access, fork=Fork(version.id, settings))
        )
        if made:
            messages.success(request, "This store began as a copy and evolves alone from here.")
            return redirect(request, reverse("console:store-documents", args=[made.store_id]))
    context = tab.context | {"form": form, "version": version}
    return render_page(request, "console/fork.html", context, status=form.status)
