"""The history of a store: its versions on every branch, and what narrows them."""

from collections.abc import Sequence
from typing import Any, Final

from django.db import models
from django.http import HttpResponseBase

from console.forms.versions import HistoryForm
from console.history.branches import Branches, walk
from console.history.graph import Graph
from console.history.searching import authors_of, matching
from console.naming import Names
from console.pages import SIZE
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.views.store_shell import Tab, content_tab
from memory.api.versions import acquire_versions
from memory.models import MemoryVersion, Ref
from memory.publication import Acquired
from memory.queries import refs, versions
from memory.queries.erased import erased_in_changes
from memory.queries.lines import first_changes
from memory.queries.tags import tags_at, tags_held
from wire.errors import Malformed
from wire.paging import decode_page, encode_page

PATHS: Final = 3
"""Changed paths that a row names."""


@content_tab("history")
def history(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """Versions of the store, newest first, with the lines between them unless some are left out."""
    form = HistoryForm(request.GET, authors=authors_of(tab.access))
    context: dict[str, Any] = tab.context | {"form": form, "rows": []}
    found: list[MemoryVersion] = []
    if form.is_valid():
        is_filtered = any(form.cleaned_data.values())
        found, next_page, rows = _page(request, tab, form, draws=not is_filtered)
        context |= {"rows": rows, "next_page": next_page, "is_filtered": is_filtered}
        context["width"] = max((row["dot"].width for row in rows if row["dot"]), default=1)
    tags = [tag for row in context["rows"] for tag in row["tags"]]
    acquired = [
        acquire_versions(tab.access, found),
        Acquired(tab.access, held=[tags_held(tags)]),
    ]
    return publish_page(
        request,
        "console/store/history.html",
        context,
        acquired,
        fragment="rows",
        status=form.status,
    )


def _page(
    request: ConsoleRequest, tab: Tab, form: HistoryForm, *, draws: bool
) -> tuple[list[MemoryVersion], str | None, list[dict[str, Any]]]:
    """The versions of one page, where the next begins, and what is shown of each."""
    position = decode_page(request.GET.get("page") or None, str, str)
    wanted = matching(tab.access.store_id, form.cleaned_data)
    try:
        if position:
            wanted = wanted.filter(id__lt=position[0])
        found = list(wanted.fetch_mode(models.FETCH_RAISE)[: SIZE + 1])
    except ValueError as error:
        raise Malformed("page: not a position of this list.") from error
    shown = found[:SIZE]
    graph = Graph(position[1] if position else "") if draws else None
    rows = _rows(request, tab, shown, graph)
    more = len(found) > SIZE
    return shown, encode_page(shown[-1].id, graph.state if graph else "") if more else None, rows


def _rows(
    request: ConsoleRequest, tab: Tab, shown: Sequence[MemoryVersion], graph: Graph | None
) -> list[dict[str, Any]]:
    store_id, wanted = tab.access.store_id, [version.id for version in shown]
    names = Names(
        request.caller.workspace_id, [(each.actor_kind, each.actor_uuid) for each in shown]
    )
    counts, paths = versions.change_counts(wanted), first_changes(wanted, limit=PATHS)
    erased, standing = erased_in_changes(wanted), list(refs.refs_of(store_id))
    canonical = tab.access.store.canonical_id
    branches = Branches(shown, canonical, standing)
    labels, tags = _labels(standing), tags_at(wanted)
    return [
        {
            "version": version,
            "note": getattr(version, "note", None),
            "actor": names.actor(version),
            "branch": branch,
            "dot": dot,
            "changed": counts.get(version.id, 0),
            "paths": paths.get(version.id, ()),
            "more_paths": counts.get(version.id, 0) - len(paths.get(version.id, ())),
            "erased": erased.get(version.id),
            "refs": labels.get(version.id, ()),
            "tags": tags.get(version.id, ()),
        }
        for version, branch, dot in walk(shown, branches, graph)
    ]


def _labels(standing: Sequence[Ref]) -> dict[str, list[tuple[str, str | None]]]:
    """Version → the refs that stand at it, as (kind, owner's ID)."""
    labels: dict[str, list[tuple[str, str | None]]] = {}
    for ref in standing:
        labels.setdefault(ref.version_id, []).append((ref.kind, ref.owner_id))
    return labels
