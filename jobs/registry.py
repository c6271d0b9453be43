"""Kinds of jobs: the room that owns some slow work registers how one batch of it is done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any


@dataclass(frozen=True, slots=True)
class Work:
    """A job as the function sees it that does one batch of it.

    Attributes:
        workspace_id: None for the installation's own jobs.
        target_id: what the work is about, with its prefix.
        position, done, total, result: as the batch before left them.
    """

    job_id: str
    workspace_id: str | None
    target_id: str | None
    parameters: Mapping[str, Any]
    position: Mapping[str, Any]
    done: int
    total: int | None
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch came: where the next one begins, and what to tell until then.

    Attributes:
        finished: whether nothing is left to do.
        position: identifiers, counts and closed words that the next batch resumes from.
        result: identifiers, counts and closed words for whoever asked (contract X5).
        pause: how long nothing can be done, because others have to act first; None when the next
            batch may come at once.
    """

    finished: bool
    done: int
    total: int | None = None
    position: Mapping[str, Any] = field(default_factory=dict)
    result: Mapping[str, Any] = field(default_factory=dict)
    pause: timedelta | None = None


type Handler = Callable[[Work], Progress]
"""Does one bounded batch, inside the transaction that also records its Progress.

It has to be short (a second at most): the job's row is locked meanwhile. What it raises rolls the
batch back; an ApiError ends the job, anything else is tried again later.
"""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job.

    Attributes:
        name: `noun.verb`, unique.
        run: does one batch.
        every: for the installation's own chores: how long after one another they are due.
    """

    name: str
    run: Handler
    every: timedelta | None = None


_kinds: dict[str, JobKind] = {}


def register(kind: JobKind) -> None:
    """Add a kind at start-up. Raises ValueError when its name is taken."""
    if kind.name in _kinds:
        raise ValueError(f"{kind.name} is registered already")
    _kinds[kind.name] = kind


def find_kind(name: str) -> JobKind:
    """The kind of that name. Raises KeyError when nobody registered it."""
    return _kinds[name]


def chores() -> list[JobKind]:
    """The kinds that are due again and again."""
    return [kind for kind in _kinds.values() if kind.every]
