"""How a person wants to be told, and what the links of letters lead to."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from console.door import for_person, for_visitor, versioned
from console.forms.notices import PreferencesForm
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from notices.actions.preferences import (
    ask_again,
    change_preferences,
    confirm_address,
    unsubscribe,
)
from notices.queries.preferences import person_of, preferences_of
from notices.tokens import read_confirmation, read_unsubscription

ENDED = {
    "assigned": "about Proposals that wait for you",
    "commented": "about comments",
    "decided": "about decisions",
    "digest": "that lists what waits for you",
}
"""Kind of e-mail → how a sentence goes on that says that it ends."""


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def preferences(request: ConsoleRequest) -> HttpResponseBase:
    """Where e-mail goes, and what is told how."""
    person = request.principal.id
    kept = preferences_of([person])[person]
    if request.method != "POST":
        return _form_page(request, PreferencesForm.showing(kept), kept)
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        return _form_page(request, form, kept)
    changed = change_preferences(caller=request.caller, wanted=form.wanted())
    if changed.address and changed.address != kept.address:
        messages.success(request, "Saved. Follow the link in the letter to your new address.")
    else:
        messages.success(request, "Saved.")
    return redirect(request, reverse("console:notices-preferences"))


def _form_page(request: ConsoleRequest, form: PreferencesForm, kept: Any) -> HttpResponseBase:
    context = {"form": form, "kept": kept}
    return render_page(request, "console/notice_preferences.html", context, status=form.status)


@require_POST
@for_person
@versioned
def send_again(request: ConsoleRequest) -> HttpResponseBase:
    """Have the address asked once more."""
    ask_again(caller=request.caller)
    messages.info(request, "The letter is on its way once more.")
    return redirect(request, reverse("console:notices-preferences"))


@require_http_methods(["GET", "POST"])
@for_visitor
@versioned
def confirm(request: HttpRequest) -> HttpResponseBase:
    """Confirm the address that a letter went to: whoever has the letter may."""
    confirmation = read_confirmation(request.GET.get("token", ""))
    if request.method == "POST":
        person = person_of(confirmation.principal_id)
        confirm_address(caller=person, confirmation=confirmation)
    context = {"is_done": request.method == "POST"}
    return render_page(request, "console/notice_confirm.html", context)


@csrf_exempt
@require_http_methods(["GET", "POST"])
@for_visitor
@versioned
def end(request: HttpRequest) -> HttpResponseBase:
    """End the kind of e-mail that a letter was one of: whoever has the letter may.

    Mail programs send the form by themselves, without our cookies (RFC 8058); what is signed in
    the address is what counts.
    """
    unsubscription = read_unsubscription(request.GET.get("token", ""))
    if request.method == "POST":
        person = person_of(unsubscription.principal_id)
        unsubscribe(caller=person, unsubscription=unsubscription)
    context = {
        "is_done": request.method == "POST",
        "what": ENDED[unsubscription.what],
    }
    return render_page(request, "console/notice_end.html", context)
