"""Hunks: the changed stretches of a text with context, planned first and built as far as asked.

Planning is cheap and knows the size of everything; building a line costs a hundred times more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from memory.diffs.alignment import Block
from memory.diffs.intraline import Effort, Range, changed_ranges, pair_lines


class LineKind(StrEnum):
    """What a line of a hunk stands for."""

    CONTEXT = "context"
    REMOVED = "removed"
    ADDED = "added"


class Line(NamedTuple):
    """One line of a hunk.

    Attributes:
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

    @property
    def spelled(self) -> str:
        """The line with its ending, as it stands in its document."""
        return self.text + ("\r" if self.crlf else "") + ("" if self.no_newline else "\n")


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


class Opened(NamedTuple):
    """How many unchanged lines of a gap are shown besides the context.

    Attributes:
        above: after the change above the gap.
        below: before the change below it.
    """

    above: int = 0
    below: int = 0


class Gap(NamedTuple):
    """Unchanged lines that are left out between two hunks, or before or after all of them.

    Attributes:
        number: its place among the gaps of the diff before any was opened, from 0.
        hidden: the lines still left out; 0 where hunks reach an end of the text.
        is_last: whether it is the one after all changes.
    """

    number: int
    hidden: int
    opened: Opened
    is_last: bool = False


def _spell_span(start: int, count: int) -> str:
    return f"{start}" if count == 1 else f"{start},{count}"


class HunkPlan:
    """A hunk that is not built yet.

    Args:
        old: the lines of the old text, each with its ending.
        new: the lines of the new text.
        blocks: the changes in this hunk, at least one.
        lead, trail: unchanged lines to show before and after them, as far as there are any.
    """

    def __init__(
        self,
        old: Sequence[str],
        new: Sequence[str],
        blocks: Sequence[Block],
        lead: int,
        trail: int,
    ) -> None:
        first, last = blocks[0], blocks[-1]
        self._old = old
        self._new = new
        self._blocks = blocks
        self._lead = min(lead, first.old_start)
        self._trail = min(trail, len(old) - last.old_end)
        self.old_start = first.old_start - self._lead
        self.new_start = first.new_start - self._lead

    @property
    def old_end(self) -> int:
        """Where it ends in the old text."""
        return self._blocks[-1].old_end + self._trail

    def widened(self, lead: int, trail: int) -> "HunkPlan":
        """The same hunk with so many more lines before and after."""
        return HunkPlan(self._old, self._new, self._blocks, self._lead + lead, self._trail + trail)

    def joined(self, other: "HunkPlan") -> "HunkPlan":
        """One hunk of this one and the one that begins where it ends."""
        blocks = [*self._blocks, *other._blocks]  # noqa: SLF001
        return HunkPlan(self._old, self._new, blocks, self._lead, other._trail)  # noqa: SLF001

    def spelled(self) -> list[str]:
        """The lines with their endings, in no order that matters: to measure them."""
        end = self._blocks[-1].new_end + self._trail
        removed = [self._old[block.old_start : block.old_end] for block in self._blocks]
        return [*self._new[self.new_start : end], *(line for part in removed for line in part)]

    def lines(self) -> Iterator[Line]:
        """Build the lines one by one, without partners and ranges."""
        old, new = self.old_start, self.new_start
        for block in self._blocks:
            yield from self._context(old, new, block.old_start - old)
            for index in range(block.old_start, block.old_end):
                yield _line(LineKind.REMOVED, index + 1, None, self._old[index])
            for index in range(block.new_start, block.new_end):
                yield _line(LineKind.ADDED, None, index + 1, self._new[index])
            old, new = block.old_end, block.new_end
        yield from self._context(old, new, self._trail)

    def _context(self, old: int, new: int, count: int) -> Iterator[Line]:
        for step in range(count):
            text = self._new[new + step]
            yield _line(LineKind.CONTEXT, old + step + 1, new + step + 1, text)


def _line(kind: LineKind, old_number: int | None, new_number: int | None, spelled: str) -> Line:
    crlf = spelled.endswith("\r\n")
    text = spelled.removesuffix("\r\n" if crlf else "\n")
    return Line(kind, old_number, new_number, text, crlf, not spelled.endswith("\n"))


def plan_hunks(
    old: Sequence[str], new: Sequence[str], blocks: Sequence[Block], context: int
) -> list[HunkPlan]:
    """Group changes into hunks, as git does: those whose context would touch share one."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and block.old_start - groups[-1][-1].old_end <= 2 * context:
            groups[-1].append(block)
        else:
            groups.append([block])
    return [HunkPlan(old, new, group, context, context) for group in groups]


def open_gaps(
    plans: Sequence[HunkPlan], length: int, opened: Mapping[int, Opened]
) -> tuple[list[HunkPlan], list[Gap]]:
    """Show more of what is left out around some hunks; those that meet become one.

    Args:
        plans: all hunks, at least one.
        length: the lines of the old text.
        opened: what to show besides, by the number of the gap.

    Returns:
        The hunks, and the gaps around them: one before each, and the last after all.
    """
    ends = [0, *(plan.old_end for plan in plans)]
    starts = [*(plan.old_start for plan in plans), length]
    gaps = [
        _gap(number, start - end, opened.get(number, Opened()), is_last=number == len(plans))
        for number, (end, start) in enumerate(zip(ends, starts, strict=True))
    ]
    wide = [
        plan.widened(above.opened.below, below.opened.above)
        for plan, (above, below) in zip(plans, pairwise(gaps), strict=True)
    ]
    hunks, left = wide[:1], gaps[:1]
    for plan, gap in zip(wide[1:], gaps[1:-1], strict=True):
        if gap.hidden:
            hunks.append(plan)
            left.append(gap)
        else:
            hunks[-1] = hunks[-1].joined(plan)
    return hunks, [*left, gaps[-1]]


def _gap(number: int, size: int, opened: Opened, *, is_last: bool) -> Gap:
    above = min(opened.above, size) if number else 0
    below = 0 if is_last else min(opened.below, size - above)
    return Gap(number, size - above - below, Opened(above, below), is_last)


class HunkBuilder:
    """Builds planned hunks in order until the first line that does not fit any more.

    Args:
        max_lines: how many lines fit.
        max_bytes: how many bytes of them, with endings.
    """

    def __init__(self, max_lines: int, max_bytes: int) -> None:
        self._lines_left = max_lines
        self._bytes_left = max_bytes
        self._effort = Effort()
        self.is_cut = False
        """Whether something did not fit."""

    def build(self, plan: HunkPlan) -> Hunk | None:
        """Build as much of a hunk as fits; None when nothing does."""
        fitting = list(takewhile(self._fits, plan.lines()))
        if not fitting:
            return None
        old_count = sum(line.kind is not LineKind.ADDED for line in fitting)
        new_count = sum(line.kind is not LineKind.REMOVED for line in fitting)
        # A side without lines is told by the number of the line before.
        return Hunk(
            old_start=plan.old_start + bool(old_count),
            old_count=old_count,
            new_start=plan.new_start + bool(new_count),
            new_count=new_count,
            lines=tuple(self._with_partners(fitting)),
        )

    def _fits(self, line: Line) -> bool:
        size = len(line.text.encode()) + line.crlf + (not line.no_newline)
        if self._lines_left < 1 or self._bytes_left < size:
            self._lines_left = 0
            self.is_cut = True
            return False
        self._lines_left -= 1
        self._bytes_left -= size
        return True

    def _with_partners(self, lines: Iterable[Line]) -> Iterator[Line]:
        for kept, run in groupby(lines, lambda line: line.kind is LineKind.CONTEXT):
            stretch = list(run)
            yield from stretch if kept else self._paired(stretch)

    def _paired(self, lines: Sequence[Line]) -> list[Line]:
        removed, added = sides(lines)
        before, after = [line.text for line in removed], [line.text for line in added]
        for one, other in pair_lines(before, after, self._effort):
            old_ranges, new_ranges = changed_ranges(before[one], after[other], self._effort)
            left, right = removed[one], added[other]
            removed[one] = left._replace(partner=right.new_number, ranges=old_ranges)
            added[other] = right._replace(partner=left.old_number, ranges=new_ranges)
        return removed + added


def sides(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The removed and the added lines of one changed stretch."""
    removed = [line for line in lines if line.kind is LineKind.REMOVED]
    return removed, list(lines[len(removed) :])
