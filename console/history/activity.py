"""How many versions each of the last days brought, as bars and in words."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.utils.safestring import SafeString

from memory.queries.lines import versions_by_day
from wire.times import now

DAYS: Final = 84
BAR: Final = 3
HEIGHT: Final = 40


@dataclass(frozen=True, slots=True)
class Activity:
    """The days with versions, newest first, each with how many; and the bars of all days."""

    days: tuple[tuple[date, int], ...]
    total: int
    drawn: SafeString

    @property
    def busiest(self) -> tuple[date, int] | None:
        """The day with the most versions, the latest of several."""
        return max(self.days, key=lambda day: day[1], default=None)


def activity_of(store_id: str) -> Activity:
    """What happened in a store in the last DAYS days. One query."""
    today = now().date()
    counts = versions_by_day(store_id, today - timedelta(days=DAYS - 1))
    every = [today - timedelta(days=back) for back in range(DAYS)]
    return Activity(
        days=tuple((day, counts[day]) for day in every if counts.get(day)),
        total=sum(counts.values()),
        drawn=_draw([counts.get(day, 0) for day in reversed(every)]),
    )


def _draw(counts: list[int]) -> SafeString:
    """Bars from the oldest day to today, in SVG that needs no style of its own."""
    most = max(counts) or 1
    bars = "".join(
        _bar(position, max(2, round(HEIGHT * count / most)) if count else 1)
        for position, count in enumerate(counts)
    )
    width = len(counts) * (BAR + 1)
    return SafeString(
        f'<svg class="bars" aria-hidden="true" viewBox="0 0 {width} {HEIGHT}"'
        f' preserveAspectRatio="none">{bars}</svg>'
    )


def _bar(position: int, height: int) -> str:
    left, top = position * (BAR + 1), HEIGHT - height
    return f'<rect x="{left}" y="{top}" width="{BAR}" height="{height}"/>'
