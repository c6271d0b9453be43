"""/v1/sessions/{id}/events: what happened, in its order (contract S4)."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

from pydantic import Field
from rest_framework.request import Request

from memory.access import open_store
from memory.api.publishing import Published, publish
from memory.api.trees import DocumentEntryOut, acquire_entries, render_entry
from memory.queries.documents import list_documents
from memory.refnaming import SessionName
from sessions.access import SessionAccess, open_session
from sessions.api.publishing import publish_sessions
from sessions.api.resources import AccessName, EffectiveAccessName, ReasonName
from sessions.events.following import follow
from sessions.models import Event, EventKind
from sessions.publication import SessionsRead, recheck_sessions
from sessions.queries.events import (
    EventFilters,
    ToldPaths,
    events_of,
    find_event,
    told_paths,
)
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied
from wire.fields import DIGITS, IdOf
from wire.operations import Listing, operation
from wire.paging import PagedQuery, decode_page, list_body, page_of
from wire.parsing import parse_nothing, parse_path_id, parse_query
from wire.times import render_time

SECONDS_AT_MOST = 25

EventName = Literal[
    "memory.mount_resolved",
    "memory.accessed",
    "memory.change_checkpointed",
    "session.resources_resolved",
    "session.archived",
    "session.erasure_requested",
    "session.erased",
    "run.refused",
]


class EventsQuery(PagedQuery):
    """Which events, and whether to wait for the next."""

    type: EventName | None = None
    run: Annotated[str, IdOf("run")] | None = None
    """Only those of this Run."""
    after: Annotated[int, Field(ge=0), DIGITS] = 0
    """Only those behind this position."""
    wait: Annotated[int, Field(ge=0, le=SECONDS_AT_MOST), DIGITS] = 0
    """Seconds to wait for one when there is none; the answer may come sooner, and empty."""

    def filters(self) -> EventFilters:
        """The filters as queries take them."""
        return EventFilters(EventKind(self.type) if self.type else None, self.run)


class MountResolvedOut(TypedDict):
    """What a mount came to when the Session was made."""

    mount: int
    store: str
    requested: AccessName
    effective: EffectiveAccessName
    reasons: list[ReasonName]


class ResolvedMountOut(MountResolvedOut):
    """What a mount comes to for one Run; the Run reads `version`."""

    version: str | None


class ResourcesResolvedOut(TypedDict):
    """What a Run's mounts come to, or an input's."""

    input: NotRequired[str]
    mounts: list[ResolvedMountOut]


class MemoryAccessedOut(TypedDict):
    """What a turn was shown of one store; the event's `manifest` lists it."""

    method: Literal["mount"]
    mount: int
    store: str
    version: str
    tree_hash: str
    document_count: int
    bytes: int


class MemoryAccessCountOut(TypedDict):
    """How much a turn was shown in all, where zero data retention forbids telling what."""

    method: Literal["mount"]
    store_count: int
    document_count: int


class ChangeCheckpointedOut(TypedDict):
    """A version that a turn sealed.

    `changed_paths` names the first 200; it is null for who may not read the store.
    """

    store: str
    working_ref: SessionName
    base_version: str
    new_version: str
    tree_hash: str
    diff_hash: str
    changed_path_count: int
    changed_paths: list[str] | None
    canonical_advanced: bool


class RefusedMountOut(TypedDict):
    """A mount that comes to nothing, and why."""

    mount: int
    store: str
    reasons: list[ReasonName]


class RunRefusedOut(TypedDict):
    """The mounts for which a Run was not let begin."""

    mounts: list[RefusedMountOut]


class NothingMoreOut(TypedDict):
    """That it happened says it all."""


type EventData = (
    MountResolvedOut
    | ResourcesResolvedOut
    | MemoryAccessedOut
    | MemoryAccessCountOut
    | ChangeCheckpointedOut
    | RunRefusedOut
    | NothingMoreOut
)


class EventOut(TypedDict):
    """One entry of a Session's log. Positions count from 1, without holes."""

    id: str
    session: str
    position: int
    type: EventName
    run: str | None
    turn: str | None
    data: EventData
    at: str


def render_event(event: Event, paths: ToldPaths) -> EventOut:
    """An event as its reader may see it."""
    told: dict[str, Any] = dict(event.told)
    if event.kind == EventKind.CHANGE_CHECKPOINTED:
        told["changed_paths"] = paths.of(event)
    return {
        "id": event.id,
        "session": event.session_id,
        "position": event.position,
        "type": cast("EventName", event.kind),
        "run": event.run_id,
        "turn": event.turn,
        "data": cast("EventData", told),
        "at": render_time(event.at),
    }


def _found(access: SessionAccess, query: EventsQuery) -> list[Event]:
    """One more than a page of events, waiting for the first when that is asked for."""
    page = decode_page(query.page, int)
    after = max(query.after, page[0]) if page else query.after
    rows = events_of(access.session_id, query.filters(), after=after)
    return follow(access.session_id, lambda: list(rows[: query.limit + 1]), seconds=query.wait)


class EventsView(ApiView):
    versioned = True

    @operation(
        "sessions.listSessionEvents",
        summary="List or follow the events of a Session",
        query=EventsQuery,
        answers={200: Listing[EventOut]},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """The oldest first. To follow, send the last `position` as `after`, and a `wait`."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        query = parse_query(request, EventsQuery)
        access.require_read()
        shown, next_page = page_of(
            _found(access, query), query.limit, lambda event: (event.position,)
        )
        paths = told_paths(access.caller, shown)
        answer = list_body([render_event(event, paths) for event in shown], next_page)
        return publish_sessions(SessionsRead([access], list(paths.stores.values())), answer)


class EventView(ApiView):
    versioned = True

    @operation(
        "sessions.getSessionEvent",
        summary="Get an event of a Session",
        answers={200: EventOut},
        errors=(NotFound, PolicyDenied, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, event: str) -> Published:
        """As the list shows it."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        found = find_event(access.session_id, parse_path_id("event", event))
        parse_nothing(request)
        access.require_read()
        paths = told_paths(access.caller, [found])
        read = SessionsRead([access], list(paths.stores.values()))
        return publish_sessions(read, render_event(found, paths))


class ManifestView(ApiView):
    versioned = True

    @operation(
        "sessions.listSessionEventManifest",
        summary="List what an event says was shown",
        query=PagedQuery,
        answers={200: Listing[DocumentEntryOut]},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, event: str) -> Published:
        """Each path with its digest, of a `memory.accessed` event. Needs `read` on its store."""
        caller = caller_of(request)
        session = open_session(caller, parse_path_id("session", id))
        told = find_event(session.session_id, parse_path_id("event", event)).told
        query = parse_query(request, PagedQuery)
        session.require_read()
        if "version" not in told:
            raise NotFound("The event has no manifest.")
        access = open_store(caller, told["store"])
        access.require_content()
        after = decode_page(query.page, str)
        entries = list_documents(
            told["version"], after=after[0] if after else None, limit=query.limit + 1
        )
        shown, next_page = page_of(entries, query.limit, lambda entry: (entry.path,))
        answer = list_body([render_entry(entry) for entry in shown], next_page)
        recheck_sessions(SessionsRead([session]))
        return publish(acquire_entries(access, shown), answer)
