"""Copies in the oracle: forks (contract F1) and imports of exports (I1)."""

from dataclasses import dataclass, field, replace
from typing import Any

from tests.oracle.exports import Exporter
from tests.oracle.retention import earlier
from tests.oracle.store import Store
from tests.oracle.treehash import tree_hash
from tests.oracle.values import (
    CANONICAL,
    CONFLICT,
    IMPORT,
    Caller,
    Settings,
    Tree,
    Version,
)


@dataclass(frozen=True)
class Copied:
    """A store that began as a copy, whose canonical tree has this hash."""

    tree_hash: str
    store: Any = field(compare=False, repr=False)
    replayed: bool = False


class Copier:
    """Makes stores of one."""

    def __init__(self, store: Store, exporter: Exporter) -> None:
        self.store = store
        self.exporter = exporter

    def fork(self, caller: Caller, version: int, key: str) -> Copied:
        """A store of the caller's own that begins with one version's tree."""
        self.store.open(caller)
        self.store.workspace.require_durable_bodies()
        told: Copied | None = self.store.replay(caller, key, ("fork", version))
        if told is not None:
            return replace(told, replayed=True)
        source = self.store.resolve(caller, version)
        for path, document in source.tree.items():
            self.store.bodies.require(path, document, CONFLICT)
        fork = Store(self.store.workspace, caller, Settings(), self._copies(source.tree))
        copied = Copied(tree_hash(source.tree), fork)
        self.store.keep_receipt(caller, key, ("fork", version), copied)
        return copied

    def _copies(self, tree: Tree) -> Tree:
        """The texts of a tree written anew; each keeps the earlier of two ceilings."""
        ceiling = self.store.workspace.ceiling
        return {
            path: replace(one, introduced_by=0, expires_at=earlier(one.expires_at, ceiling))
            for path, one in tree.items()
        }

    def import_export(self, caller: Caller) -> Copied:
        """Export the store, and make one of the export that reads the same."""
        self.store.open(caller)
        self.store.workspace.require_durable_bodies()
        made = Store.without_versions(self.store.workspace, Settings())
        order = self.exporter.in_export_order()
        numbers = {version.number: at for at, version in enumerate(order)}
        for version in order:
            self._import(made, version, numbers)
        made.fences = set(self.store.fences)
        made.move(CANONICAL, numbers[self.store.refs[CANONICAL]], IMPORT)
        return Copied(tree_hash(self._canonical.tree), made)

    @property
    def _canonical(self) -> Version:
        return self.store.versions[self.store.refs[CANONICAL]]

    def _import(self, made: Store, version: Version, numbers: dict[int, int]) -> None:
        parent = None if version.parent is None else numbers[version.parent]
        tree: Tree = {}
        for path, document in version.tree.items():
            gone = self.store.bodies.why_gone(path, document)
            ceiling = earlier(document.expires_at, self.store.workspace.ceiling)
            introduced_by = numbers[document.introduced_by]
            tree[path] = replace(
                document, introduced_by=introduced_by, expires_at=None if gone else ceiling
            )
            if gone:
                made.bodies.erase([(path, introduced_by)], "imported")
        made.seal(parent, "import", IMPORT, tree)
