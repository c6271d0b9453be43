"""Actors as the wire and exports name them, in the closed forms of contract M3."""

from typing import Literal, Protocol, TypedDict, cast
from uuid import UUID

from memory.models import ActorKind
from wire import ids


class PrincipalActor(TypedDict):
    """A person who was signed in to the Console."""

    kind: Literal["principal"]
    principal: str


class KeyActor(TypedDict):
    """An API key."""

    kind: Literal["api_key"]
    key: str


class AgentActor(TypedDict):
    """The agent of a Session."""

    kind: Literal["session_agent"]
    session: str
    agent: str


class CuratorActor(TypedDict):
    """A curation run."""

    kind: Literal["curator"]
    run: str


class PlatformActor(TypedDict):
    """The platform itself."""

    kind: Literal["platform"]
    operation: Literal["import", "redaction"]


type Actor = PrincipalActor | KeyActor | AgentActor | CuratorActor | PlatformActor


class HasActor(Protocol):
    """A row with the columns of an actor."""

    @property
    def actor_kind(self) -> str: ...
    @property
    def actor_uuid(self) -> UUID | None: ...
    @property
    def actor_agent_uuid(self) -> UUID | None: ...
    @property
    def actor_operation(self) -> str | None: ...


def render_actor(row: HasActor) -> Actor:
    """Who did what a row records."""
    rendered: dict[str, str] = {"kind": row.actor_kind}
    if row.actor_operation:
        return cast("Actor", rendered | {"operation": row.actor_operation})
    assert row.actor_uuid is not None
    name, kind = _NAMES[ActorKind(row.actor_kind)]
    rendered[name] = ids.id_from_uuid(kind, row.actor_uuid)
    if row.actor_agent_uuid:
        rendered["agent"] = ids.id_from_uuid("agent", row.actor_agent_uuid)
    return cast("Actor", rendered)


_NAMES = {
    ActorKind.PRINCIPAL: ("principal", "principal"),
    ActorKind.API_KEY: ("key", "api_key"),
    ActorKind.SESSION_AGENT: ("session", "session"),
    ActorKind.CURATOR: ("run", "curation"),
}
