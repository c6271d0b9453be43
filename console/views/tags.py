"""Naming a version, and taking the name away again."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.door import for_person, versioned
from console.forms.base import ConsoleForm
from console.forms.versions import TagForm
from console.people import ConsoleRequest
from console.responses import redirect
from memory.access import open_store
from memory.actions.tags import create_tag, delete_tag
from memory.queries.versions import get_version


@require_POST
@for_person
@versioned
def add(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponseBase:
    """Give a version the name that the form holds."""
    access = open_store(request.caller, store_id)
    access.require_content()
    version = get_version(store_id, version_id)
    form = TagForm(request.POST)
    if form.is_valid():
        name = form.cleaned_data["name"]
        form.carry_out(lambda: create_tag(access=access, name=name, version_id=version.id))
    return _back(request, form, store_id, version_id, done="The version has its tag.")


@require_POST
@for_person
@versioned
def remove(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponseBase:
    """Take a name away from the version that the page showed."""
    access = open_store(request.caller, store_id)
    access.require_content()
    form = TagForm(request.POST)
    if form.is_valid():
        name = form.cleaned_data["name"]
        form.carry_out(lambda: delete_tag(access=access, name=name))
    return _back(request, form, store_id, version_id, done="The tag is gone; the version stays.")


def _back(
    request: ConsoleRequest, form: ConsoleForm, store_id: str, version_id: str, *, done: str
) -> HttpResponse:
    """The version's page, which tells what happened."""
    refusals = [refusal for several in form.errors.values() for refusal in several]
    for refusal in refusals:
        messages.error(request, f"Tag: {refusal}")
    if not refusals:
        messages.success(request, done)
    return redirect(request, reverse("console:version", args=[store_id, version_id]))
