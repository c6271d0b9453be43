from datetime import UTC, datetime, timedelta, timezone

import pytest

from wire.times import now, render_time


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 8, 27, 9, 30, tzinfo=UTC), "2026-08-27T09:30:00.000Z"),
        (datetime(2026, 8, 27, 9, 30, 0, 999_999, tzinfo=UTC), "2026-08-27T09:30:00.999Z"),
        (
            datetime(2026, 8, 27, 1, 0, 0, 5_000, tzinfo=timezone(timedelta(hours=2))),
            "2026-08-26T23:00:00.005Z",
        ),
        (datetime(5, 1, 1, tzinfo=UTC), "0005-01-01T00:00:00.000Z"),
    ],
)
def test_times_are_utc_in_milliseconds(moment, text):
    assert render_time(moment) == text


def test_now_is_what_the_wire_can_carry():
    moment = now()

    assert datetime.fromisoformat(render_time(moment)) == moment
