"""How long ago, in words: the same steps as static/console/console.js."""

from datetime import UTC, datetime

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_STEPS = ((_MINUTE, 1, "s"), (_HOUR, _MINUTE, "min"), (_DAY, _HOUR, "h"), (30 * _DAY, _DAY, "d"))


def relative_time(moment: datetime, now: datetime) -> str:
    """Spell the distance from `now`, e.g. `5 min ago`; beyond 30 days the date itself."""
    seconds = round((now - moment).total_seconds())
    distance = abs(seconds)
    if distance < 10:
        return "just now"
    for below, unit, name in _STEPS:
        if distance < below:
            amount = f"{distance // unit} {name}"
            return f"{amount} ago" if seconds > 0 else f"in {amount}"
    return f"{moment.astimezone(UTC):%d %b %Y}"


def waited_time(moment: datetime, now: datetime) -> str:
    """How long something waits since a moment, e.g. `5 min`; in days from two of them on."""
    seconds = max(round((now - moment).total_seconds()), 0)
    if seconds < _MINUTE:
        return "under a minute"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR} h"
    return f"{seconds // _DAY:,} d"


def exact_time(moment: datetime) -> str:
    """The moment in UTC to the millisecond, as a person reads it."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%d %H:%M:%S}.{utc.microsecond // 1000:03d} UTC"
