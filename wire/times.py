"""Times on the wire: UTC, milliseconds, `Z` (contract §0)."""

from datetime import UTC, datetime


def render_time(moment: datetime) -> str:
    """Spell an aware datetime as `2026-08-27T09:30:00.000Z`."""
    spelled = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return spelled.removesuffix("+00:00") + "Z"


def now() -> datetime:
    """The current time, cut to the millisecond that the wire can carry."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
