"""Line diffs of two texts, ready to be drawn (contract R3, console.md).

Lines end at LF and nowhere else: a CR, a form feed or a Unicode separator is part of its line.
Hunks agree with `git diff`, whitespace included, unless it is asked away. What is not rendered
is counted. Offsets count code points.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, pairwise, zip_longest
from typing import Final, NamedTuple

from memory.alignment import Block, changed_blocks
from memory.intraline import Effort, Range, changed_ranges, pair_lines

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
    planned = _plan(blocks, context, len(old_lines))
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


def _plan(blocks: Sequence[Block], context: int, old_size: int) -> Iterator[Iterator[_Planned]]:
    """The lines of each hunk. Changes whose context would touch share one."""
    group: list[Block] = []
    for block in blocks:
        if group and block.old_start - group[-1].old_end > 2 * context:
            yield _planned_lines(group, context, old_size)
            group = []
        group.append(block)
    if group:
        yield _planned_lines(group, context, old_size)


def _planned_lines(group: Sequence[Block], context: int, old_size: int) -> Iterator[_Planned]:
    lead = min(context, group[0].old_start, group[0].new_start)
    old, new = group[0].old_start - lead, group[0].new_start - lead
    for block in group:
        yield from _planned_context(old, new, block.old_start - old)
        for index in range(block.old_start, block.old_end):
            yield _Planned(LineKind.REMOVED, index, block.new_start)
        for index in range(block.new_start, block.new_end):
            yield _Planned(LineKind.ADDED, block.old_end, index)
        old, new = block.old_end, block.new_end
    yield from _planned_context(old, new, min(context, old_size - old))


def _planned_context(old: int, new: int, count: int) -> Iterator[_Planned]:
    return (_Planned(LineKind.CONTEXT, old + step, new + step) for step in range(count))


class _Rendering:
    """Builds hunks until a limit is reached, then only counts what it leaves out."""

    def __init__(
        self, old: Sequence[str], new: Sequence[str], max_lines: int, max_bytes: int
    ) -> None:
        self._old = old
        self._new = new
        self._lines_left = max_lines
        self._bytes_left = max_bytes
        self._effort = Effort()
        self.omitted_lines = 0
        self.omitted_bytes = 0

    def hunk(self, planned: Iterator[_Planned]) -> Hunk | None:
        """Build a hunk of the lines that still fit; None when none does."""
        shown = [line for line in planned if self._admit(line)]
        if not shown:
            return None
        lines = tuple(self._build(shown))
        old_count = sum(line.kind is not LineKind.ADDED for line in lines)
        new_count = sum(line.kind is not LineKind.REMOVED for line in lines)
        # A side without lines is told by the number of the line before.
        return Hunk(
            old_start=shown[0].old + bool(old_count),
            old_count=old_count,
            new_start=shown[0].new + bool(new_count),
            new_count=new_count,
            lines=lines,
        )

    def _raw(self, planned: _Planned) -> str:
        if planned.kind is LineKind.REMOVED:
            return self._old[planned.old]
        return self._new[planned.new]

    def _admit(self, planned: _Planned) -> bool:
        size = len(self._raw(planned).encode())
        if self.omitted_lines or not self._lines_left or size > self._bytes_left:
            self.omitted_lines += 1
            self.omitted_bytes += size
            return False
        self._lines_left -= 1
        self._bytes_left -= size
        return True

    def _build(self, planned: Sequence[_Planned]) -> Iterator[Line]:
        for kept, group in groupby(planned, lambda each: each.kind is LineKind.CONTEXT):
            lines = [self._line(each) for each in group]
            yield from lines if kept else self._with_partners(lines)

    def _line(self, planned: _Planned) -> Line:
        raw = self._raw(planned)
        text = raw.removesuffix("\n")
        crlf = raw.endswith("\r\n")
        return Line(
            kind=planned.kind,
            old_number=None if planned.kind is LineKind.ADDED else planned.old + 1,
            new_number=None if planned.kind is LineKind.REMOVED else planned.new + 1,
            text=text.removesuffix("\r") if crlf else text,
            crlf=crlf,
            no_newline=not raw.endswith("\n"),
        )

    def _with_partners(self, lines: Sequence[Line]) -> Iterator[Line]:
        removed, added = _sides(lines)
        before, after = [line.text for line in removed], [line.text for line in added]
        for one, other in pair_lines(before, after, self._effort):
            old_ranges, new_ranges = changed_ranges(before[one], after[other], self._effort)
            left, right = removed[one], added[other]
            removed[one] = replace(left, partner=right.new_number, ranges=old_ranges)
            added[other] = replace(right, partner=left.old_number, ranges=new_ranges)
        yield from removed
        yield from added


def _sides(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    removed = [line for line in lines if line.kind is LineKind.REMOVED]
    return removed, list(lines[len(removed) :])


def _changed_rows(lines: Sequence[Line]) -> list[Row]:
    removed, added = _sides(lines)
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
    ending = "\r\n" if line.crlf else "\n"
    note = "\\ No newline at end of file\n" if line.no_newline else ""
    return f"{_SIGNS[line.kind]}{line.text}{ending}{note}"


def _spell_label(label: str) -> str:
    # As git does: without the tab, `patch` would end a name at its first blank.
    return f"{label}\t" if " " in label else label


def _spell_span(start: int, count: int) -> str:
    return f"{start}" if count == 1 else f"{start},{count}"
