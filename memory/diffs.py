"""Line diffs of two texts, ready to be drawn (contract R3, console.md).

Lines end at LF and nowhere else: a CR, a form feed or a Unicode separator is part of its line.
Hunks agree with `git diff`, whitespace included, unless it is asked away. What is not rendered
is counted. Offsets count code points.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final, NamedTuple

from memory.intraline import Range

DEFAULT_CONTEXT: Final = 3
DEFAULT_MAX_LINES: Final = 3_000
DEFAULT_MAX_BYTES: Final = 512 * 1024

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


class LineKind(StrEnum):
    """What a line of a hunk stands for."""

    CONTEXT = "context"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk.

    Args:
        kind: what it stands for.
        old_number: its number in the old text from 1, None for an added line.
        new_number: its number in the new text, None for a removed line.
        text: the line without its ending.
        crlf: the ending is CR LF.
        no_newline: there is no ending: it is the last line of its text.
        partner: the number, on the other side, of the line that this one became or was.
        ranges: the parts of `text` that differ from the partner's.
    """

    kind: LineKind
    old_number: int | None
    new_number: int | None
    text: str
    crlf: bool = False
    no_newline: bool = False
    partner: int | None = None
    ranges: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of changed lines with context; starts as unified diffs count them."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[Line, ...]

    @property
    def header(self) -> str:
        """The line that introduces the hunk in a unified diff."""
        old = _spell_span(self.old_start, self.old_count)
        return f"@@ -{old} +{_spell_span(self.new_start, self.new_count)} @@"


@dataclass(frozen=True, slots=True)
class Omitted:
    """Lines of hunks left out past the limits, and their size with endings as UTF-8."""

    lines: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The difference of two texts.

    Args:
        hunks: what is rendered, in order.
        added: the lines added in all, rendered or not.
        removed: the lines removed in all, rendered or not.
        hidden: the lines that differ only in whitespace and pass for unchanged; 0 unless
            whitespace was ignored.
        omitted: what the limits left out of `hunks`.
    """

    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    hidden: int = 0
    omitted: Omitted = Omitted()


class Counts(NamedTuple):
    """Lines that a change adds and removes."""

    added: int
    removed: int


class Row(NamedTuple):
    """One row of a side-by-side view; None where a side has nothing to show."""

    left: Line | None
    right: Line | None


class _Planned(NamedTuple):
    """A line of a hunk before it is built: indexes from 0 into the two texts' lines."""

    kind: LineKind
    old: int
    new: int


def compare(
    old: str,
    new: str,
    *,
    context: int = DEFAULT_CONTEXT,
    ignore_whitespace: bool = False,
    max_lines: int = DEFAULT_MAX_LINES,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> TextDiff:
    """Diff two texts line by line.

    Args:
        old: the text before; empty when the document is new.
        new: the text after; empty when the document is gone.
        context: unchanged lines around a change, at least 0.
        ignore_whitespace: take lines for equal that differ only in how much white space is
            where there is some, at their start or at their end. A missing newline at the end
            of the text still counts.
        max_lines: how many lines of hunks to render.
        max_bytes: how many bytes of them to render.
    """
    old_lines, new_lines = _LINE.findall(old), _LINE.findall(new)
    blocks = _line_blocks(old_lines, new_lines, ignore_whitespace=ignore_whitespace)
    planned = _plan(blocks, context, len(old_lines), len(new_lines))
    rendering = _Rendering(old_lines, new_lines, max_lines, max_bytes)
    hunks = [hunk for hunk in map(rendering.hunk, planned) if hunk is not None]
    return TextDiff(
        tuple(hunks),
        *_count(blocks),
        hidden=_differing(old_lines, new_lines, blocks) if ignore_whitespace else 0,
        omitted=Omitted(rendering.omitted_lines, rendering.omitted_bytes),
    )


def count_lines(old: str, new: str) -> Counts:
    """Count the lines that `compare` would find, without rendering any."""
    if not old or not new:
        return Counts(len(_LINE.findall(new)), len(_LINE.findall(old)))
    return _count(_line_blocks(_LINE.findall(old), _LINE.findall(new), ignore_whitespace=False))


def unified_text(diff: TextDiff, old_label: str, new_label: str) -> str:
    """Spell a diff in the unified format; empty when it has no hunks.

    Only what is rendered is spelled: `diff.omitted` tells whether that is all of it.

    Args:
        diff: made without ignoring whitespace, if the outcome is to be applied.
        old_label: what stands after `---`, such as `a/notes/today.md` or `/dev/null`.
        new_label: what stands after `+++`.
    """
    if not diff.hunks:
        return ""
    pieces = [f"--- {old_label}\n+++ {new_label}\n"]
    for hunk in diff.hunks:
        pieces.append(hunk.header + "\n")
        pieces += map(_spell_line, hunk.lines)
    return "".join(pieces)


def split_rows(hunk: Hunk) -> list[Row]:
    """Lay a hunk's lines out side by side: partners, and unchanged lines, share a row."""
    rows: list[Row] = []
    for changed, lines in groupby(hunk.lines, lambda line: line.kind is not LineKind.CONTEXT):
        if changed:
            rows += _changed_rows(list(lines))
        else:
            rows += [Row(line, line) for line in lines]
    return rows
