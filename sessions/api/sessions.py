"""/v1/sessions: making, reading and ending Sessions (contract S1)."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.fields import DocumentPath
from memory.api.publishing import Published
from memory.api.replays import REPLAYED_HEADER, replay_headers
from sessions.access import SessionAccess, listable_sessions, open_session
from sessions.actions.sessions import archive_session, create_session
from sessions.api.publishing import publish_sessions
from sessions.api.resources import (
    AccessName,
    PlaceName,
    SessionOut,
    SessionPreviewOut,
    SessionStateName,
    render_preview,
    render_session,
)
from sessions.api.selections import Selecting, parse_selection
from sessions.models import MOUNTS_AT_MOST, Access, Place
from sessions.mounts.admission import NewMount, NewSession, preview
from sessions.mounts.paths import are_apart
from sessions.publication import SessionsRead
from sessions.queries.facts import Wish
from sessions.queries.sessions import mounts_by_session
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    HarnessIncompatible,
    NotFound,
    PolicyDenied,
    ReadOnly,
    name_some,
)
from wire.fields import IdOf
from wire.idempotency import require_key
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query

AgentId = Annotated[str, IdOf("agent")]
PrincipalId = Annotated[str, IdOf("principal")]
Instructions = Annotated[str, Field(min_length=1, max_length=4_096)]


class PlaceInput(Body):
    """Where a Session takes place: alone with the principal, or in a space with others."""

    kind: PlaceName
    space: Annotated[str, IdOf("collaboration_space")] | None = None
    """The space; for a private or public place, and only there."""

    @model_validator(mode="after")
    def _in_a_space_with_others(self) -> Self:
        if (self.kind in {"private", "public"}) != (self.space is not None):
            raise ValueError("space: required in a private or public place, and only there")
        return self


class MountInput(Body):
    """A store that the agent is to have at hand."""

    store: Annotated[str, IdOf("store")]
    access: AccessName
    selection: Selecting | None = None
    """What is read; the current state when left out."""
    mount_path: DocumentPath | None = None
    """Where the runtime shows it; the runtime decides when left out."""
    instructions: Instructions | None = None
    """Words for the agent about this store."""

    def new_mount(self) -> NewMount:
        """The mount as the action takes it."""
        wish = Wish(self.store, Access(self.access), parse_selection(self.selection))
        return NewMount(wish, self.mount_path, self.instructions)


def _apart(mounts: list[MountInput]) -> list[MountInput]:
    """Refuse two mounts of one store, or at one path or below it."""
    stores = [mount.store for mount in mounts]
    repeated = sorted({store for store in stores if stores.count(store) > 1})
    if repeated:
        raise ValueError(f"a store is mounted at most once: {name_some(repeated)}")
    if not are_apart(mount.mount_path for mount in mounts if mount.mount_path):
        raise ValueError("a mount_path is neither another's nor below it")
    return mounts


class CreateSession(Body):
    """A Session for the acting principal of the key."""

    agent: AgentId
    environment: Annotated[str, IdOf("environment")]
    place: PlaceInput = PlaceInput(kind="personal")
    mounts: Annotated[
        list[MountInput], Field(max_length=MOUNTS_AT_MOST), AfterValidator(_apart)
    ] = []

    def wanted(self) -> NewSession:
        """The Session as the action takes it."""
        return NewSession(
            agent_id=self.agent,
            environment_id=self.environment,
            place=Place(self.place.kind),
            space_id=self.place.space,
            mounts=tuple(mount.new_mount() for mount in self.mounts),
        )


class SessionsQuery(PagedQuery):
    """Which Sessions to list."""

    agent: AgentId | None = None
    """Only those of this agent."""
    acting_principal: PrincipalId | None = None
    """Only those for this principal."""
    state: SessionStateName | None = None
    """Only those in this state."""

    def columns(self) -> dict[str, str]:
        """The filters as columns."""
        wanted = {"agent": self.agent, "principal": self.acting_principal, "state": self.state}
        return {name: value for name, value in wanted.items() if value}


def session_out(access: SessionAccess) -> SessionOut:
    """A Session with its mounts."""
    return render_session(access, mounts_by_session([access.session_id])[access.session_id])


def _listed(rows: list[SessionAccess]) -> list[SessionOut]:
    mounts = mounts_by_session([row.session_id for row in rows])
    return [render_session(row, mounts[row.session_id]) for row in rows]


class SessionsView(ApiView):
    versioned = True

    @operation(
        "sessions.listSessions",
        summary="List Sessions",
        query=SessionsQuery,
        answers={200: Listing[SessionOut]},
        errors=(Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request) -> Published:
        """One's own and those one may read, newest first; an admin key sees that all exist."""
        caller = caller_of(request)
        query = parse_query(request, SessionsQuery)
        found = listable_sessions(caller).filter(**query.columns())
        rows, next_page = newest_first(found, query)
        accesses = [SessionAccess(caller, row, frozenset(row.granted)) for row in rows]
        read = SessionsRead(accesses, has_words=True)
        return publish_sessions(read, list_body(_listed(accesses), next_page))

    @operation(
        "sessions.createSession",
        summary="Make a Session",
        body=CreateSession,
        answers={201: SessionOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, HarnessIncompatible),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request) -> Response:
        """For the principal that the key is bound to or names. It starts no Run.

        Each mount says what it came to and why. An agent without `read` on a store is refused;
        a principal without it, or without `act_as` on the agent, gets the Session, and a mount
        that comes to `none`.
        """
        caller = caller_of(request)
        body = parse_body(request, CreateSession)
        key = require_key(request, body.model_dump(mode="json"))
        created = create_session(caller=caller, wanted=body.wanted(), key=key)
        answer = session_out(open_session(caller, created.session_id))
        return Response(answer, status=201, headers=replay_headers(replayed=created.replayed))


class SessionPreviewView(ApiView):
    versioned = True

    @operation(
        "sessions.previewSession",
        summary="Say what the mounts of a Session would come to",
        body=CreateSession,
        answers={200: SessionPreviewOut},
        errors=(NotFound, PolicyDenied, ReadOnly),
    )
    def post(self, request: Request) -> Response:
        """As making it would decide now, and which version each would read. Writes nothing."""
        caller = caller_of(request)
        wanted = parse_body(request, CreateSession).wanted()
        return Response(render_preview(preview(caller, wanted)))


class SessionView(ApiView):
    versioned = True

    @operation(
        "sessions.getSession",
        summary="Get a Session",
        answers={200: SessionOut},
        errors=(NotFound, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """With what each mount came to when the Session was made."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        parse_nothing(request)
        return publish_sessions(SessionsRead([access], has_words=True), session_out(access))


class SessionArchiveView(ApiView):
    versioned = True

    @operation(
        "sessions.archiveSession",
        summary="Archive a Session",
        answers={200: SessionOut},
        errors=(NotFound, PolicyDenied),
    )
    def post(self, request: Request, id: str) -> Response:
        """For good: it runs nothing more, and its keys stop working. Working refs stay."""
        caller = caller_of(request)
        access = open_session(caller, parse_path_id("session", id))
        parse_nothing(request)
        archive_session(access=access)
        return Response(session_out(open_session(caller, access.session_id)))
