"""The files of a diff: their lines, what stands beside them, and the ways to more of them.

What a page repeats for each of a hundred files is drawn here and in no template: including one
costs more than all that it draws.
"""

from typing import Any

from django import template
from django.http import HttpRequest
from django.template.context import Context
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from console.drawing import filepanels
from console.drawing.diffoptions import DEFAULT, LAYOUTS, SPACES, VIEWS, DiffOptions
from console.drawing.diffs import FileDiff
from console.drawing.difftables import NOTHING, Opens
from console.drawing.rendereddiffs import Rendering, render_file
from console.links import file_url
from console.proposals.comments import FileTalks
from memory.diffs.lines import Gap, Opened

register = template.Library()


@register.simple_tag(takes_context=True)
def file_panel(context: Context, file: FileDiff, *, plain: bool = False) -> SafeString:
    """A changed file with its lines.

    Args:
        plain: nothing stands beside the lines, and nothing leads to more of them.
    """
    said = _talks_of(context, file)
    if file.is_lines_alone and not (said and (said.above or said.asks_above)):
        table = plain_table(file) if plain else file_table(context, file, said)
        return filepanels.panel(file, said, _around(context), filepanels.scrolling(table))
    told = context.template.engine.get_template("console/diff/_file.html")  # type: ignore[union-attr]
    with context.push(file=file, said=said, plain=plain):
        return filepanels.panel(file, said, _around(context), told.render(context))


def _talks_of(context: Context, file: FileDiff) -> FileTalks | None:
    """What was said about a file of a Proposal's diff; None where a page takes no comments."""
    talks = context.get("talks")
    return talks.of(file) if talks and talks.files else None


@register.simple_tag(takes_context=True)
def tree_row(context: Context, file: FileDiff) -> SafeString:
    """A file in the list of files."""
    return filepanels.tree_row(file, _talks_of(context, file), context.get("progress"))


@register.simple_tag(takes_context=True)
def viewed_parts(context: Context, file: FileDiff) -> SafeString:
    """The button that ticks a file off, and its tick in the list for htmx to put there."""
    around, progress = _around(context), context["progress"]
    box = filepanels.viewed_box(file, around, progress)
    return SafeString(box + filepanels.viewed_mark(file, progress, oob=True))


@register.simple_tag
def letter(file: FileDiff) -> SafeString:
    """What happened to a file."""
    return SafeString(filepanels.letter(file))


def _around(context: Context) -> filepanels.Around:
    proposal = context.get("proposal")
    return filepanels.Around(
        context["store"].id,
        context.get("diff"),
        context.get("progress"),
        proposal.id if proposal else "",
        str(context["csrf_token"]),
    )


@register.simple_tag(takes_context=True)
def file_address(context: Context, file: FileDiff) -> str:
    """One file of the diff in full, on a page of its own or as the part that htmx takes."""
    diff, store, talks = context["diff"], context["store"], context.get("talks")
    options: DiffOptions = context.get("options") or DEFAULT
    address = f"{file_url(store.id, diff.base, diff.head, file.change.path)}&{options.query}"
    return f"{address}&proposal={talks.proposal.id}" if talks and talks.files else address


@register.simple_tag(takes_context=True)
def load_address(context: Context, file: FileDiff) -> str:
    """This page with the file in full."""
    asked = _request(context).GET.copy()
    asked.appendlist("load", file.change.path)
    return f"{context.get('address', '')}?{asked.urlencode()}#{file.anchor}"


@register.simple_tag(takes_context=True)
def file_table(context: Context, file: FileDiff, beside: FileTalks | None = None) -> SafeString:
    """The lines of a file's diff, with what is to stand beside them."""
    return SafeString(file.table(beside or NOTHING, _opens(context, file)))


@register.simple_tag
def plain_table(file: FileDiff) -> SafeString:
    """The lines of a diff that is sealed nowhere: there is no address for more of it."""
    return SafeString(file.table())


def _opens(context: Context, file: FileDiff) -> Opens:
    address = conditional_escape(f"{file_address(context, file)}&gaps=")

    def href(gap: Gap, opened: Opened) -> str:
        return f"{address}{file.options.with_gap(gap, opened)}"

    return href


@register.simple_tag(takes_context=True)
def file_rendering(context: Context, file: FileDiff) -> Rendering | None:
    """Both sides of a Markdown file as they are read; None where that was not asked for."""
    if not file.options.renders:
        return None
    return render_file(file, context["store"].id, context["diff"])


@register.inclusion_tag("console/diff/_switches.html", takes_context=True)
def diff_switches(context: Context) -> dict[str, Any]:
    """The ways to see a diff otherwise, with the rest of the address kept."""
    options: DiffOptions = context["options"]
    space = SPACES[not options.ignores_space]
    view = VIEWS[not options.renders]
    return {
        "options": options,
        "hidden": context["diff"].hidden_lines,
        "layouts": [(name, _with(context, layout=name)) for name in LAYOUTS],
        "space_url": _with(context, space=space),
        "view_url": _with(context, view=view),
    }


def _with(context: Context, **chosen: str) -> str:
    asked = _request(context).GET.copy()
    for name, value in chosen.items():
        asked[name] = value
    return f"{context.get('address', '')}?{asked.urlencode()}#diff"


def _request(context: Context) -> HttpRequest:
    request: HttpRequest = context["request"]
    return request
