"""Which documents of canonical a glob of a review rule matches: looked at before it is saved."""

from typing import Final

from django.http import HttpResponseBase

from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import render_page
from console.views.store_shell import Tab, content_tab
from memory.documents.globs import matcher, parse_glob
from memory.documents.paths import PathError
from memory.publication import Acquired
from memory.queries.versions import resolve
from memory.trees.storage import load_entries

SHOWN: Final = 50
"""Paths that are named; the others are counted."""

TEMPLATE: Final = "console/store/rule_matches.html"


@content_tab("settings")
def rule_matches(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """The paths of canonical that a glob matches, as a page or while it is typed."""
    typed = request.GET.get("paths", "")
    if not typed:
        return render_page(request, TEMPLATE, tab.context, fragment="matches")
    try:
        matches = matcher(parse_glob(typed))
    except PathError as error:
        context = tab.context | {"glob": typed, "problem": str(error)}
        return render_page(request, TEMPLATE, context, fragment="matches")
    version_id = resolve(tab.access.store_id, None)
    paths = [entry.path for entry in load_entries(version_id)]
    found = [path for path in paths if matches(path)]
    context = tab.context | {
        "glob": typed,
        "version_id": version_id,
        "found": found[:SHOWN],
        "found_count": len(found),
        "path_count": len(paths),
    }
    return publish_page(request, TEMPLATE, context, [Acquired(tab.access)], fragment="matches")
