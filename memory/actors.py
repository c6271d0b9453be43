"""Actors: who made a version, in the closed forms of contract M3."""

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from memory.models import ActorKind
from tenancy.caller import Caller


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
REDACTOR = Actor(ActorKind.PLATFORM, operation="redaction")


def actor_of(caller: Caller) -> Actor:
    """The actor that a caller's writes are recorded under: its credential, or a Session's agent."""
    if caller.agent:
        session, agent = caller.agent.session_id, caller.agent.agent_id
        return Actor(ActorKind.SESSION_AGENT, session, agent_id=agent)
    return Actor(ActorKind(caller.kind), caller.id)


@dataclass(frozen=True, slots=True)
class RecordedActor:
    """An actor as some row has it, where that row is no version."""

    actor_kind: str
    actor_uuid: UUID | None
    actor_agent_uuid: UUID | None = None
    actor_operation: str | None = None
