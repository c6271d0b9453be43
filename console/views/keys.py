"""API keys of the Workspace, for its admins. A secret is shown once."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.door import for_admin
from console.forms.tenancy import KeyForm
from console.pages import slice_by_id
from console.people import ConsoleRequest
from console.permissions.keys import key_state
from console.responses import redirect, render_page
from tenancy import queries
from tenancy.actions.keys import create_key, revoke_key
from tenancy.models import ApiKey, Principal


@require_safe
@for_admin
def key_list(request: ConsoleRequest) -> HttpResponseBase:
    """Every key, with what it may still do."""
    rows = queries.api_keys(request.caller).select_related("principal").order_by("-id")
    page = slice_by_id(rows, request.GET.get("page"))
    context = {
        "rows": [(key, key_state(key)) for key in page.rows],
        "next_page": page.next_page,
    }
    return render_page(request, "console/access/keys.html", context, fragment="rows")


@require_http_methods(["GET", "POST"])
@for_admin
def new_key(request: ConsoleRequest) -> HttpResponseBase:
    """Make a key; the answer to the form is the only page that ever shows its secret."""
    people = queries.principals(request.caller).filter(state=Principal.State.ACTIVE)
    choices = [(each.id, each.name) for each in people.order_by("name")]
    form = KeyForm(request.POST or None, principals=choices)
    if form.is_valid():
        values = form.cleaned_data
        made = form.carry_out(
            lambda: create_key(
                caller=request.caller,
                name=values["name"],
                key_class=ApiKey.Class(values["key_class"]),
                principal_id=values["principal"] or None,
                expires_at=values["expires_at"],
            )
        )
        if made:
            key, secret = made
            context = {"key": key, "secret": secret}
            return render_page(request, "console/access/key_made.html", context, status=201)
    context = {"form": form, "title": "New API key", "back": "console:keys", "back_to": "API keys"}
    return render_page(request, "console/access/form.html", context, status=form.status)


@require_POST
@for_admin
def revoke(request: ConsoleRequest, key_id: str) -> HttpResponse:
    """End a key now."""
    revoke_key(caller=request.caller, key_id=key_id)
    messages.success(request, "The key is revoked. Requests with it are refused from now on.")
    return redirect(request, reverse("console:keys"))
