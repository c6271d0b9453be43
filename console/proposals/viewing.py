"""How far a person has come with the files of a Proposal."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from console.drawing.diffs import FileDiff
from console.people import ConsoleRequest
from memory.access import StoreAccess
from memory.trees.diffs import PathChange
from proposals.queries.viewings import digest_of, viewed_by


@dataclass(frozen=True)
class Progress:
    """The changed files of a reviewed diff, and which of them the person has viewed."""

    changes: Sequence[PathChange]
    digests: set[bytes]

    @property
    def total(self) -> int:
        return len(self.changes)

    @cached_property
    def _viewed(self) -> set[str]:
        """The paths that are viewed as this head has them."""
        return {change.path for change in self.changes if digest_of(change) in self.digests}

    @property
    def count(self) -> int:
        return len(self._viewed)

    @property
    def is_complete(self) -> bool:
        return self.count == self.total

    def has(self, file: FileDiff) -> bool:
        """Whether the file is viewed as this head has it."""
        return file.change.path in self._viewed


def load_progress(
    request: ConsoleRequest, access: StoreAccess, changes: Sequence[PathChange]
) -> Progress:
    """Which of some changes the person has viewed. One query."""
    person = request.principal.id
    return Progress(changes, viewed_by(person, access.store_id, changes))
