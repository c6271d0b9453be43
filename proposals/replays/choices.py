"""What somebody decided for the paths that a replay left in conflict (contract P4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from memory.versions.sealing import Change, Put
from proposals.replays.copying import copies_of
from proposals.replays.merges import Merge, NoMerge, merged, unmerged
from proposals.replays.replaying import Trial
from wire.errors import Conflict, Malformed, name_some


class Side(StrEnum):
    """One of the two that changed a path, taken as it is."""

    CANONICAL = "canonical"
    PROPOSAL = "proposal"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The merged text that was offered, named by its digest."""

    content_sha256: bytes


type Choice = Side | Accepted | Change
"""A side, the merged text, another text, or None for no document at all."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Decisions by path, and the canonical that they were made on; None says nothing of it."""

    canonical_id: str | None = None
    by_path: Mapping[str, Choice] = field(default_factory=dict)


def changes_of(trial: Trial, choices: Choices) -> dict[str, Change]:
    """The changes to draft on canonical, with the texts they write. Three queries at most.

    Each text brings its own ceiling along, so that it does not outlive what it copies.

    Raises:
        Malformed: a choice is for a path that is not in conflict.
        Conflict: canonical is not where the choices were made; naming the paths that are still
            in conflict, or whose text is erased or not the merged one.
    """
    _require_current(trial, choices)
    _require_decided(trial, choices)
    changes: dict[str, Change] = dict.fromkeys(trial.deleted)
    copied = trial.written
    for conflict in trial.conflicts:
        choice = choices.by_path[conflict.path]
        if choice is Side.PROPOSAL and conflict.head:
            copied.append(conflict.head)
        elif choice is Side.PROPOSAL or choice is None:
            changes[conflict.path] = None
    return changes | _texts(trial, choices) | copies_of(copied)


def _texts(trial: Trial, choices: Choices) -> dict[str, Put]:
    """What was written by hand or accepted; only what is accepted is merged."""
    made = {
        path: choice
        for path, choice in choices.by_path.items()
        if isinstance(choice, Put | Accepted)
    }
    loaded = unmerged(conflict for conflict in trial.conflicts if conflict.path in made)
    return {merge.path: _text(merge, made[merge.path]) for merge in loaded}


def _require_current(trial: Trial, choices: Choices) -> None:
    if choices.canonical_id not in (None, trial.canonical_id):
        raise Conflict(
            f"Canonical moved to {trial.canonical_id} since the conflicts were looked at."
            " Look at them again."
        )


def _require_decided(trial: Trial, choices: Choices) -> None:
    paths = {conflict.path for conflict in trial.conflicts}
    foreign = sorted(choices.by_path.keys() - paths)
    if foreign:
        raise Malformed(f"resolutions: not in conflict: {name_some(foreign)}.")
    open_paths = {
        path
        for conflict in trial.conflicts
        if conflict.path not in choices.by_path
        for path in (conflict.path, *conflict.blocked_by)
    }
    if open_paths:
        named = name_some(sorted(open_paths))
        raise Conflict(f"Changed both here and on canonical since: {named}.")


def _text(merge: Merge, choice: Put | Accepted) -> Put:
    if isinstance(choice, Accepted):
        return _accepted(merged(merge), choice)
    media_type = choice.media_type or merge.media_type or None
    return replace(choice, media_type=media_type, expires_at=merge.expires_at)


def _accepted(merge: Merge, choice: Accepted) -> Put:
    if merge.reason is NoMerge.ERASED:
        raise Conflict(f"A text to merge is erased: {merge.path}.")
    if merge.merged is None or not merge.is_clean:
        raise Conflict(f"Its lines do not merge by themselves: {merge.path}.")
    if merge.sha256 != choice.content_sha256:
        raise Conflict(f"The merged text is another one by now: {merge.path}.")
    return Put(merge.merged.text, merge.media_type, expires_at=merge.expires_at)
