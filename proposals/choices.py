"""What somebody decided for the paths that a replay left in conflict (contract P4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from memory.versions import Change, Put
from proposals.copying import copies_of
from proposals.merges import Merge, NoMerge, merges_of
from proposals.replaying import Trial
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
    changes: dict[str, Change] = dict.fromkeys(trial.deleted)
    copied = trial.written
    for merge in _decided(trial, choices):
        choice = choices.by_path[merge.path]
        if choice is not Side.CANONICAL:
            changes[merge.path] = _change(merge, choice)
        if choice is Side.PROPOSAL and merge.conflict.head:
            copied.append(merge.conflict.head)
    return changes | copies_of(copied)


def _require_current(trial: Trial, choices: Choices) -> None:
    if choices.canonical_id not in (None, trial.canonical_id):
        raise Conflict(
            f"Canonical moved to {trial.canonical_id} since the conflicts were looked at."
            " Look at them again."
        )


def _decided(trial: Trial, choices: Choices) -> list[Merge]:
    """The conflicts that were decided, when all of them were."""
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
    return merges_of(trial.conflicts)


def _change(merge: Merge, choice: Choice) -> Change:
    if isinstance(choice, Accepted):
        return _accepted(merge, choice)
    if isinstance(choice, Put):
        media_type = choice.media_type or merge.media_type or None
        return replace(choice, media_type=media_type, expires_at=merge.expires_at)
    return None  # a deletion; what the Proposal writes is copied


def _accepted(merge: Merge, choice: Accepted) -> Put:
    if merge.reason is NoMerge.ERASED:
        raise Conflict(f"A text to merge is erased: {merge.path}.")
    if merge.merged is None or not merge.is_clean:
        raise Conflict(f"Its lines do not merge by themselves: {merge.path}.")
    if merge.sha256 != choice.content_sha256:
        raise Conflict(f"The merged text is another one by now: {merge.path}.")
    return Put(merge.merged.text, merge.media_type, expires_at=merge.expires_at)
