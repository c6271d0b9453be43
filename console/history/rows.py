"""Versions in lists: each with all that a row tells, at the same few queries for any number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from console.history.branches import Branch, Branches, walk
from console.history.graph import Dot, Graph
from console.naming import Named, Names
from memory.access import StoreAccess
from memory.api.versions import acquire_versions
from memory.models import MemoryVersion, Ref, Tag
from memory.publication import Acquired
from memory.queries import refs, versions
from memory.queries.erased import ErasedBodies, erased_in_changes
from memory.queries.lines import ChangedPath, first_changes
from memory.queries.tags import tags_at, tags_held

PATHS: Final = 3
"""Changed paths that a row names."""


@dataclass(frozen=True, slots=True)
class Row:
    """A version as a list shows it.

    Attributes:
        dot: its place in the graph; None in a list without one.
        changed: how many paths it changed against its parent.
        paths: the first of them.
        erased: what is gone of the texts that it wrote.
        refs: those that stand at it, as (kind, owner's ID).
    """

    version: MemoryVersion
    actor: Named
    branch: Branch
    dot: Dot | None
    changed: int
    paths: Sequence[ChangedPath]
    erased: ErasedBodies | None
    refs: Sequence[tuple[str, str | None]]
    tags: Sequence[Tag]

    @property
    def note(self) -> Any:
        """Its words; None when it has none."""
        return getattr(self.version, "note", None)

    @property
    def more_paths(self) -> int:
        """How many changed paths are not named."""
        return self.changed - len(self.paths)


def rows_of(
    access: StoreAccess, shown: Sequence[MemoryVersion], graph: Graph | None = None
) -> list[Row]:
    """Describe some versions of a store, newest first, which were read with their notes.

    Args:
        graph: draws lines between them; None where others stand between.
    """
    wanted = [version.id for version in shown]
    names = Names(access.caller.workspace_id, [(one.actor_kind, one.actor_uuid) for one in shown])
    counts, paths = versions.change_counts(wanted), first_changes(wanted, limit=PATHS)
    erased, standing = erased_in_changes(wanted), list(refs.refs_of(access.store_id))
    branches = Branches(shown, access.store.canonical_id, standing)
    labels, tags = _labels(standing), tags_at(wanted)
    return [
        Row(
            version=version,
            actor=names.actor(version),
            branch=branch,
            dot=dot,
            changed=counts.get(version.id, 0),
            paths=paths.get(version.id, ()),
            erased=erased.get(version.id),
            refs=labels.get(version.id, ()),
            tags=tags.get(version.id, ()),
        )
        for version, branch, dot in walk(shown, branches, graph)
    ]


def acquire_rows(access: StoreAccess, rows: Sequence[Row]) -> Acquired:
    """The messages and tags that rows hold, for the publication recheck (contract R5)."""
    noted = acquire_versions(access, [row.version for row in rows])
    tags = [tag for row in rows for tag in row.tags]
    return Acquired(access, notes=noted.notes, held=[tags_held(tags)])


def _labels(standing: Sequence[Ref]) -> dict[str, list[tuple[str, str | None]]]:
    """Version → the refs that stand at it, as (kind, owner's ID)."""
    labels: dict[str, list[tuple[str, str | None]]] = {}
    for ref in standing:
        labels.setdefault(ref.version_id, []).append((ref.kind, ref.owner_id))
    return labels
