"""What a Proposal's change comes to on another canonical (contract P4).

A reader may look at it as a trial; re-proposing seals it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from memory.merging import Conflicts, Replayed, replay
from memory.models import VersionTree
from memory.queries.diffs import tree_diff
from memory.treehash import Content
from memory.treepages import TreeEntry
from memory.trees import load_pages
from memory.versions import Change
from proposals.copying import copies_of
from proposals.models import Proposal
from wire.errors import Conflict, name_some


@dataclass(frozen=True, slots=True)
class Replay:
    """A Proposal's change on some canonical: its operations, or the paths that conflict.

    Attributes:
        written: the entries of the head that the change writes, by path.
    """

    outcome: Replayed | Conflicts
    written: Mapping[str, TreeEntry] = field(repr=False)


def replay_on(proposal: Proposal, canonical_id: str) -> Replay:
    """Replay what changed from base to head, path by path, on `canonical_id`. Four queries."""
    changes = tree_diff(proposal.base_id, proposal.head_id)
    before = {change.before.path: change.before for change in changes if change.before}
    after = {change.after.path: change.after for change in changes if change.after}
    outcome = replay(_contents(before), _contents(after), _contents(_tree(canonical_id)))
    return Replay(outcome, after)


def changes_of(replay: Replay) -> dict[str, Change]:
    """The changes to draft on canonical, with the texts they write. One query.

    Each text brings its own ceiling along, so that it does not outlive what it copies.

    Raises:
        Conflict: naming the paths changed on both sides, or those whose text is erased; or
            canonical holds all of the change already.
    """
    if isinstance(replay.outcome, Conflicts):
        named = name_some(replay.outcome.paths)
        raise Conflict(f"Changed both here and on canonical since: {named}.")
    operations = replay.outcome.operations
    if not operations:
        raise Conflict(
            "Canonical already holds everything that this Proposal changes."
            " There is nothing left to propose."
        )
    written = [replay.written[each.path] for each in operations if each.after]
    return {each.path: None for each in operations} | copies_of(written)


def _tree(version_id: str) -> dict[str, TreeEntry]:
    pages = load_pages(VersionTree.objects.values_list("pages", flat=True).get(version=version_id))
    return {entry.path: entry for entry in chain.from_iterable(pages.values())}


def _contents(entries: Mapping[str, TreeEntry]) -> dict[str, Content]:
    return {
        path: Content(entry.content_sha256, entry.media_type) for path, entry in entries.items()
    }
