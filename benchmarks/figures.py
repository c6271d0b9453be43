"""What a run has found: one figure a row, as a table for people and JSON for machines."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.sampling import Quantity, Subject

CAPTION: Final = (
    "growth: against the smallest size. to floor: against what is named beside it. Both are of"
    " times taken in turns; for rates, how many times as many the floor does."
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
    """Show the figures, one section for each quantity."""
    table = Table(box=None, pad_edge=False, caption=CAPTION, caption_justify="left")
    table.add_column("", no_wrap=True)
    for heading in ("median", "", "min", "max", "growth", "queries", "to floor"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    what = None
    for figure in figures:
        if figure.what != what:
            table.add_row(f"[bold]{figure.what}[/bold]")
        what = figure.what
        table.add_row(*_cells(figure))
    console.print(table)


def _cells(figure: Figure) -> tuple[str, ...]:
    return (
        f"  {figure.size}",
        f"{figure.median:,.2f}",
        figure.unit,
        f"{figure.low:,.2f}",
        f"{figure.high:,.2f}",
        _ratio(figure.growth),
        "" if figure.queries is None else str(figure.queries),
        _ratio(figure.ratio),
        figure.floor,
    )


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.2f}"


def write_json(figures: Sequence[Figure], path: Path) -> None:
    """Keep the figures for a comparison with another run."""
    rows = [asdict(figure) for figure in figures]
    path.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
