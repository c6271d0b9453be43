"""Forking a version: its tree becomes a store of its own (contract F1)."""

from typing import Final

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.door import for_person, versioned
from console.forms.stores import ForkForm
from console.owners import chosen_owner, owner_choices
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import redirect
from console.views.store_shell import Tab, open_tab
from memory.actions.forks import Fork, Forked, fork_store
from memory.actions.stores import StoreSettings
from memory.forking import copy_of, erased_paths
from memory.models import MemoryVersion
from memory.publication import Acquired
from memory.queries.versions import get_version
from wire.errors import NAMED_AT_MOST
from wire.fields import NAME_LENGTH

ENDING: Final = " (fork)"
LONGEST_NAME: Final = NAME_LENGTH - len(ENDING)


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def fork(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponseBase:
    """Say what becomes of a version, and make it."""
    tab = open_tab(request, store_id, "history")
    tab.access.require_content()
    version = get_version(store_id, version_id)
    form = _form(request, tab)
    if form.is_valid() and (made := _make(request, tab, version, form)):
        messages.success(request, "This store began as a copy and evolves alone from here.")
        return redirect(request, reverse("console:store-documents", args=[made.store_id]))
    return _page(request, tab, version, form)


def _form(request: ConsoleRequest, tab: Tab) -> ForkForm:
    initial = {
        "name": f"{tab.access.store.name[:LONGEST_NAME]}{ENDING}",
        "owner": f"principal:{request.principal.id}",
    }
    return ForkForm(request.POST or None, owners=owner_choices(request), initial=initial)


def _make(
    request: ConsoleRequest, tab: Tab, version: MemoryVersion, form: ForkForm
) -> Forked | None:
    values = form.cleaned_data
    settings = StoreSettings(
        name=values["name"],
        description=values["description"],
        owner=chosen_owner(values["owner"]),
    )
    wanted, key = Fork(version.id, settings), form.key(request)
    return form.carry_out(lambda: fork_store(access=tab.access, fork=wanted, key=key))


def _page(
    request: ConsoleRequest, tab: Tab, version: MemoryVersion, form: ForkForm
) -> HttpResponse:
    """The form, and which texts are in its way."""
    erased = erased_paths(copy_of(version))
    context = tab.context | {
        "form": form,
        "version": version,
        "erased": erased[:NAMED_AT_MOST],
        "more_erased": len(erased[NAMED_AT_MOST:]),
    }
    acquired = [Acquired(tab.access)]
    return publish_page(request, "console/fork.html", context, acquired, status=form.status)
