"""The head of a changed file and its row in the list of files, as a page repeats them.

Python and no template, as for the lines: a page holds a hundred of each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from django.utils.safestring import SafeString

from console.drawing.diffs import Diff, FileDiff
from console.drawing.safety import loud_in
from console.drawing.visible import visible_text
from console.icons import copy_button, icon
from console.links import document_url, viewed_url
from console.proposals.comments import FileTalks
from console.proposals.viewing import Progress
from memory.textsafety.concerns import Concern

_OOB: Final = ' hx-swap-oob="true"'


@dataclass(frozen=True, slots=True)
class Around:
    """What the page knows besides its diff.

    Attributes:
        diff: None where a text stands in a form, sealed nowhere.
        progress: what the person has viewed; None where nobody is asked to view.
        proposal_id: of the page, where there is one.
    """

    store_id: str
    diff: Diff | None
    progress: Progress | None
    proposal_id: str
    csrf_token: str


def letter(file: FileDiff) -> str:
    """What happened to a file: one letter, and the word for it."""
    happened = "redacted" if file.is_redacted else str(file.change.status)
    shown = icon("eye-slash") if file.is_redacted else file.letter
    word = happened.capitalize()
    return f'<span class="letter" data-change="{happened}" title="{word}">{shown}</span>'


def panel(file: FileDiff, said: FileTalks | None, around: Around, body: str) -> SafeString:
    """A file: its head, and below it what is shown of the change."""
    return SafeString(
        f'<section class="panel file" id="{file.anchor}" data-file'
        f' aria-label="{escape(file.change.path)}">{_head(file, said, around)}{body}</section>\n'
    )


def scrolling(table: str) -> str:
    """A table of lines that scrolls by itself where it is too wide."""
    return f'<div class="diff-scroll">{table}</div>'


def _head(file: FileDiff, said: FileTalks | None, around: Around) -> str:
    return (
        f'<div class="panel-head"><h3>{letter(file)}<span class="path">{_path(file)}</span>'
        f"{copy_button(file.change.path, 'the path')}</h3>"
        f'<div class="cluster">{"".join(_facts(file, said, around))}</div></div>'
    )


def _path(file: FileDiff) -> str:
    old = file.change.old_path
    before = f"{visible_text(old)} \N{RIGHTWARDS ARROW} " if old else ""
    return f"{before}{visible_text(file.change.path)}"


def _facts(file: FileDiff, said: FileTalks | None, around: Around) -> Iterator[str]:
    yield from _concerns(file)
    if file.counts:
        added, removed = file.counts
        yield (
            f'<span class="nowrap"><span class="plus">+{added:,}</span>'
            f' <span class="minus">\N{MINUS SIGN}{removed:,}</span></span>'
        )
    if said and said.talks.may_comment:
        yield f'<a class="small" href="{escape(said.url)}">Comment</a>'
    if around.diff:
        after = file.change.after
        version = around.diff.head if after else around.diff.base
        url = escape(document_url(around.store_id, file.change.path, version))
        yield f'<a class="small" href="{url}">View {"document" if after else "as it was"}</a>'
    if around.progress:
        yield viewed_box(file, around, around.progress)


def _concerns(file: FileDiff) -> Iterator[str]:
    if not file.scan:
        return
    loud = loud_in(file.scan.counts)
    for words, icon_name in ((loud.hidden_words, "eye-slash"), (loud.secret_words, "key")):
        if words:
            yield _badge(words, "bad", icon_name)
    alike = file.scan.counts.get(Concern.LOOKALIKES, 0)
    if alike:
        yield _badge(f"{alike:,} look-alike{'' if alike == 1 else 's'}", "warn", "language")


def _badge(words: str, tone: str, icon_name: str) -> str:
    return f'<span class="badge" data-tone="{tone}">{icon(icon_name)}{words}</span>'


def viewed_box(file: FileDiff, around: Around, progress: Progress) -> str:
    """The button that ticks a file off, and on again."""
    viewed, url = progress.has(file), viewed_url(around.proposal_id)
    return (
        f'<form method="post" class="viewed-box" action="{url}" hx-post="{url}"'
        ' hx-swap="outerHTML"><input type="hidden" name="csrfmiddlewaretoken"'
        f' value="{around.csrf_token}">'
        f'<input type="hidden" name="path" value="{escape(file.change.path)}">'
        f'<button class="btn small" id="view-{file.number}" name="viewed"'
        f' value="{"no" if viewed else "yes"}" aria-pressed="{"true" if viewed else "false"}"'
        f" data-viewed-box>{icon('check-circle' if viewed else 'eye')}Viewed</button></form>"
    )


def viewed_mark(file: FileDiff, progress: Progress, *, oob: bool = False) -> str:
    """The tick of a file in the list of files."""
    tick = (
        f'<span class="plus" title="Viewed">{icon("check")}'
        '<span class="visually-hidden">viewed</span></span>'
    )
    shown = tick if progress.has(file) else ""
    return (
        f'<span id="viewed-{file.number}"{_OOB if oob else ""} class="viewed-mark">{shown}</span>'
    )


def tree_row(file: FileDiff, said: FileTalks | None, progress: Progress | None) -> SafeString:
    """A file in the list of files."""
    name = visible_text(file.change.path.rpartition("/")[2])
    return SafeString(
        f'<li data-path="{escape(file.change.path)}"><a href="#{file.anchor}">{letter(file)}'
        f'<span class="name">{name}</span>'
        f'<span class="counts">{"".join(_marks(file, said, progress))}</span></a></li>\n'
    )


def _marks(file: FileDiff, said: FileTalks | None, progress: Progress | None) -> Iterator[str]:
    if progress:
        yield viewed_mark(file, progress)
    if said and said.all:
        yield _threads(len(said.all), said.open_count)
    loud = loud_in(file.scan.counts) if file.scan else None
    if loud:
        yield f'<span class="minus" title="{loud.words}">{icon("shield-exclamation")}</span>'
    if file.erasures:
        yield '<span class="muted">erased</span>'
    elif file.counts is None:
        yield '<span class="muted">?</span>'
    else:
        added, removed = file.counts
        yield f'<span class="plus">+{added}</span>' if added else ""
        yield f'<span class="minus">\N{MINUS SIGN}{removed}</span>' if removed else ""


def _threads(count: int, unresolved: int) -> str:
    words = f" thread{'' if count == 1 else 's'}, {unresolved} unresolved"
    tone = ' data-tone="warn"' if unresolved else ""
    return (
        f'<span class="talk-count"{tone} title="{count}{words}">{icon("chat-bubble-left")}{count}'
        f'<span class="visually-hidden">{words}</span></span>'
    )
