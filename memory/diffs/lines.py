"""Line diffs of two texts, ready to be drawn (contract R3, console.md).

Lines end at LF and nowhere else: a CR, a form feed or a Unicode separator is part of its line.
Hunks agree with `git diff`, whitespace included, unless it is asked away. What is not rendered
is counted. Offsets count code points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from typing import Final, NamedTuple

from memory.diffs.alignment import Block, changed_blocks
from memory.diffs.hunks import (
    Gap,
    Hunk,
    HunkBuilder,
    HunkPlan,
    Line,
    LineKind,
    Opened,
    open_gaps,
    plan_hunks,
    sides,
)
from memory.documents.texts import lines_of

__all__ = [
    "Counts",
    "Gap",
    "Hunk",
    "Line",
    "LineKind",
    "Omitted",
    "Opened",
    "Row",
    "TextDiff",
    "compare",
    "count_lines",
    "split_rows",
    "unified_text",
]

DEFAULT_CONTEXT: Final = 3
DEFAULT_MAX_LINES: Final = 3_000
DEFAULT_MAX_BYTES: Final = 512 * 1024

_CLOSED: Final[Mapping[int, Opened]] = {}


@dataclass(frozen=True, slots=True)
class Omitted:
    """Lines of hunks left out past the limits, and their size with endings as UTF-8."""

    lines: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The difference of two texts.

    Attributes:
        hunks: what is rendered, in order.
        added: the lines added in all, rendered or not.
        removed: the lines removed in all, rendered or not.
        hidden: the lines that differ only in whitespace and pass for unchanged; 0 unless
            whitespace was ignored.
        omitted: what the limits left out of `hunks`.
        gaps: what is left out between hunks: one before each of `hunks`, and one after the last
            unless the limits cut that one short.
    """

    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    hidden: int = 0
    omitted: Omitted = Omitted()
    gaps: tuple[Gap, ...] = ()


class Counts(NamedTuple):
    """Lines that a change adds and removes."""

    added: int
    removed: int


class Row(NamedTuple):
    """One row of a side-by-side view; None where a side has nothing to show."""

    left: Line | None
    right: Line | None


def compare(
    old: str,
    new: str,
    *,
    context: int = DEFAULT_CONTEXT,
    ignore_whitespace: bool = False,
    max_lines: int = DEFAULT_MAX_LINES,
    max_bytes: int = DEFAULT_MAX_BYTES,
    opened: Mapping[int, Opened] = _CLOSED,
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
        opened: which unchanged lines to show besides, by the number of their gap.
    """
    old_lines, new_lines = lines_of(old), lines_of(new)
    blocks = _line_blocks(old_lines, new_lines, ignore_whitespace=ignore_whitespace)
    plans, gaps = plan_hunks(old_lines, new_lines, blocks, context), list[Gap]()
    if plans:
        plans, gaps = open_gaps(plans, len(old_lines), opened)
    builder = HunkBuilder(max_lines, max_bytes)
    hunks = tuple(hunk for hunk in map(builder.build, plans) if hunk is not None)
    omitted = _omitted(plans, hunks) if builder.is_cut else Omitted()
    return TextDiff(
        hunks,
        *_count(blocks),
        hidden=_differing(old_lines, new_lines, blocks) if ignore_whitespace else 0,
        omitted=omitted,
        gaps=tuple(gaps[: len(hunks)] if builder.is_cut else gaps),
    )


def count_lines(old: str, new: str) -> Counts:
    """Count the lines that `compare` would find, without rendering any."""
    if not old or not new:
        return Counts(len(lines_of(new)), len(lines_of(old)))
    return _count(_line_blocks(lines_of(old), lines_of(new), ignore_whitespace=False))


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
    pieces = [f"--- {_spell_label(old_label)}\n+++ {_spell_label(new_label)}\n"]
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


def _line_blocks(
    old_lines: Sequence[str], new_lines: Sequence[str], *, ignore_whitespace: bool
) -> list[Block]:
    # libgit2's own flags for this would also hide a missing newline at the end, and would not
    # tell how much they hide.
    key = _without_whitespace if ignore_whitespace else str.encode
    return changed_blocks(
        [key(line) for line in old_lines], [key(line) for line in new_lines], indented=True
    )


def _without_whitespace(line: str) -> bytes:
    """The line with each run of white space as one blank, and none at its ends."""
    return b" ".join(line.encode().split()) + (b"\n" if line.endswith("\n") else b"")


def _count(blocks: Sequence[Block]) -> Counts:
    return Counts(
        added=sum(block.new_end - block.new_start for block in blocks),
        removed=sum(block.old_end - block.old_start for block in blocks),
    )


def _differing(old: Sequence[str], new: Sequence[str], blocks: Sequence[Block]) -> int:
    """How many of the lines that `blocks` leave in place are not the same text."""
    ends = Block(len(old), len(old), len(new), len(new))
    return sum(
        before != after
        for last, block in pairwise([Block(0, 0, 0, 0), *blocks, ends])
        for before, after in zip(
            old[last.old_end : block.old_start], new[last.new_end : block.new_start], strict=True
        )
    )


def _omitted(plans: Sequence[HunkPlan], hunks: Sequence[Hunk]) -> Omitted:
    planned = [line for plan in plans for line in plan.spelled()]
    built = [line.spelled for hunk in hunks for line in hunk.lines]
    return Omitted(
        lines=len(planned) - len(built),
        bytes=len("".join(planned).encode()) - len("".join(built).encode()),
    )


def _changed_rows(lines: Sequence[Line]) -> list[Row]:
    removed, added = sides(lines)
    place = {line.new_number: index for index, line in enumerate(added)}
    rows: list[Row] = []
    left = right = 0
    for index, line in enumerate(removed):
        if line.partner is not None:
            other = place[line.partner]
            rows += _side_by_side(removed[left:index], added[right:other])
            rows.append(Row(line, added[other]))
            left, right = index + 1, other + 1
    return rows + _side_by_side(removed[left:], added[right:])


def _side_by_side(removed: Sequence[Line], added: Sequence[Line]) -> list[Row]:
    return [Row(left, right) for left, right in zip_longest(removed, added)]


_SIGNS: Final = {LineKind.CONTEXT: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}


def _spell_line(line: Line) -> str:
    note = "\n\\ No newline at end of file\n" if line.no_newline else ""
    return f"{_SIGNS[line.kind]}{line.spelled}{note}"


def _spell_label(label: str) -> str:
    # As git does: without the tab, `patch` would end a name at its first blank.
    return f"{label}\t" if " " in label else label
