"""The files of a diff: their lines, what stands beside them, and the ways to more of them.

What a page repeats for each of a hundred files is drawn here and in no template: including one
costs more than all that it draws.
"""

from typing import Any

from django import template
from django.http import HttpRequest
from django.template.context import Context
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from console.drawing.diffoptions import DEFAULT, LAYOUTS, SPACES, VIEWS, DiffOptions
from console.drawing.diffs import FileDiff
from console.drawing.difftables import NOTHING, Opens
from console.drawing.rendereddiffs import Rendering, render_file
from console.links import file_url
from console.proposals.comments import FileTalks
from console.templatetags.console import icon
from memory.diffs.lines import Gap, Opened

register = template.Library()

_OOB = SafeString(' hx-swap-oob="true"')
_VIEWED = SafeString(
    '<span class="plus" title="Viewed">{}<span class="visually-hidden">viewed</span></span>'
)


@register.simple_tag(takes_context=True)
def file_talks(context: Context, file: FileDiff) -> FileTalks | None:
    """What was said about a file of a Proposal's diff; None where a page takes no comments."""
    talks = context.get("talks")
    return talks.of(file) if talks and talks.files else None


@register.simple_tag(takes_context=True)
def viewed_box(context: Context, file: FileDiff) -> SafeString:
    """The button that ticks a file off, and on again."""
    viewed = context["progress"].has(file)
    return format_html(
        '<form method="post" class="viewed-box" action="{}" hx-post="{}" hx-swap="outerHTML">'
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
        '<input type="hidden" name="path" value="{}">'
        '<button class="btn small" id="view-{}" name="viewed" value="{}" aria-pressed="{}"'
        " data-viewed-box>{}Viewed</button></form>",
        *[reverse("console:proposal-viewed", args=[context["proposal"].id])] * 2,
        context["csrf_token"],
        file.change.path,
        file.number,
        "no" if viewed else "yes",
        "true" if viewed else "false",
        icon("check-circle" if viewed else "eye"),
    )


@register.simple_tag(takes_context=True)
def viewed_mark(context: Context, file: FileDiff, *, oob: bool = False) -> SafeString | str:
    """The tick of a file in the list of files; nothing where nobody is asked to view them."""
    progress = context.get("progress")
    if not progress:
        return ""
    return format_html(
        '<span id="viewed-{}"{} class="viewed-mark">{}</span>',
        file.number,
        _OOB if oob else "",
        format_html(_VIEWED, icon("check")) if progress.has(file) else "",
    )


@register.simple_tag
def letter(file: FileDiff) -> SafeString:
    """What happened to a file: one letter, and the word for it."""
    if file.is_redacted:
        return _letter("redacted", icon("eye-slash"))
    return _letter(str(file.change.status), file.letter)


def _letter(happened: str, shown: str) -> SafeString:
    return format_html(
        '<span class="letter" data-change="{}" title="{}">{}</span>',
        happened,
        happened.capitalize(),
        shown,
    )


@register.simple_tag(takes_context=True)
def file_address(context: Context, file: FileDiff) -> str:
    """One file of the diff in full, on a page of its own or as the part that htmx takes."""
    diff, store, talks = context["diff"], context["store"], context.get("talks")
    options: DiffOptions = context.get("options", DEFAULT)
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
