"""Effective access: why may somebody do something with a store, or why not?"""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from console.door import for_person
from console.forms.tenancy import ExplainForm
from console.people import ConsoleRequest
from console.permissions.explaining import answers, find_who, owns
from console.responses import render_page
from memory.access import HIDDEN, listable_stores, open_store
from tenancy import queries
from tenancy.administration import require_grant_authority
from tenancy.authority import Target
from tenancy.models import Permission, TargetKind


@require_safe
@for_person
def explain_access(request: ConsoleRequest) -> HttpResponseBase:
    """Every grant that reaches somebody on a store, by the permission that it brings.

    Oneself anybody may ask about; others those who may see the store's assignments.
    """
    stores = list(listable_stores(request.caller).exclude(lifecycle__in=HIDDEN).order_by("name"))
    is_asked = {"who", "store"} <= set(request.GET)
    form = ExplainForm(
        request.GET if is_asked else None,
        initial={name: request.GET.get(name) for name in ("who", "store")},
        subjects=_subjects(request, stores),
        stores=[(store.id, store.name) for store in stores],
    )
    context: dict[str, Any] = {"form": form}
    if is_asked and form.is_valid():
        context |= _explained(request, form.cleaned_data["who"], form.cleaned_data["store"])
    return render_page(request, "console/access/explain.html", context, status=form.status)


def _explained(request: ConsoleRequest, subject: str, store_id: str) -> dict[str, Any]:
    if subject != _myself(request):
        require_grant_authority(request.caller, Target(TargetKind.STORE, store_id))
    access = open_store(request.caller, store_id)
    who = find_who(request.caller, subject)
    return {
        "who": who,
        "store": access.store,
        "answers": answers(who, access),
        "is_owner": owns(who, access),
    }


def _myself(request: ConsoleRequest) -> str:
    return f"principal:{request.principal.id}"


def _subjects(request: ConsoleRequest, stores: list[Any]) -> list[Any]:
    """Whom a person may ask about on some store, as grouped choices."""
    if not (request.caller.is_admin or any(Permission.ADMIN in each.granted for each in stores)):
        return [(_myself(request), request.principal.name)]
    caller = request.caller
    kinds: tuple[tuple[str, str, QuerySet[Any]], ...] = (
        ("People and services", "principal", queries.principals(caller)),
        ("Agents", "agent", queries.agents(caller)),
        ("API keys", "api_key", queries.api_keys(caller).filter(revoked_at=None)),
    )
    return [
        (label, [(f"{kind}:{one}", name) for one, name in _by_name(rows)])
        for label, kind, rows in kinds
    ]


def _by_name(rows: QuerySet[Any]) -> QuerySet[Any, tuple[str, str]]:
    return rows.order_by("name").values_list("id", "name")
