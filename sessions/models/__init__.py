"""Agents at work, what they mount, and what happened."""

from sessions.models.checkpoints import Checkpoint
from sessions.models.events import Event, EventKind
from sessions.models.inputs import InputMount, SessionInput
from sessions.models.mounts import MOUNTS_AT_MOST, Access, Mount, Selecting, SelectionKind
from sessions.models.rounds import MemoryCall, Round
from sessions.models.runs import ENDED, Run
from sessions.models.sessions import SHARED_PLACES, Place, Session

__all__ = [
    "ENDED",
    "MOUNTS_AT_MOST",
    "SHARED_PLACES",
    "Access",
    "Checkpoint",
    "Event",
    "EventKind",
    "InputMount",
    "MemoryCall",
    "Mount",
    "Place",
    "Round",
    "Run",
    "Selecting",
    "SelectionKind",
    "Session",
    "SessionInput",
]
