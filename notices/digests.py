"""A chore: who asked for a digest gets a letter, once a day or once a week, if anything waits."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django.db.models import Q, QuerySet

from database.transactions import step
from jobs.messages import send_after_commit
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from notices.messages import SEND
from notices.models import Letter, LetterKind, Preferences, Rhythm
from proposals.queries.queue import waiting_count
from tenancy.authentication import caller_of_person
from tenancy.models import Principal, Workspace
from wire.times import now

KIND: Final = "notices.digest"
BATCH: Final = 100
HOUR: Final = time(6)
"""When a day begins for digests, UTC."""


def register() -> None:
    """Let it be looked at every hour whether a digest is due."""
    register_kind(JobKind(KIND, write_digests, every=timedelta(hours=1)))


def write_digests(work: Work) -> Progress:
    """Write the digests of the next people for whom one is due and anything waits."""
    moment = now()
    people = list(_due(moment, after=work.position.get("after"))[:BATCH])
    for preferences in people:
        if waiting_count(caller_of_person(preferences.principal)):
            _write(preferences.principal_id, day_of(preferences, moment))
    done = work.done + len(people)
    if len(people) < BATCH:
        return Progress(finished=True, done=done, result={"looked_at": done})
    return Progress(finished=False, done=done, position={"after": people[-1].principal_id})


def day_of(preferences: Preferences, moment: datetime) -> date:
    """The day that a digest of this moment is for: the day itself, or the Monday of its week."""
    day = _day(moment)
    if preferences.digest == Rhythm.WEEKLY:
        return day - timedelta(days=day.weekday())
    return day


def _day(moment: datetime) -> date:
    since = timedelta(hours=HOUR.hour)
    return (moment.astimezone(UTC) - since).date()


def _due(moment: datetime, *, after: str | None) -> QuerySet[Any]:
    """The preferences of who has not got the digest of this day, or of this week."""
    day = _day(moment)
    monday = day - timedelta(days=day.weekday())
    daily = Q(digest=Rhythm.DAILY) & ~Q(principal__in=_written(day))
    weekly = Q(digest=Rhythm.WEEKLY) & ~Q(principal__in=_written(monday))
    rows = Preferences.objects.filter(
        daily | weekly,
        confirmed_at__isnull=False,
        principal__state=Principal.State.ACTIVE,
        principal__user__is_active=True,
        principal__workspace__state=Workspace.State.ACTIVE,
    )
    if after:
        rows = rows.filter(principal__gt=after)
    return rows.select_related("principal__workspace").order_by("principal")


def _written(day: date) -> QuerySet[Any]:
    return Letter.objects.filter(day=day).values("principal")


@step
def _write(person: str, day: date) -> None:
    moment = now()
    letter = Letter(
        principal_id=person, kind=LetterKind.DIGEST, day=day, created_at=moment, due_at=moment
    )
    Letter.objects.bulk_create([letter])
    send_after_commit(SEND, letter.id)
