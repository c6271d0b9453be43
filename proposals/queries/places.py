"""Places of a Proposal's difference that a comment can be pinned to (contract P6)."""

from dataclasses import dataclass

from memory.documents.texts import lines_of
from memory.queries.diffs import bodies_of, tree_diff
from memory.trees.editing import TreeEntry
from proposals.models import CommentSide, Proposal
from wire.errors import Conflict, Malformed


@dataclass(frozen=True, slots=True)
class Place:
    """A document on one side of a Proposal, or a line of it.

    Attributes:
        path: as that side has it; a rename has another one on each.
        line: from 1; None for the document.
    """

    path: str
    side: CommentSide
    line: int | None = None

    def version_of(self, proposal: Proposal) -> str:
        """The version that the place is in."""
        return proposal.base_id if self.side is CommentSide.BASE else proposal.head_id


def require_place(proposal: Proposal, place: Place) -> None:
    """Refuse a place that the Proposal's difference does not have. Three queries at most.

    Raises:
        Malformed: the Proposal does not change that path, or the document has no such line.
        Conflict: its text is erased, so that nobody can say which line is meant.
    """
    entry = _entry(proposal, place)
    if place.line is None:
        return
    body = bodies_of([entry])[entry.document_version]
    if body.text is None:
        raise Conflict("The text of this document is erased; its lines take no comments.")
    lines = len(lines_of(body.text))
    if place.line > lines:
        raise Malformed(f"line: the document has {lines} lines on this side.")


def _entry(proposal: Proposal, place: Place) -> TreeEntry:
    for change in tree_diff(proposal.base_id, proposal.head_id):
        entry = change.before if place.side is CommentSide.BASE else change.after
        if entry is not None and entry.path == place.path:
            return entry
    raise Malformed(f"path: the Proposal's {place.side} holds no such document that it changes.")
