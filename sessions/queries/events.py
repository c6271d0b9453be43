"""A Session's log, and the paths that its events stand for (contract S4)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from memory.access import StoreAccess
from memory.models import VersionChange
from sessions.models import Event, EventKind
from sessions.queries.stores import readable_stores
from tenancy.caller import Caller
from wire.errors import NotFound

PATHS_AT_MOST: Final = 200
"""How many of a version's changed paths an event names; it counts all of them."""


@dataclass(frozen=True, slots=True)
class EventFilters:
    """Which events; None for all."""

    kind: EventKind | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToldPaths:
    """The paths that some events stand for, of the stores that a caller may read.

    Attributes:
        changed: by the version that changed them.
        stores: those that were looked into.
    """

    changed: Mapping[str, list[str]]
    stores: Mapping[str, StoreAccess]

    def of(self, event: Event) -> list[str] | None:
        """The paths that an event tells as changed; None when the caller may not know them."""
        if event.told.get("store") not in self.stores:
            return None
        return self.changed.get(event.told["new_version"], [])


def events_of(session_id: str, filters: EventFilters, *, after: int = 0) -> QuerySet[Event]:
    """A Session's events behind a position, in their order."""
    events = Event.objects.filter(session=session_id, position__gt=after)
    if filters.kind:
        events = events.filter(kind=filters.kind)
    if filters.run_id:
        events = events.filter(run_uuid=filters.run_id)
    return events.order_by("position")


def events_before(
    session_id: str, filters: EventFilters, *, before: int | None = None
) -> QuerySet[Event]:
    """A Session's events in front of a position, or all of them, newest first."""
    events = events_of(session_id, filters)
    if before is not None:
        events = events.filter(position__lt=before)
    return events.order_by("-position")


def find_event(session_id: str, event_id: str) -> Event:
    """One event. Raises NotFound when it is not the Session's."""
    event = Event.objects.filter(session=session_id, id=event_id).first()
    if event is None:
        raise NotFound("The Session has no such event.")
    return event


def told_paths(caller: Caller, events: Iterable[Event]) -> ToldPaths:
    """The paths that the checkpoints among some events changed. Two queries."""
    sealed = [event.told for event in events if event.kind == EventKind.CHANGE_CHECKPOINTED]
    stores = readable_stores(caller, {told["store"] for told in sealed})
    versions = [told["new_version"] for told in sealed if told["store"] in stores]
    return ToldPaths(_changed_paths(versions), stores)


def _changed_paths(version_ids: list[str]) -> dict[str, list[str]]:
    number = Window(RowNumber(), partition_by=F("version"), order_by=F("path").asc())
    changes = VersionChange.objects.filter(version__in=version_ids).annotate(number=number)
    found: dict[str, list[str]] = defaultdict(list)
    rows = changes.filter(number__lte=PATHS_AT_MOST).order_by("version", "path")
    for version, path in rows.values_list("version", "path") if version_ids else ():
        found[version].append(path)
    return found
