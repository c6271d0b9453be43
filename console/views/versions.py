"""One version with its diff to its parent, and any two versions compared."""

from typing import Any

from django.http import HttpResponseBase

from console.diffing import Diff, layout_of, load_diff, load_file, remember_layout
from console.naming import Names
from console.parsing import path_parameter, version_parameter
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import render_page
from console.views.store_shell import Tab, content_tab
from memory.publication import Acquired
from memory.queries import refs, versions
from wire.errors import Malformed, NotFound


@content_tab("history")
def version(request: ConsoleRequest, tab: Tab, version_id: str) -> HttpResponseBase:
    """What one version is, who made it, and what it changed."""
    store_id = tab.access.store_id
    found = versions.get_version(store_id, version_id)
    names = Names(request.caller.workspace_id, [(found.actor_kind, found.actor_uuid)])
    diff = load_diff(found.parent_id, found.id) if found.parent_id else None
    here = [ref for ref in refs.refs_of(store_id) if ref.version_id == found.id]
    context = tab.context | {
        "version": found,
        "note": getattr(found, "note", None),
        "actor": names.actor(found),
        "refs": here,
        "diff": diff,
        "layout": layout_of(request),
    }
    response = publish_page(request, "console/version.html", context, _acquired(tab, diff))
    remember_layout(request, response)
    return response


@content_tab("history")
def compare(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """The difference of any two versions of the store."""
    base, head = version_parameter(request, "base"), version_parameter(request, "head")
    context = tab.context | {
        "base": base,
        "head": head,
        "layout": layout_of(request),
        "recent": list(versions.versions_of(tab.access.store_id)[:30]),
    }
    if not (base and head):
        return render_page(request, "console/compare.html", context)
    diff = load_diff(*_both(tab, base, head))
    response = publish_page(
        request, "console/compare.html", context | {"diff": diff}, _acquired(tab, diff)
    )
    remember_layout(request, response)
    return response


@content_tab("history")
def compare_file(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """One changed path in full: where a page that holds it back leads to."""
    base, head = version_parameter(request, "base"), version_parameter(request, "head")
    if not (base and head):
        raise Malformed("base and head: name two versions.")
    path = path_parameter(request)
    diff = load_file(*_both(tab, base, head), path)
    if not diff.files:
        raise NotFound("This path did not change between these versions.")
    context: dict[str, Any] = tab.context | {
        "diff": diff,
        "file": diff.files[0],
        "layout": layout_of(request),
        "loaded": True,
    }
    return publish_page(
        request, "console/compare_file.html", context, _acquired(tab, diff), fragment="file"
    )


def _both(tab: Tab, base: str, head: str) -> tuple[str, str]:
    """Both versions, known to be this store's. Raises NotFound."""
    store_id = tab.access.store_id
    return versions.resolve(store_id, base), versions.resolve(store_id, head)


def _acquired(tab: Tab, diff: Diff | None) -> list[Acquired]:
    return [Acquired(access=tab.access, bodies=diff.body_ids if diff else ())]
