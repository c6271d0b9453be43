"""Who wrote each line of a text, told from the texts before it (contract R3). Pure.

A blame begins with the last text and goes back, text by text. What a change replaced or added is
its own; the other lines were there before it and are asked about further back.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from memory.diffs.alignment import Block, changed_blocks
from memory.documents.texts import lines_of


@dataclass(frozen=True, slots=True)
class LineRange[T]:
    """Lines in a row, numbered from 1, both ends included, and whose they are."""

    start: int
    end: int
    owner: T


class Blame[T]:
    """The lines of a text, each with its owner as far as that is known."""

    def __init__(self, text: str) -> None:
        """Begin with the last text; no line has an owner."""
        self._lines = lines_of(text)
        self._owners: list[T | None] = [None] * len(self._lines)
        self._open = list(enumerate(range(len(self._lines))))  # (line at last, line by now)

    @property
    def is_complete(self) -> bool:
        """Whether every line has an owner."""
        return not self._open

    def step_back(self, before: str, owner: T) -> None:
        """Go back over one change: give its owner what it wrote, and look at the text before."""
        lines = lines_of(before)
        blocks = changed_blocks(_encoded(lines), _encoded(self._lines), indented=True)
        moved = list(_carried(self._open, blocks))
        for last, by_now in moved:
            if by_now is None:
                self._owners[last] = owner
        self._open = [(last, by_now) for last, by_now in moved if by_now is not None]
        self._lines = lines

    def give_rest(self, owner: T) -> None:
        """Give all lines that have no owner yet to one, and be complete."""
        for last, _ in self._open:
            self._owners[last] = owner
        self._open = []

    def ranges(self) -> list[LineRange[T]]:
        """The lines of a complete blame, those in a row with the same owner as one range."""
        found = []
        start = 1
        for owner, lines in groupby(self._owners):
            assert owner is not None
            count = sum(1 for _ in lines)
            found.append(LineRange(start, start + count - 1, owner))
            start += count
        return found


def _encoded(lines: Iterable[str]) -> list[bytes]:
    return [line.encode() for line in lines]


def _carried(
    lines: Iterable[tuple[int, int]], blocks: Sequence[Block]
) -> Iterator[tuple[int, int | None]]:
    """Where each line was before a change; None for one that the change wrote."""
    shift, at = 0, 0
    for last, by_now in lines:
        while at < len(blocks) and blocks[at].new_end <= by_now:
            shift = blocks[at].old_end - blocks[at].new_end
            at += 1
        is_new = at < len(blocks) and blocks[at].new_start <= by_now
        yield last, None if is_new else by_now + shift
