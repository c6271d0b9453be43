"""Hunks as table rows. Python and no template: a page holds thousands of rows, and a template
takes twenty times as long for each. Only `visible_text` lets anything of a document through."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Protocol

from django.utils.safestring import SafeString

from console.drawing.diffoptions import STEP
from console.drawing.linenotes import NO_NOTES, Notes
from console.drawing.visible import visible_text
from memory.diffs.lines import Gap, Hunk, Line, LineKind, Opened, TextDiff, split_rows

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


type Opens = Callable[[Gap, Opened], str]
"""From a gap, and how far it is to be opened, to the address that does so, escaped."""


@dataclass(frozen=True, slots=True)
class Table:
    """What a table shows.

    Attributes:
        notes: what to say at the end of lines of the new text.
        opens: how gaps are opened; None where they stay closed.
    """

    diff: TextDiff
    beside: Beside
    notes: Notes
    opens: Opens | None


def unified_table(table: Table) -> SafeString:
    """One line a row, with its numbers in both texts."""
    body = "".join(
        f"{_head(hunk, gap, table.opens, 3, 1)}{''.join(_unified_rows(hunk, table))}"
        for hunk, gap in _with_gaps(table.diff)
    )
    return _table("code diff", _UNIFIED_COLUMNS, body)


def split_table(table: Table) -> SafeString:
    """The old text beside the new one."""
    body = "".join(
        f"{_head(hunk, gap, table.opens, 2, 4)}{''.join(_split_rows(hunk, table))}"
        for hunk, gap in _with_gaps(table.diff)
    )
    return _table("code diff split", _SPLIT_COLUMNS, body)


def _with_gaps(diff: TextDiff) -> Iterator[tuple[Hunk | None, Gap | None]]:
    """Each hunk with the gap above it; last, without a hunk, the one below all."""
    return zip_longest(diff.hunks, diff.gaps)


def _table(css: str, columns: str, body: str) -> SafeString:
    return SafeString(
        f'<table class="{css}"><colgroup>{columns}</colgroup><tbody>{body}</tbody></table>'
    )


def _head(hunk: Hunk | None, gap: Gap | None, opens: Opens | None, before: int, over: int) -> str:
    """What stands above a hunk: where it is, and the way to what is left out above it."""
    links = "".join(_steps(gap, opens)) if gap and gap.hidden and opens else ""
    if not hunk and not links:
        return ""
    where = f'<span class="where">{hunk.header}</span>' if hunk else ""
    return (
        f'<tr class="hunk"><td colspan="{before}"></td>'
        f'<td class="tx" colspan="{over}">{where}{links}</td></tr>\n'
    )


def _steps(gap: Gap, opens: Opens) -> Iterator[str]:
    """The links that show more of a gap: a step from above, a step from below, or all of it."""
    above, below = gap.opened
    step_down, step_up = Opened(above + STEP, below), Opened(above, below + STEP)
    if gap.hidden > STEP:
        if gap.number:
            yield _step(opens(gap, step_down), f"\N{DOWNWARDS ARROW} {STEP} more lines")
        if not gap.is_last:
            yield _step(opens(gap, step_up), f"\N{UPWARDS ARROW} {STEP} more lines")
    rest = gap.hidden
    everything = Opened(above + rest, below) if gap.is_last else Opened(above, below + rest)
    lines = f"{rest:,} unchanged line{'' if rest == 1 else 's'}"
    yield _step(opens(gap, everything), f"Show {lines}")


def _step(address: str, words: str) -> str:
    return f'<a href="{address}" data-gap>{words}</a>'


def _unified_rows(hunk: Hunk | None, table: Table) -> Iterator[str]:
    changing, beside = False, table.beside
    for line in hunk.lines if hunk else ():
        changed = line.kind is not LineKind.CONTEXT
        starts = _STARTS if changed and not changing else ""
        # An unchanged line is led to from its new number alone: it is one line, not two.
        old = _number(line, line.old_number, beside if changed else NOTHING)
        yield f"<tr{starts}>{old}{_cells(line, line.new_number, beside, table.notes)}</tr>\n"
        yield beside.below(line, 4)
        changing = changed


def _split_rows(hunk: Hunk | None, table: Table) -> Iterator[str]:
    changing, beside, notes = False, table.beside, table.notes
    for left, right in split_rows(hunk) if hunk else ():
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
