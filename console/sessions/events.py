"""A Session's log as a page tells it, newest first (contract S4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from console.sessions.pages import told_mounts
from console.sessions.words import EVENTS
from memory.access import StoreAccess
from sessions.models import Event, EventKind
from sessions.queries.events import (
    EventFilters,
    ToldPaths,
    events_before,
    events_of,
    told_paths,
)
from sessions.queries.stores import readable_stores
from tenancy.caller import Caller

LISTED: Final = 50
PATHS_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some events of a log.

    Attributes:
        before: the position that the next older page ends in front of; None at the beginning.
        newest: the position that new events come behind.
        stores: those of which it tells, for the publication recheck.
    """

    rows: Sequence[dict[str, Any]]
    before: int | None
    newest: int
    stores: Mapping[str, StoreAccess]


def older_page(
    caller: Caller, session_id: str, filters: EventFilters, before: int | None
) -> LogPage:
    """The newest events in front of a position, or of all."""
    found = list(events_before(session_id, filters, before=before)[: LISTED + 1])
    shown = found[:LISTED]
    end = shown[-1].position if len(found) > LISTED else None
    return _page(caller, shown, end, newest=shown[0].position if shown else 0)


def newer_page(caller: Caller, session_id: str, filters: EventFilters, after: int) -> LogPage:
    """What has happened behind a position; the oldest of it when it is more than a page."""
    shown = list(events_of(session_id, filters, after=after)[:LISTED])[::-1]
    return _page(caller, shown, None, newest=shown[0].position if shown else after)


def _page(caller: Caller, events: Sequence[Event], before: int | None, *, newest: int) -> LogPage:
    paths = told_paths(caller, events)
    stores = readable_stores(caller, _stores_told(events))
    return LogPage([_row(event, paths, stores) for event in events], before, newest, stores)


def _row(event: Event, paths: ToldPaths, stores: Mapping[str, StoreAccess]) -> dict[str, Any]:
    title, icon = EVENTS[EventKind(event.kind)]
    told = event.told
    is_checkpoint = event.kind == EventKind.CHANGE_CHECKPOINTED
    changed = (paths.of(event) or []) if is_checkpoint else []
    return {
        "event": event,
        "title": title,
        "icon": icon,
        "told": told,
        "access": stores.get(told.get("store", "")),
        "mounts": told_mounts(told.get("mounts", []), stores),
        "paths": changed[:PATHS_SHOWN],
        "more_paths": told["changed_path_count"] - PATHS_SHOWN if changed[PATHS_SHOWN:] else 0,
    }


def _stores_told(events: Iterable[Event]) -> set[str]:
    tellers = [each for event in events for each in (event.told, *event.told.get("mounts", []))]
    return {each["store"] for each in tellers if "store" in each}
