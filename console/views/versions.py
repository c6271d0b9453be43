"""One version with its diff to its parent, and any two versions compared."""

from typing import Any, Final

from django.http import HttpResponseBase

from console.drawing.diffoptions import options_of, remember_layout
from console.drawing.diffs import Diff, load_diff, load_file
from console.forms.proposals import WordsForm
from console.forms.versions import HistoryForm, TagForm
from console.history.rows import Row, acquire_rows, rows_of
from console.history.searching import authors_of, matching
from console.naming import Names
from console.overview import origin_of
from console.pages import slice_by_id
from console.parsing import path_parameter, proposal_parameter, version_parameter
from console.people import ConsoleRequest
from console.proposals.comments import Talks, load_talks
from console.proposals.viewing import load_progress
from console.publishing import acquire_diff, publish_page
from console.templatetags.console import short_id
from console.views.store_shell import Tab, content_tab
from memory.actions.tags import may_delete
from memory.api.versions import acquire_versions
from memory.publication import Acquired
from memory.queries import refs, versions
from memory.queries.erased import erased_in_tree
from memory.queries.tags import tags_at, tags_held
from proposals.publication import comments_held
from proposals.queries.rows import get_proposal
from wire.errors import Malformed, NotFound

OFFERED: Final = 12
"""Versions that the search of a comparison offers at once."""


@content_tab("history")
def version(request: ConsoleRequest, tab: Tab, version_id: str) -> HttpResponseBase:
    """What one version is, who made it, and what it changed."""
    store_id = tab.access.store_id
    found = versions.get_version(store_id, version_id)
    names = Names(request.caller.workspace_id, [(found.actor_kind, found.actor_uuid)])
    options = options_of(request)
    diff = load_diff(found.parent_id, found.id, options) if found.parent_id else None
    here = [ref for ref in refs.refs_of(store_id) if ref.version_id == found.id]
    tags = tags_at([found.id]).get(found.id, [])
    context = tab.context | {
        "version": found,
        "tags": [(tag, may_delete(tab.access, tag)) for tag in tags],
        "tag_form": TagForm(),
        "origin": None if found.parent_id else origin_of(tab.access),
        "note": getattr(found, "note", None),
        "actor": names.actor(found),
        "refs": here,
        "diff": diff,
        "erased": erased_in_tree(found.id),
        "options": options,
        "restore_form": WordsForm(
            initial={
                "title": f"Restore {short_id(found.id)}",
                "base_version": tab.access.store.canonical_id,
            }
        ),
    }
    acquired = [acquire_versions(tab.access, [found]), acquire_diff(tab.access, diff)]
    acquired.append(Acquired(tab.access, held=[tags_held(tags)]))
    response = publish_page(request, "console/version.html", context, acquired)
    remember_layout(request, response)
    return response


@content_tab("history")
def compare(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """The difference of any two versions of the store, and a search for either."""
    base, head = version_parameter(request, "base"), version_parameter(request, "head")
    ends, options = _ends(tab, base, head), options_of(request)
    context: dict[str, Any] = tab.context | {
        "base": base,
        "head": head,
        "ends": ends,
        "options": options,
    }
    acquired = [acquire_rows(tab.access, list(ends.values()))]
    if not (base and head) or request.GET.get("pick"):
        context |= _picker(request, tab)
        acquired.append(acquire_rows(tab.access, context["offers"]))
        status = context["form"].status
        return publish_page(request, "console/compare.html", context, acquired, status=status)
    diff = load_diff(base, head, options)
    acquired.append(acquire_diff(tab.access, diff))
    response = publish_page(request, "console/compare.html", context | {"diff": diff}, acquired)
    remember_layout(request, response)
    return response


def _ends(tab: Tab, *named: str | None) -> dict[str, Row]:
    """The versions that are compared, by their IDs. Raises NotFound for one that is none."""
    wanted = {version_id for version_id in named if version_id}
    versions.require_versions(tab.access.store_id, wanted)
    found = versions.versions_of(tab.access.store_id).filter(id__in=wanted)
    return {row.version.id: row for row in rows_of(tab.access, list(found))} if wanted else {}


def _picker(request: ConsoleRequest, tab: Tab) -> dict[str, Any]:
    """Versions to compare: the newest ones, or those that a search finds."""
    form = HistoryForm(request.GET, authors=authors_of(tab.access))
    if not form.is_valid():
        return {"form": form, "offers": [], "next_page": None}
    found = slice_by_id(
        matching(tab.access.store_id, form.cleaned_data), request.GET.get("page"), size=OFFERED
    )
    offers = rows_of(tab.access, list(found.rows))
    return {"form": form, "offers": offers, "next_page": found.next_page}


@content_tab("history")
def compare_file(request: ConsoleRequest, tab: Tab) -> HttpResponseBase:
    """One changed path in full: where a page that holds it back leads to."""
    base, head = version_parameter(request, "base"), version_parameter(request, "head")
    if not (base and head):
        raise Malformed("base and head: name two versions.")
    path, options = path_parameter(request), options_of(request)
    diff = load_file(*_both(tab, base, head), path, options)
    if not diff.files:
        raise NotFound("This path did not change between these versions.")
    context: dict[str, Any] = tab.context | {
        "diff": diff,
        "file": diff.files[0],
        "options": options,
    }
    acquired = [acquire_diff(tab.access, diff)]
    talks = _talks(request, tab, diff)
    if talks:
        progress = load_progress(request, tab.access, diff.changes)
        context |= {"talks": talks, "proposal": talks.proposal, "progress": progress}
        acquired.append(Acquired(tab.access, held=[comments_held(talks.comments)]))
    return publish_page(request, "console/compare_file.html", context, acquired, fragment="file")


def _both(tab: Tab, base: str, head: str) -> tuple[str, str]:
    """Both versions, known to be this store's. Raises NotFound."""
    store_id = tab.access.store_id
    return versions.resolve(store_id, base), versions.resolve(store_id, head)


def _talks(request: ConsoleRequest, tab: Tab, diff: Diff) -> Talks | None:
    """What was said of the file, when it is loaded into the page of the Proposal that is named.

    Raises:
        NotFound: the store has no such Proposal, or it is about other versions.
    """
    named = proposal_parameter(request, "proposal")
    if named is None:
        return None
    proposal = get_proposal(tab.access, named).proposal
    if (proposal.base_id, proposal.head_id) != (diff.base, diff.head):
        raise NotFound("This Proposal is about other versions.")
    return load_talks(request, tab.access, proposal, files=diff.files)
