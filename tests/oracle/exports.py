"""Exports in the oracle: a store's whole graph (contract E1 to E3)."""

from dataclasses import dataclass, replace
from datetime import datetime

from tests.oracle.provenance import Provenance
from tests.oracle.store import Store, describe
from tests.oracle.treehash import in_order
from tests.oracle.values import Caller, Document, RefName, Sealed, Version

REF_KINDS = ("canonical", "session", "proposal", "curation")


@dataclass(frozen=True)
class Exported:
    """What is told of a text.

    Once it is gone `text` is None, and so are its ceiling and the claims of where it came from.
    """

    path: str
    sha256: str
    media_type: str
    size: int
    text: str | None
    expires_at: datetime | None
    provenance: Provenance | None
    provenance_sha256: str | None


@dataclass(frozen=True)
class Pointer:
    """Where a ref is, and since when."""

    name: RefName
    version: int
    updated_at: datetime


@dataclass(frozen=True)
class Graph:
    """All items of a store; a document version goes by the version that introduced it."""

    revisions: tuple[Sealed, ...]
    fences: tuple[str, ...]
    documents: frozenset[tuple[int, Exported]]
    entries: tuple[tuple[int, str, int], ...]
    refs: tuple[Pointer, ...]


@dataclass(frozen=True)
class Whole:
    """The same in one response: a row for each path of each version."""

    revisions: tuple[Sealed, ...]
    fences: tuple[str, ...]
    rows: frozenset[tuple[int, Exported]]
    refs: tuple[Pointer, ...]


class Exporter:
    """Exports one store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def export_pages(self, caller: Caller) -> Graph:
        """The graph, item by item."""
        self.store.open(caller)
        entries = tuple(self._entries())
        return Graph(
            revisions=self._revisions(),
            fences=tuple(in_order(self.store.fences)),
            documents=frozenset(
                (one.introduced_by, self._exported(path, one)) for _, path, one in entries
            ),
            entries=tuple((version, path, one.introduced_by) for version, path, one in entries),
            refs=self._pointers(),
        )

    def export(self, caller: Caller) -> Whole:
        """The whole graph at once."""
        self.store.open(caller)
        return Whole(
            revisions=self._revisions(),
            fences=tuple(in_order(self.store.fences)),
            rows=frozenset(
                (version, self._exported(path, one)) for version, path, one in self._entries()
            ),
            refs=self._pointers(),
        )

    def in_export_order(self) -> list[Version]:
        """The versions, parents first, then in the order of sealing."""
        return sorted(
            self.store.versions,
            key=lambda version: (len(self.store.line(version.number)), version.number),
        )

    def _revisions(self) -> tuple[Sealed, ...]:
        return tuple(replace(describe(version), message=None) for version in self.in_export_order())

    def _entries(self) -> list[tuple[int, str, Document]]:
        return [
            (version.number, path, version.tree[path])
            for version in self.in_export_order()
            for path in in_order(version.tree)
        ]

    def _exported(self, path: str, document: Document) -> Exported:
        gone = self.store.bodies.why_gone(path, document)
        return Exported(
            path,
            document.sha256,
            document.media_type,
            document.size,
            None if gone else document.text,
            None if gone else document.expires_at,
            None if gone else document.provenance,
            document.provenance.sha256 if document.provenance else None,
        )

    def _pointers(self) -> tuple[Pointer, ...]:
        moved = {move.name: move.at for move in self.store.reflog}
        pointers = [Pointer(name, at, moved[name]) for name, at in self.store.refs.items()]
        return tuple(
            sorted(pointers, key=lambda one: (REF_KINDS.index(one.name.kind), one.name.owner or 0))
        )
