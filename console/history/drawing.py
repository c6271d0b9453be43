"""A row's part of the graph, as SVG that needs no style of its own.

Heights are in percent, since a row is as high as its words; widths and the dot are in pixels.
"""

from collections.abc import Iterator
from typing import Final

from django.utils.safestring import SafeString

from console.history.graph import Node

STEP: Final = 14
"""Pixels between two columns."""

DOT: Final = 20
"""Pixels from a row's upper edge to its dot: the middle of its first line."""


def draw(node: Node, width: int) -> SafeString:
    """A version's dot, and the lines that come to it, leave it and pass it.

    Args:
        width: how many columns there is room for.
    """
    here, drawn = _x(node.column), "".join(_lines(node))
    dot = f'<circle class="lane-{node.column}" cx="{here}" cy="{DOT}" r="4"/>'
    return SafeString(
        f'<svg aria-hidden="true" width="{_x(width)}" height="100%">{drawn}{dot}</svg>'
    )


def _lines(node: Node) -> Iterator[str]:
    for column in node.passing:
        yield _line(column, _x(column), "0", _x(column), "100%")
    here = _x(node.column)
    for column in node.joining:
        yield _line(column, _x(column), "0", here, str(DOT))
    if node.from_above:
        yield _line(node.column, here, "0", here, str(DOT))
    if node.goes_on:
        yield _line(node.column, here, str(DOT), here, "100%")


def _line(column: int, x1: int, y1: str, x2: int, y2: str) -> str:
    return f'<line class="lane-{column}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _x(column: int) -> int:
    return STEP * column + STEP // 2 + 2
