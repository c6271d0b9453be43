"""The conflicts of a Proposal with canonical, ready for somebody to decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.utils.safestring import SafeString

from console.drawing.diffs import PAGE_BYTES, FileDiff, preview_file
from console.drawing.mergetables import conflict_table
from console.forms.merging import ChoiceForm
from memory.queries.documents import Erasure
from proposals.replays.choices import Choices
from proposals.replays.merges import Merge, merges_of
from proposals.replays.replaying import PathConflict, Trial

MOST_PATHS: Final = 30
"""Conflicts that one page lets somebody decide."""


@dataclass(frozen=True)
class ConflictView:
    """One path in conflict, as the page shows it."""

    form: ChoiceForm

    @property
    def merge(self) -> Merge:
        return self.form.merge

    @property
    def anchor(self) -> str:
        return f"file-{self.form.number}"

    @cached_property
    def drifted(self) -> FileDiff:
        """What canonical did to the text since the base."""
        return preview_file(self.merge.path, self.merge.base.text, self.merge.canonical.text)

    @cached_property
    def proposed(self) -> FileDiff:
        """What the Proposal does to it."""
        return preview_file(self.merge.path, self.merge.base.text, self.merge.head.text)

    @cached_property
    def result(self) -> FileDiff | None:
        """What the merged text changes on canonical, when nobody has to decide anything in it."""
        if self.merge.merged is None or not self.merge.is_clean:
            return None
        text = self.merge.merged.text
        return preview_file(self.merge.path, self.merge.canonical.text, text)

    @cached_property
    def written(self) -> FileDiff | None:
        """What the text that was written by hand changes on canonical."""
        text = self.form.written if self.form.is_bound and self.form.is_valid() else None
        if text is None:
            return None
        return preview_file(self.merge.path, self.merge.canonical.text, text)

    @property
    def contested(self) -> SafeString | None:
        """The stretches that somebody has to decide."""
        merged = self.merge.merged
        return conflict_table(merged) if merged and merged.conflicts else None

    @property
    def erasures(self) -> list[tuple[str, Erasure]]:
        """The sides whose text is gone, by name."""
        merge = self.merge
        sides = (
            ("at the base", merge.base),
            ("on canonical", merge.canonical),
            ("of this Proposal", merge.head),
        )
        return [(name, body.erasure) for name, body in sides if body.erasure]


@dataclass(frozen=True, slots=True)
class MergePage:
    """What the page shows, and what a sent form means."""

    trial: Trial
    paths: Sequence[ConflictView]

    @property
    def is_complete(self) -> bool:
        """Whether all conflicts fit the page: then it can be decided here."""
        return len(self.paths) == len(self.trial.conflicts)

    @property
    def is_valid(self) -> bool:
        """Whether every path has been decided."""
        return all(path.form.is_valid() for path in self.paths)

    @property
    def choices(self) -> Choices:
        """The decisions as the action takes them."""
        by_path = {path.merge.path: path.form.choice for path in self.paths}
        return Choices(self.trial.canonical_id, by_path)

    @property
    def merges(self) -> list[Merge]:
        return [path.merge for path in self.paths]


def merge_page(trial: Trial, data: Any = None, drafts: Any = None) -> MergePage:
    """Load the conflicts of a trial with a form for each.

    Args:
        data: what was sent, when it was sent for this very canonical.
        drafts: texts that somebody has written by path, to go on with.
    """
    merges = merges_of(trial.conflicts[: _affordable(trial.conflicts)])
    forms = [
        ChoiceForm(data, merge=merge, number=number, draft=(drafts or {}).get(merge.path))
        for number, merge in enumerate(merges, start=1)
    ]
    return MergePage(trial, [ConflictView(form) for form in forms])


def drafts_in(data: Any) -> dict[str, str]:
    """The texts that a form carries by path, when it no longer fits the conflicts."""
    numbers = range(1, MOST_PATHS + 1)
    return {
        data[f"path-{number}-path"]: data[f"path-{number}-text"].replace("\r\n", "\n")
        for number in numbers
        if data.get(f"path-{number}-take") == "content" and f"path-{number}-text" in data
    }


def _affordable(conflicts: Sequence[PathConflict]) -> int:
    """How many conflicts, one at least, have texts that fit the page."""
    spent = 0
    for number, conflict in enumerate(conflicts[:MOST_PATHS]):
        spent += sum(entry.size for entry in conflict.entries)
        if spent > PAGE_BYTES and number:
            return number
    return min(len(conflicts), MOST_PATHS)
