"""What a mount comes to and what a Session's log tells, in words for people who are new here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sessions.erasure.obstacles import ObstacleKind
from sessions.models import EventKind
from sessions.mounts.resolver import REFUSED_AT_ADMISSION, Reason, Refusal, Resolution

REASONS: Final[Mapping[Reason, str]] = {
    Reason.STORE_GONE: "The store is not complete yet, or it is being deleted.",
    Reason.AGENT_WITHOUT_READ: (
        "The agent may not read this store. Who administers the store can grant the agent `read`"
        " on its Access page."
    ),
    Reason.PRINCIPAL_WITHOUT_ACT_AS: (
        "You may not act as this agent. An admin can grant you `act_as` on it; until then nothing"
        " runs."
    ),
    Reason.PRINCIPAL_WITHOUT_READ: (
        "You may not read this store, and an agent gets no more than the person it acts for."
    ),
    Reason.AGENT_WITHOUT_WRITE: "The agent may read this store, and holds no grant of `write`.",
    Reason.PRINCIPAL_WITHOUT_WRITE: (
        "You may read this store and not write to it, and an agent gets no more than you."
    ),
    Reason.SHARED_OWNER: (
        "This store belongs to many, so nothing is written into it from a Session. What the agent"
        " wants to change it proposes, and a reviewer decides."
    ),
    Reason.SHARED_PLACE: (
        "Others take part in this place, so a store of one person is only read here."
    ),
}
"""Reason of a reduction → what it means, and what would help. “You” is the acting principal."""

REFUSALS: Final[Mapping[Refusal, str]] = {
    Refusal.ARCHIVED: "The store is archived: it can be read, and takes no writes any more.",
    Refusal.SELECTION_NOT_WRITABLE: (
        "In this environment nothing can be written on a chosen revision. Take read only, or the"
        " current state."
    ),
    Refusal.WORKING_REF_ELSEWHERE: (
        "The Session has written in this store already, on another version than the chosen one."
    ),
    Refusal.REF_MISSING: (
        "The store has no such ref now. The Session can be made; a Run needs the ref."
    ),
    Refusal.VERSION_NOT_RETAINED: (
        "Not every text of this version is there any more, and nothing else is mounted in its"
        " stead. Choose another version."
    ),
}

EVENTS: Final[Mapping[EventKind, tuple[str, str]]] = {
    EventKind.MOUNT_RESOLVED: ("Mount admitted", "circle-stack"),
    EventKind.RESOURCES_RESOLVED: ("Mounts frozen", "play"),
    EventKind.ACCESSED: ("Memory shown", "eye"),
    EventKind.CHANGE_CHECKPOINTED: ("Checkpoint sealed", "check-badge"),
    EventKind.RUN_REFUSED: ("Run refused", "no-symbol"),
    EventKind.ARCHIVED: ("Session archived", "archive-box"),
    EventKind.ERASURE_REQUESTED: ("Erasure asked for", "eye-slash"),
    EventKind.ERASED: ("Session erased", "eye-slash"),
}
"""Kind of event → its title and icon."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why no Session can be made with a mount, and the field that could mend it."""

    field: str
    sentence: str
    status: int


_OBSTACLES: Final[Mapping[Reason | Refusal, tuple[str, int]]] = {
    Reason.STORE_GONE: ("access", 404),
    Reason.AGENT_WITHOUT_READ: ("access", 403),
    Refusal.ARCHIVED: ("access", 403),
    Refusal.SELECTION_NOT_WRITABLE: ("access", 422),
    Refusal.VERSION_NOT_RETAINED: ("revision", 409),
}


def obstacle_of(resolution: Resolution) -> Obstacle | None:
    """What `sessions.mounts.admission.admit` would refuse a mount for, before it is asked."""
    for reason in (Reason.AGENT_WITHOUT_READ, Reason.STORE_GONE):
        if reason in resolution.reasons:
            field, status = _OBSTACLES[reason]
            return Obstacle(field, REASONS[reason], status)
    refusal = resolution.refusal
    if refusal is None or refusal not in REFUSED_AT_ADMISSION:
        return None
    field, status = _OBSTACLES[refusal]
    return Obstacle(field, REFUSALS[refusal], status)


OBSTACLES: Final[Mapping[ObstacleKind, tuple[str, str]]] = {
    ObstacleKind.ROUND: (
        "A round goes on",
        "Whoever entered it, or the person it acts for, finishes it.",
    ),
    ObstacleKind.WORKING_REF: (
        "Work that nobody proposed",
        "In a store of many. Somebody who may write there proposes it, or releases the ref.",
    ),
    ObstacleKind.PROPOSAL: ("An open Proposal of the agent", "A reviewer decides."),
    ObstacleKind.CURATION: (
        "A curation run goes on",
        "In a store of the Session's own, which takes no writes until the run has ended.",
    ),
    ObstacleKind.STORE: (
        "A store could not be deleted",
        "Workers gave up. The cause is in their log; asking again lets them go on.",
    ),
}
"""What an erasure waits for → what it is, and what would help."""
