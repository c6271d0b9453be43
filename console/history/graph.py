"""The lines between versions, newest first: a column for each branch (console.md, History). Pure.

A version has one parent, so branches part and never meet again: going down, columns only join.
Canonical's line keeps the first column. Where a page of a list ends, the columns that are still
on their way to a parent are its state, which the next page goes on from.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

COLUMNS: Final = 6
"""Columns that are drawn; branches that find none free get a dot beside them and no line."""

_DIGITS: Final = 12
"""Last hex digits of an identifier that tell versions of a store apart."""

_STATE: Final = re.compile(rf"(?:[0-9a-f]{{{_DIGITS}}})?(?:,(?:[0-9a-f]{{{_DIGITS}}})?)*")


@dataclass(frozen=True, slots=True)
class Dot:
    """A version in the graph.

    Attributes:
        column: where its dot is; COLUMNS when it found none free.
        passing: columns whose line goes by.
        from_above: whether a line comes down to the dot in its own column.
        joining: other columns whose line ends here: versions whose parent this is.
        goes_on: whether a line goes down to its parent.
    """

    column: int
    passing: tuple[int, ...] = ()
    from_above: bool = False
    joining: tuple[int, ...] = ()
    goes_on: bool = False

    @property
    def width(self) -> int:
        """How many columns it takes."""
        return max((self.column, *self.passing, *self.joining)) + 1


class Graph:
    """The columns, filled from the newest version down.

    Args:
        state: as `state` told it behind the versions that came before; anything else begins anew.
    """

    def __init__(self, state: str = "") -> None:
        known = state.split(",") if _STATE.fullmatch(state) else []
        self._awaited = [*known[:COLUMNS], *[""] * (COLUMNS - len(known))]

    @property
    def state(self) -> str:
        """Which parent each column is on its way to."""
        return ",".join(self._awaited).rstrip(",")

    def place(self, version_id: str, parent_id: str | None, *, on_canonical: bool) -> Dot:
        """Put the next older version into its column."""
        key = version_id[-_DIGITS:]
        meeting = [column for column, each in enumerate(self._awaited) if each == key]
        column = self._column(meeting, on_canonical=on_canonical)
        passing = tuple(
            each for each, awaited in enumerate(self._awaited) if awaited and each not in meeting
        )
        for each in meeting:
            self._awaited[each] = ""
        if column < COLUMNS:
            self._awaited[column] = parent_id[-_DIGITS:] if parent_id else ""
        return Dot(
            column=column,
            passing=passing,
            from_above=column in meeting,
            joining=tuple(each for each in meeting if each != column),
            goes_on=bool(parent_id) and column < COLUMNS,
        )

    def _column(self, meeting: Sequence[int], *, on_canonical: bool) -> int:
        if on_canonical:
            return 0
        if meeting:
            return meeting[0]
        free = (each for each, awaited in enumerate(self._awaited) if each and not awaited)
        return next(free, COLUMNS)
