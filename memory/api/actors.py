"""Actors on the wire, in the closed forms of contract M3."""

from typing import Literal, TypedDict, cast

from memory.actors import HasActor, render_actor


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


def rendered_actor(row: HasActor) -> Actor:
    """Who made a version."""
    return cast("Actor", render_actor(row))
