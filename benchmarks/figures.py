"""What a run has found: one figure a row, as a table for people and JSON for machines."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.sampling import Quantity, Subject

HEADINGS: Final = ("median", "min … max", "growth", "queries", "to floor")
CAPTION: Final = (
    "growth: to the smallest size; to floor: to what the bold line names. Both are medians of"
    " ratios taken in turns; for rates, how many times as many the floor does."
)


@dataclass(frozen=True)
class Figure:
    """One measured quantity.

    Attributes:
        what: the quantity, said so that it can be compared between runs.
        size: documents in the store, or whatever else makes it larger.
        median, low, high: in `unit`; milliseconds for times.
        floor: what it is compared with, and `ratio` how many times as much it takes.
        growth: the same quantity at the smallest size, as a ratio.
        queries: statements that a request makes.
    """

    what: str
    size: str
    median: float
    low: float
    high: float
    unit: str = "ms"
    floor: str = ""
    ratio: float | None = None
    growth: float | None = None
    queries: int | None = None


def timed(quantity: Quantity) -> list[Figure]:
    """The figures of something that was timed, one for each size."""
    return [_timed(quantity, size, subject) for size, subject in quantity.subjects.items()]


def _timed(quantity: Quantity, size: str, subject: Subject) -> Figure:
    samples = [sample * 1000 for sample in subject.samples]
    floor = quantity.floors.get(size)
    return Figure(
        quantity.what,
        size,
        median(samples),
        min(samples),
        max(samples),
        floor=quantity.floor,
        ratio=subject.ratio_to(floor) if floor else None,
        growth=None if subject is quantity.smallest else subject.ratio_to(quantity.smallest),
        queries=quantity.queries.get(size),
    )


def print_table(figures: Sequence[Figure], console: Console) -> None:
    """Show the figures, those of one quantity under its name."""
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("", min_width=30, no_wrap=True)
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for (what, floor), group in groupby(figures, key=lambda figure: (figure.what, figure.floor)):
        table.add_section()
        table.add_row(what, *[""] * (len(HEADINGS) - 1), floor, style="bold")
        for figure in group:
            table.add_row(*_cells(figure))
    console.print(table)
    console.print(CAPTION, style="dim")


def _cells(figure: Figure) -> tuple[str, ...]:
    return (
        f"  {figure.size}",
        f"{figure.median:,.2f} {figure.unit}",
        f"{figure.low:,.2f} … {figure.high:,.2f}",
        _ratio(figure.growth),
        "" if figure.queries is None else str(figure.queries),
        _ratio(figure.ratio),
    )


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.2f}"


def write_json(figures: Sequence[Figure], path: Path) -> None:
    """Keep the figures for a comparison with another run."""
    rows = [asdict(figure) for figure in figures]
    path.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
