"""The erasure wizard: pick paths, look at what goes, confirm exactly that (contract X1)."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.door import for_admin, versioned
from console.erasure.previews import preview, require_as_seen
from console.forms.redactions import ConfirmForm, PathsForm, lines_in
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import redirect, render_page
from console.views.store_shell import Tab, open_tab
from memory.actions.redactions import redact, require_redaction
from memory.publication import Acquired
from memory.queries.paths import find_known_paths
from memory.queries.versions import canonical_id
from proposals.publication import words_held
from tenancy.models import Permission
from wire.errors import Malformed
from wire.strictjson import refuse_unstorable_text

FOUND: Final = 200
"""Paths that one search shows."""


@require_http_methods(["GET", "POST"])
@for_admin
@versioned
def erase(request: ConsoleRequest, store_id: str) -> HttpResponseBase:
    """Everything is one form, sent on with what was chosen so far; only the last step erases."""
    tab = open_tab(request, store_id, "settings")
    require_redaction(tab.access)
    step = request.POST.get("step", "choose")
    if step == "confirm":
        return _confirm(request, tab)
    form = PathsForm(_chosen(request) if step == "look" else None, initial=_chosen(request))
    if step == "look" and form.is_valid():
        return _look(request, tab, form.cleaned_data["paths"])
    return _choose(request, tab, form)


def _chosen(request: ConsoleRequest) -> dict[str, str]:
    """The paths so far: typed, ticked in a search, or named by the page that led here."""
    typed = request.POST.get("paths", request.GET.get("path", ""))
    return {"paths": "\n".join(lines_in("\n".join([typed, *request.POST.getlist("found")])))}


def _choose(request: ConsoleRequest, tab: Tab, form: PathsForm) -> HttpResponse:
    """The first step: a field for paths, and a search for those that have ever been there."""
    words = request.POST.get("q", "").strip()
    refuse_unstorable_text(words, "q")
    may_read = tab.access.may(Permission.READ)
    found: Sequence[Any] = ()
    if words and may_read:
        store_id = tab.access.store_id
        found = find_known_paths(store_id, words, canonical_id(store_id), limit=FOUND + 1)
    context = tab.context | {
        "step": 1,
        "form": form,
        "words": words,
        "found": found[:FOUND],
        "too_many": len(found) > FOUND,
        "may_read": may_read,
    }
    acquired = [Acquired(tab.access)] if may_read else []
    return publish_page(request, "console/store/erase.html", context, acquired, status=form.status)


def _look(
    request: ConsoleRequest, tab: Tab, paths: Sequence[str], form: ConfirmForm | None = None
) -> HttpResponse:
    """The second step: what would go, what stays, and the field that confirms it."""
    shown = preview(tab.access, paths)
    sent = {"paths": "\n".join(paths), "seen": shown.digest}
    confirm = ConfirmForm(initial=sent, store=tab.access.store.name)
    context = tab.context | {
        "step": 2,
        "paths": sent["paths"],
        "preview": shown,
        "confirm": confirm,
        "refused": form,
    }
    status = form.status if form else 200
    if not shown.may_read:
        return render_page(request, "console/store/erase.html", context, status=status)
    acquired = [Acquired(tab.access, held=[words_held(shown.superseded)])]
    return publish_page(request, "console/store/erase.html", context, acquired, status=status)


def _confirm(request: ConsoleRequest, tab: Tab) -> HttpResponse:
    """The last step: erase exactly what was shown, or show what it is by now."""
    chosen = PathsForm(request.POST)
    if not chosen.is_valid():
        raise Malformed("paths: they are not those that were shown. Choose them again.")
    paths = chosen.cleaned_data["paths"]
    form = ConfirmForm(request.POST, store=tab.access.store.name)
    done = None
    if form.is_valid():
        done = form.carry_out(
            lambda: redact(
                access=tab.access,
                paths=paths,
                require=lambda held: require_as_seen(held, paths, form.cleaned_data["seen"]),
                key=form.key(request),
            )
        )
    if done is None:
        return _look(request, tab, paths, form)
    messages.success(
        request, "Erased. A worker looks whether anything is left, and this page tells."
    )
    return redirect(request, reverse("console:jobs-one", args=[done.report_id]))
