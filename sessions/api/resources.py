"""A Session on the wire."""

from collections.abc import Sequence
from typing import Literal, TypedDict, cast

from sessions.access import SessionAccess
from sessions.api.selections import Selecting, render_selection
from sessions.models import Mount
from sessions.mounts.resolver import Resolution
from sessions.queries.facts import selection_of
from wire.times import render_time

AccessName = Literal["read_only", "read_write"]
EffectiveAccessName = Literal["none", "read_only", "read_write"]
PlaceName = Literal["personal", "dm", "private", "public"]
SessionStateName = Literal["active", "archived", "erasing", "erased"]
ReasonName = Literal[
    "store_gone",
    "agent_without_read",
    "principal_without_act_as",
    "principal_without_read",
    "agent_without_write",
    "principal_without_write",
    "shared_owner",
    "shared_place",
]
RefusalName = Literal[
    "archived",
    "selection_not_writable",
    "working_ref_elsewhere",
    "ref_missing",
    "version_not_retained",
]


class PlaceOut(TypedDict):
    """Where a Session takes place; `space` is null unless others take part."""

    kind: PlaceName
    space: str | None


class MountOut(TypedDict):
    """A store as it was asked for, and what came of it when the Session was made.

    `mount_path` and `instructions` are null for who may not read the Session.
    """

    mount: int
    store: str
    access: AccessName
    effective_access: EffectiveAccessName
    reasons: list[ReasonName]
    selection: Selecting | None
    mount_path: str | None
    instructions: str | None


class PreviewedMountOut(TypedDict):
    """What a mount would come to now. `refusal` says why it cannot be had as it is asked for."""

    mount: int
    store: str
    access: AccessName
    effective_access: EffectiveAccessName
    reasons: list[ReasonName]
    selection: Selecting | None
    version: str | None
    refusal: RefusalName | None


class SessionPreviewOut(TypedDict):
    """What the mounts of a Session would come to now."""

    mounts: list[PreviewedMountOut]


class SessionCreatorOut(TypedDict):
    """The credential that asked for a Session."""

    kind: Literal["principal", "api_key"]
    id: str


class SessionOut(TypedDict):
    """One agent at work for one principal, with the memory that it mounts."""

    id: str
    agent: str
    environment: str
    acting_principal: str
    place: PlaceOut
    state: SessionStateName
    mounts: list[MountOut]
    event_count: int
    created_by: SessionCreatorOut
    created_at: str
    archived_at: str | None


def render_session(access: SessionAccess, mounts: Sequence[Mount]) -> SessionOut:
    """A Session as its reader may see it."""
    session = access.session
    creator = {"kind": session.created_by_kind, "id": session.created_by_id}
    return {
        "id": session.id,
        "agent": session.agent_id,
        "environment": session.environment_id,
        "acting_principal": session.principal_id,
        "place": {"kind": cast("PlaceName", session.place), "space": session.space_id},
        "state": cast("SessionStateName", session.state),
        "mounts": [_mount(access, mount) for mount in mounts],
        "event_count": session.event_count,
        "created_by": cast("SessionCreatorOut", creator),
        "created_at": render_time(session.created_at),
        "archived_at": render_time(session.archived_at) if session.archived_at else None,
    }


def render_preview(resolutions: Sequence[Resolution]) -> SessionPreviewOut:
    """What mounts would come to."""
    return {
        "mounts": [
            _previewed(position, resolution)
            for position, resolution in enumerate(resolutions, start=1)
        ]
    }


def _previewed(position: int, resolution: Resolution) -> PreviewedMountOut:
    facts = resolution.facts
    refusal = resolution.refusal
    return {
        "mount": position,
        "store": facts.store_id,
        "access": cast("AccessName", facts.requested.value),
        "effective_access": cast("EffectiveAccessName", resolution.effective.value),
        "reasons": [reason.value for reason in resolution.reasons],
        "selection": render_selection(facts.selection),
        "version": resolution.version,
        "refusal": refusal.value if refusal else None,
    }


def _mount(access: SessionAccess, mount: Mount) -> MountOut:
    return {
        "mount": mount.position,
        "store": mount.store_id,
        "access": cast("AccessName", mount.requested),
        "effective_access": cast("EffectiveAccessName", mount.effective),
        "reasons": cast("list[ReasonName]", mount.reasons),
        "selection": render_selection(selection_of(mount)),
        "mount_path": mount.mount_path if access.may_read else None,
        "instructions": mount.instructions if access.may_read else None,
    }
