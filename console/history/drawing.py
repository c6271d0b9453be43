"""A row's part of the graph, as SVG that needs no style of its own.

Heights are in percent, since a row is as high as its words; widths and the dot are in pixels.
"""

from collections.abc import Iterator
from typing import Final

from django.utils.safestring import SafeString

from console.history.graph import Dot

STEP: Final = 14
"""Pixels between two columns."""

MIDDLE: Final = 20
"""Pixels from a row's upper edge to its dot: the middle of its first line."""


def draw(dot: Dot, width: int) -> SafeString:
    """A version's dot, and the lines that come to it, leave it and pass it.

    Args:
        width: how many columns there is room for.
    """
    here, drawn = _x(dot.column), "".join(_lines(dot))
    circle = f'<circle class="lane-{dot.column}" cx="{here}" cy="{MIDDLE}" r="4"/>'
    return SafeString(
        f'<svg aria-hidden="true" width="{_x(width)}" height="100%">{drawn}{circle}</svg>'
    )


def _lines(dot: Dot) -> Iterator[str]:
    for column in dot.passing:
        yield _line(column, _x(column), "0", _x(column), "100%")
    here = _x(dot.column)
    for column in dot.joining:
        yield _line(column, _x(column), "0", here, str(MIDDLE))
    if dot.from_above:
        yield _line(dot.column, here, "0", here, str(MIDDLE))
    if dot.goes_on:
        yield _line(dot.column, here, str(MIDDLE), here, "100%")


def _line(column: int, x1: int, y1: str, x2: int, y2: str) -> str:
    return f'<line class="lane-{column}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _x(column: int) -> int:
    return STEP * column + STEP // 2 + 2
