"""Times on the wire: UTC, milliseconds, `Z` (contract §0)."""

from datetime import UTC, datetime


def render_time(moment: datetime) -> str:
    """Spell an aware datetime as `2026-08-27T09:30:00.000Z`."""
    return (
        moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
    )


def now() -> datetime:
    """The current time, cut to the millisecond that the wire can carry."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
