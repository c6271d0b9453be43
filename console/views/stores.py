"""The list of stores, and the tabs of one store that show what is in it."""

from typing import Any

from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from console.browsing import Place
from console.door import for_person
from console.naming import Names
from console.overview import overview_of, writers_of
from console.pages import slice_by_id
from console.parsing import directory_parameter, version_parameter, words_parameter
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import render_page, wants_fragment
from console.stores import stores_for_list
from console.views.store_shell import Tab, content_tab
from memory.api.trees import acquire_entries
from memory.publication import Acquired
from memory.queries import refs, versions
from memory.queries.documents import find_paths, list_directory
from memory.queries.tags import tags_held, tags_of
from proposals.queries.queue import open_counts

LISTED = 200
"""Documents and directories on one page."""


@require_safe
@for_person
def store_list(request: ConsoleRequest) -> HttpResponseBase:
    """Every store that the person may know of."""
    words = words_parameter(request)
    archived = bool(request.GET.get("archived"))
    found = slice_by_id(
        stores_for_list(request.caller, words=words, archived=archived),
        request.GET.get("page"),
    )
    owners = [(store.owner_kind, store.owner_uuid) for store in found.rows]
    names = Names(request.caller.workspace_id, owners)
    open_proposals = open_counts([store.id for store in found.rows])
    context = {
        "rows": [
            {"store": store, "owner": names.of(*owner), "open": open_proposals.get(store.id, 0)}
            for store, owner in zip(found.rows, owners, strict=True)
        ],
        "next_page": found.next_page,
        "words": words,
        "archived": archived,
    }
    return render_page(request, "console/stores.html", context, fragment="results")


@content_tab("documents")
def documents(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """The documents of canonical, or of an exact version, one directory at a time."""
    wanted = version_parameter(request, "version")
    version_id = versions.resolve(tab.access.store_id, wanted)
    words = words_parameter(request)
    place = Place(directory_parameter(request))
    context = tab.context | {
        "place": place,
        "words": words,
        "version_id": version_id,
        "is_canonical": version_id == tab.access.store.canonical_id,
        "pinned": wanted is not None,
        **(_found(version_id, words) if words else _listed(request, version_id, place)),
    }
    context["writers"] = writers_of(tab.access, context["documents"])
    acquired = [acquire_entries(tab.access, context["documents"])]
    if not (wanted or words or wants_fragment(request)) and place.path == "/":
        told, held = overview_of(tab.access)
        context["overview"] = told
        acquired.append(held)
    return publish_page(
        request, "console/store/documents.html", context, acquired, fragment="listing"
    )


def _found(version_id: str, words: str) -> dict[str, Any]:
    found = find_paths(version_id, words, limit=LISTED + 1)
    return {"documents": found[:LISTED], "too_many": len(found) > LISTED}


def _listed(request: ConsoleRequest, version_id: str, place: Place) -> dict[str, Any]:
    after = request.GET.get("after") or None
    level = list_directory(version_id, place.path, after=after, limit=LISTED)
    names = [path.removeprefix(place.path).rstrip("/") for path in level.directories]
    return {
        "folders": list(zip(names, level.directories, strict=True)),
        "documents": level.documents,
        "after": level.after,
    }


@content_tab("refs")
def ref_list(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """The store's refs, and every movement of them."""
    store_id = tab.access.store_id
    found = slice_by_id(refs.reflog_of(store_id), request.GET.get("page"))
    moves = list(found.rows)
    tagged = slice_by_id(tags_of(store_id), request.GET.get("tags"))
    acting = [*moves, *tagged.rows]
    names = Names(request.caller.workspace_id, [(m.actor_kind, m.actor_uuid) for m in acting])
    context = tab.context | {
        "refs": list(refs.refs_of(store_id)),
        "moves": [(move, _mover(names, move)) for move in moves],
        "next_page": found.next_page,
        "tags": [(tag, _mover(names, tag)) for tag in tagged.rows],
        "older_tags": tagged.next_page,
    }
    acquired = [Acquired(tab.access, held=[tags_held(tagged.rows)])]
    return publish_page(request, "console/store/refs.html", context, acquired, fragment="moves")


def _mover(names: Names, move: Any) -> Any:
    return names.of(move.actor_kind, move.actor_uuid)
