"""Times on the wire: UTC, milliseconds, `Z` (contract §0)."""

from collections.abc import Iterable
from datetime import UTC, datetime


def render_time(moment: datetime) -> str:
    """Spell an aware datetime as `2026-08-27T09:30:00.000Z`."""
    spelled = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return spelled.removesuffix("+00:00") + "Z"


def parse_time(text: str) -> datetime:
    """Return the time that `render_time` spelled; each has one spelling only.

    Raises:
        ValueError: it is spelled differently, or no time.
    """
    try:
        moment = datetime.fromisoformat(text)
        canonical = text.endswith("Z") and render_time(moment) == text
    except ValueError:
        canonical = False
    if not canonical:
        raise ValueError("expected a time in UTC with milliseconds, as 2026-08-27T09:30:00.000Z")
    return moment


def earliest(moments: Iterable[datetime | None]) -> datetime | None:
    """The first of some moments; None when there is none among them."""
    return min((moment for moment in moments if moment is not None), default=None)


def has_passed(moment: datetime | None) -> bool:
    """Whether a moment is over, to the millisecond; what has none never is."""
    return moment is not None and moment <= now()


def now() -> datetime:
    """The current time, cut to the millisecond that the wire can carry."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
