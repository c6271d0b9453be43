"""Actors: who made a version, in the closed forms of contract M3."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol
from uuid import UUID

from memory.models import ActorKind
from tenancy.caller import Caller
from wire import ids


@dataclass(frozen=True, slots=True)
class Actor:
    """One of the five forms; use the functions below to make one.

    Attributes:
        id: the principal, key, Session or curation run; None for the platform.
        agent_id: the agent of a Session, else None.
        operation: what the platform did, else None.
    """

    kind: ActorKind
    id: str | None = None
    agent_id: str | None = None
    operation: Literal["import", "redaction"] | None = None

    def columns(self) -> dict[str, Any]:
        """The actor as a version's columns."""
        return {
            "actor_kind": self.kind,
            "actor_uuid": self.id,
            "actor_agent_uuid": self.agent_id,
            "actor_operation": self.operation,
        }


IMPORTER = Actor(ActorKind.PLATFORM, operation="import")


def actor_of(caller: Caller) -> Actor:
    """The actor that a caller's writes are recorded under: its credential."""
    return Actor(ActorKind(caller.kind), caller.id)


class HasActor(Protocol):
    @property
    def actor_kind(self) -> str: ...
    @property
    def actor_uuid(self) -> UUID | None: ...
    @property
    def actor_agent_uuid(self) -> UUID | None: ...
    @property
    def actor_operation(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class RecordedActor:
    """An actor as some row has it, where that row is no version."""

    actor_kind: str
    actor_uuid: UUID | None
    actor_agent_uuid: UUID | None = None
    actor_operation: str | None = None


def render_actor(row: HasActor) -> dict[str, str]:
    """A version's actor on the wire."""
    rendered: dict[str, str] = {"kind": row.actor_kind}
    if row.actor_operation:
        return rendered | {"operation": row.actor_operation}
    assert row.actor_uuid is not None
    name, kind = _NAMES[ActorKind(row.actor_kind)]
    rendered[name] = ids.id_from_uuid(kind, row.actor_uuid)
    if row.actor_agent_uuid:
        rendered["agent"] = ids.id_from_uuid("agent", row.actor_agent_uuid)
    return rendered


_NAMES = {
    ActorKind.PRINCIPAL: ("principal", "principal"),
    ActorKind.API_KEY: ("key", "api_key"),
    ActorKind.SESSION_AGENT: ("session", "session"),
    ActorKind.CURATOR: ("run", "curation"),
}
