"""What every page of one store shows around its own content."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.door import View, for_person, versioned
from console.naming import Names
from console.people import ConsoleRequest
from console.responses import render_page
from memory.access import HIDDEN, StoreAccess, open_store
from proposals.queries.queue import open_counts
from tenancy.models import Permission

TABS = (
    ("documents", "Documents", "document-text"),
    ("history", "History", "clock"),
    ("proposals", "Proposals", "inbox"),
    ("refs", "Refs", "bookmark"),
    ("access", "Access", "shield-check"),
    ("export", "Export", "arrow-down-tray"),
    ("settings", "Settings", "cog-6-tooth"),
)


VERSIONED = frozenset({"documents", "history", "proposals", "refs", "export"})
"""Tabs that the fence closes (contract §0)."""


@dataclass(frozen=True, slots=True)
class Tab:
    """An opened store, and the context that its pages share."""

    access: StoreAccess
    context: dict[str, Any]


def open_tab(request: ConsoleRequest, store_id: str, tab: str = "") -> Tab:
    """Open a store that the person may know of, and gather what its frame shows.

    Raises:
        NotFound: there is none that they may know of, or it is being deleted.
    """
    access = open_store(request.caller, store_id)
    access.require_known()
    store = access.store
    names = Names(request.caller.workspace_id, [(store.owner_kind, store.owner_uuid)])
    open_count = open_counts([store_id]).get(store_id, 0) if access.may(Permission.READ) else 0
    context = {
        "access": access,
        "store": store,
        "owner": names.of(store.owner_kind, store.owner_uuid),
        "tabs": [
            {
                "name": name,
                "label": label,
                "icon": icon,
                "url": reverse(f"console:store-{name}", args=[store_id]),
                "count": open_count if name == "proposals" else 0,
                "is_here": name == tab,
                "is_fenced": name in VERSIONED and not settings.VERSIONED_SURFACE,
            }
            for name, label, icon in TABS
        ],
        "may": {permission.value: access.may(permission) for permission in Permission},
        "may_erase": request.caller.is_admin and store.lifecycle not in HIDDEN,
        "takes_writes": store.lifecycle == "active",
        "is_hidden": store.lifecycle in HIDDEN,
    }
    return Tab(access, context)


def content_tab(name: str) -> Callable[[View], View]:
    """Make a page that shows content of one store: fenced, and for those with `read` only.

    The view gets the opened `Tab` in place of the store's ID. A Workspace admin without the
    grant is told which one is missing (contract §0).
    """

    def decorate(view: View) -> View:
        @require_safe
        @for_person
        @versioned
        @functools.wraps(view)
        def run(request: ConsoleRequest, store_id: str, **captured: Any) -> HttpResponseBase:
            tab = open_tab(request, store_id, name)
            if not tab.access.may(Permission.READ):
                return _without_content(request, tab)
            tab.access.require_visible()
            return view(request, tab, **captured)

        return run

    return decorate


def _without_content(request: ConsoleRequest, tab: Tab) -> HttpResponse:
    return render_page(request, "console/store/no_grant.html", tab.context, status=403)
