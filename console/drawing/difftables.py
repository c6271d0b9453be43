"""Hunks as table rows. Python and no template: a page holds thousands of rows, and a template
takes twenty times as long for each. Only `visible_text` lets anything of a document through."""

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from django.utils.safestring import SafeString

from console.drawing.linenotes import NO_NOTES, Notes
from console.drawing.visible import visible_text
from memory.diffs.lines import Hunk, Line, LineKind, split_rows

_UNIFIED_COLUMNS = '<col class="ln"><col class="ln"><col class="sg"><col>'
_SPLIT_COLUMNS = '<col class="ln"><col class="sg"><col>' * 2

_CSS = {LineKind.CONTEXT: "", LineKind.ADDED: " add", LineKind.REMOVED: " del"}
_SIGNS = {LineKind.CONTEXT: "", LineKind.ADDED: "+", LineKind.REMOVED: "\N{MINUS SIGN}"}
_STARTS = " data-change-start"

_CRLF = '<span class="eol" title="This line ends with CR LF">CRLF</span>'
_NO_NEWLINE = '<span class="eol">No newline at end of file</span>'
_NO_LINE = '<td class="ln none"></td><td class="sg none"></td><td class="tx none"></td>'


class Beside(Protocol):
    """What a page adds to the lines of one file, as HTML."""

    def number(self, line: Line, number: int) -> str:
        """What stands for the line's number."""

    def below(self, line: Line, columns: int) -> str:
        """Rows beneath a line, over as many columns; empty for none."""


class _Nothing:
    """Numbers alone, and nothing beneath."""

    def number(self, line: Line, number: int) -> str:
        return str(number)

    def below(self, line: Line, columns: int) -> str:
        return ""


NOTHING: Final[Beside] = _Nothing()


def unified_table(
    hunks: Iterable[Hunk], beside: Beside = NOTHING, notes: Notes = NO_NOTES
) -> SafeString:
    """One line a row, with its numbers in both texts.

    Args:
        notes: what to say at the end of lines of the new text.
    """
    body = "".join(
        f"{_unified_head(hunk)}{''.join(_unified_rows(hunk, beside, notes))}" for hunk in hunks
    )
    return _table("code diff", _UNIFIED_COLUMNS, body)


def split_table(
    hunks: Iterable[Hunk], beside: Beside = NOTHING, notes: Notes = NO_NOTES
) -> SafeString:
    """The old text beside the new one. Arguments as above."""
    body = "".join(
        f"{_split_head(hunk)}{''.join(_split_rows(hunk, beside, notes))}" for hunk in hunks
    )
    return _table("code diff split", _SPLIT_COLUMNS, body)


def _table(css: str, columns: str, body: str) -> SafeString:
    return SafeString(
        f'<table class="{css}"><colgroup>{columns}</colgroup><tbody>{body}</tbody></table>'
    )


def _unified_head(hunk: Hunk) -> str:
    empty = '<td class="ln"></td><td class="ln"></td><td class="sg"></td>'
    return f'<tr class="hunk">{empty}<td class="tx">{hunk.header}</td></tr>\n'


def _split_head(hunk: Hunk) -> str:
    empty = '<td class="ln"></td><td class="sg"></td>'
    return f'<tr class="hunk">{empty}<td class="tx" colspan="4">{hunk.header}</td></tr>\n'


def _unified_rows(hunk: Hunk, beside: Beside, notes: Notes) -> Iterator[str]:
    changing = False
    for line in hunk.lines:
        changed = line.kind is not LineKind.CONTEXT
        starts = _STARTS if changed and not changing else ""
        # An unchanged line is led to from its new number alone: it is one line, not two.
        old = _number(line, line.old_number, beside if changed else NOTHING)
        yield f"<tr{starts}>{old}{_cells(line, line.new_number, beside, notes)}</tr>\n"
        yield beside.below(line, 4)
        changing = changed


def _split_rows(hunk: Hunk, beside: Beside, notes: Notes) -> Iterator[str]:
    changing = False
    for left, right in split_rows(hunk):
        changed = left is not right
        marks = ' class="same"' if not changed else "" if changing else _STARTS
        # Narrow screens show the left half alone of what is the same on both sides.
        old_notes, new_notes = (NO_NOTES, notes) if changed else (notes, NO_NOTES)
        old = _cells(left, left.old_number, beside, old_notes) if left else _NO_LINE
        new = _cells(right, right.new_number, beside, new_notes) if right else _NO_LINE
        yield f"<tr{marks}>{old}{new}</tr>\n"
        yield from (beside.below(line, 6) for line in _sides(left, right))
        changing = changed


def _sides(left: Line | None, right: Line | None) -> list[Line]:
    """The lines of a row; an unchanged one is on both sides and counts once."""
    return [line for line in (left if left is not right else None, right) if line]


def _cells(line: Line, number: int | None, beside: Beside, notes: Notes) -> str:
    css = _CSS[line.kind]
    changed = line.kind is not LineKind.CONTEXT
    marks = f"{_CRLF if line.crlf and changed else ''}{_NO_NEWLINE if line.no_newline else ''}"
    text = visible_text(line.text, line.ranges)
    note = notes.get(line.new_number, "")
    return (
        f'{_number(line, number, beside)}<td class="sg{css}">{_SIGNS[line.kind]}</td>'
        f'<td class="tx{css}">{text}{note}{marks}</td>'
    )


def _number(line: Line, number: int | None, beside: Beside) -> str:
    shown = "" if number is None else beside.number(line, number)
    return f'<td class="ln{_CSS[line.kind]}">{shown}</td>'
