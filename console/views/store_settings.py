"""Making a store, changing its settings, archiving it and bringing it back."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.door import for_person
from console.forms.base import ConsoleForm
from console.forms.stores import GovernanceForm, NewStoreForm, StoreForm
from console.owners import chosen_owner, owner_choices
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from console.review_rules import ReviewRulesSection
from console.views.store_shell import Tab, open_tab
from memory.access import open_store
from memory.actions.stores import (
    CreatedStore,
    StoreChanges,
    StoreSettings,
    change_store,
    create_store,
)
from memory.models import SHARED_OWNERS, CanonicalWrites, Lifecycle, SelfApproval
from tenancy.models import Permission
from wire.errors import Malformed


@require_http_methods(["GET", "POST"])
@for_person
def new_store(request: ConsoleRequest) -> HttpResponseBase:
    """Make a store."""
    form = NewStoreForm(request.POST or None, owners=owner_choices(request))
    if form.is_valid():
        made = form.carry_out(lambda: _make(request, form))
        if made:
            messages.success(request, "The store exists now. Its first version is empty.")
            return redirect(request, reverse("console:store-documents", args=[made.store_id]))
    context = {"form": form}
    return render_page(request, "console/store_new.html", context, status=form.status)


@require_http_methods(["GET", "POST"])
@for_person
def settings(request: ConsoleRequest, store_id: str) -> HttpResponseBase:
    """A store's name, description and metadata, and beside them how review works."""
    tab = open_tab(request, store_id, "settings")
    which = request.POST.get("form", "")
    form = StoreForm(request.POST if which == "settings" else None, initial=_initial(tab))
    governance = GovernanceForm(
        request.POST if which == "governance" else None,
        initial=_initial(tab),
        shared=tab.access.store.is_shared,
        auto_id="governance_%s",
    )
    review = ReviewRulesSection(request, tab.access, which)
    for sent in (form, governance, *review.forms):
        if sent.is_bound and sent.is_valid() and _change(tab, sent):
            messages.success(request, "Saved.")
            return redirect(request, reverse("console:store-settings", args=[store_id]))
    context = tab.context | {
        "form": form,
        "governance": governance,
        "review": review,
        "rules": review.rows(),
        "may_change": tab.access.is_owner or tab.access.may(Permission.ADMIN),
        "may_govern": tab.access.may(Permission.ADMIN),
        "may_delete": request.caller.is_admin,
        "may_verify": request.caller.is_admin or tab.access.may(Permission.ADMIN),
    }
    status = max(sent.status for sent in (form, governance, *review.forms))
    return render_page(request, "console/store/settings.html", context, status=status)


@require_POST
@for_person
def lifecycle(request: ConsoleRequest, store_id: str) -> HttpResponse:
    """Archive a store, or bring an archived one back."""
    wanted = request.POST.get("lifecycle")
    if wanted not in {Lifecycle.ACTIVE, Lifecycle.ARCHIVED}:
        raise Malformed("lifecycle: active or archived.")
    change_store(
        access=open_store(request.caller, store_id),
        version=_integer(request.POST.get("version", "")),
        changes=StoreChanges(lifecycle=Lifecycle(wanted)),
    )
    archived = wanted == Lifecycle.ARCHIVED
    messages.success(
        request, "The store is archived." if archived else "The store is active again."
    )
    return redirect(request, reverse("console:store-settings", args=[store_id]))


def _change(tab: Tab, form: ConsoleForm) -> bool:
    values = dict(form.cleaned_data)
    version = values.pop("version")
    if values.get("canonical_writes"):
        values["canonical_writes"] = CanonicalWrites(values["canonical_writes"])
    if values.get("self_approval"):
        values["self_approval"] = SelfApproval(values["self_approval"])
    changed = form.carry_out(
        lambda: change_store(access=tab.access, version=version, changes=StoreChanges(**values))
    )
    return changed is not None


def _initial(tab: Tab) -> dict[str, Any]:
    store = tab.access.store
    names = ("version", "name", "description", "metadata", "canonical_writes", "self_approval")
    return {name: getattr(store, name) for name in names}


def _make(request: ConsoleRequest, form: NewStoreForm) -> CreatedStore:
    settings = _settings(form.cleaned_data)
    return create_store(caller=request.caller, settings=settings, key=form.key(request))


def _settings(values: dict[str, Any]) -> StoreSettings:
    owner = chosen_owner(values["owner"])
    shared = owner.kind in SHARED_OWNERS
    return StoreSettings(
        name=values["name"],
        description=values["description"],
        owner=owner,
        canonical_writes=CanonicalWrites(values["canonical_writes"]) if shared else None,
        self_approval=SelfApproval(values["self_approval"]),
        metadata=values["metadata"],
    )


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise Malformed("version: expected the store's version, a whole number.") from error
