"""The oracle: what a memory store does, from the contract alone, with dicts and no database.

Versions are numbers in the order of sealing; whoever drives oracle and server side by side keeps
the table of numbers and identifiers. Each method checks in the order of contract §0: may the
caller know of the store, hold the grant, is the store alive, was this said before, and only then
whether the write fits.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

from tests.oracle.retention import Bodies, Workspace
from tests.oracle.treehash import diff_hash, in_order, tree_hash
from tests.oracle.trees import apply, changed_paths, content_of, diff
from tests.oracle.values import (
    CANONICAL,
    CONFLICT,
    DENIED,
    MALFORMED,
    NOT_FOUND,
    READ_ONLY,
    Caller,
    Change,
    ChangeSet,
    Diff,
    Document,
    Listed,
    Operation,
    Outcome,
    Put,
    Reading,
    RefMove,
    RefName,
    Refused,
    Sealed,
    Settings,
    Step,
    Tree,
    Version,
    Written,
)

KINDS = {"canonical": "direct", "session": "session_checkpoint", "curation": "curation"}
"""Ref kind → the kind of version that a change set on it seals (contract M3)."""


class Store:
    """One memory store (contract M1 to M4, R1 to R4, C1 to C3)."""

    def __init__(
        self, workspace: Workspace, creator: Caller, settings: Settings, tree: Tree | None = None
    ) -> None:
        """Create a store whose first version is empty, or holds the copies of a fork."""
        self._begin(workspace, settings)
        self.move(CANONICAL, self.seal(None, "initial", creator, tree or {}), creator)

    @classmethod
    def without_versions(cls, workspace: Workspace, settings: Settings) -> Self:
        """A store that begins with what is imported into it."""
        store = cls.__new__(cls)
        store._begin(workspace, settings)
        return store

    def _begin(self, workspace: Workspace, settings: Settings) -> None:
        self.workspace = workspace
        self.bodies = Bodies(workspace)
        self.fences: set[str] = set()
        self.settings = settings
        self.settings_version = 1
        self.versions: list[Version] = []
        self.refs: dict[RefName, int] = {}
        self.reflog: list[RefMove] = []
        self.receipts: dict[tuple[str, str], tuple[Any, Any]] = {}
        self.is_gone = False

    # --- who may -----------------------------------------------------------------------------

    def know(self, caller: Caller) -> None:
        """Check that the caller may know of the store."""
        if self.is_gone or not (caller.may("read") or caller.admin):
            raise Refused(NOT_FOUND, "nothing to be known of")

    def open(self, caller: Caller, permission: str = "read") -> None:
        """Check that the caller may know of the store, then that they hold a grant."""
        self.know(caller)
        if not caller.may(permission):
            raise Refused(DENIED, f"{caller.name} lacks {permission}")

    def open_for_writing(self, caller: Caller, ref: RefName) -> None:
        """Check that the caller may write to a ref, and that the store is alive."""
        self.open(caller, "write")
        if ref == CANONICAL and self.settings.canonical_writes == "review":
            raise Refused(READ_ONLY, "canonical moves by Proposals only")
        self.require_active()

    def require_active(self) -> None:
        if self.settings.archived:
            raise Refused(READ_ONLY, "archived")

    # --- writes ------------------------------------------------------------------------------

    def change_set(self, caller: Caller, request: ChangeSet, key: str | None = None) -> Outcome:
        """Apply operations to a ref, whole or not at all (contract R4)."""
        self.open_for_writing(caller, request.ref)
        if any(isinstance(operation, Put) for operation in request.operations):
            self.workspace.require_durable_bodies()
        told: Outcome | None = self.replay(caller, key, request)
        if told is not None:
            return replace(told, replayed=True)
        if request.ref.kind == "proposal":
            raise Refused(CONFLICT, "a Proposal's ref is frozen")
        self.refuse_fenced(one.path for one in request.operations if isinstance(one, Put))
        if request.ref not in self.refs:
            raise Refused(NOT_FOUND, "no such ref")
        base = self.refs[request.ref]
        if request.base not in (None, base):
            raise Refused(CONFLICT, f"the ref is at {base}")
        outcome = self._write(caller, request, self.versions[base])
        self.keep_receipt(caller, key, request, outcome)
        return outcome

    def write_document(self, caller: Caller, operation: Operation, key: str | None) -> Written:
        """PUT or DELETE one document of canonical (contract R2)."""
        outcome = self.change_set(caller, ChangeSet(CANONICAL, None, (operation,)), key)
        at = outcome.version if outcome.version is not None else outcome.base
        return Written(at, outcome.version is None, outcome.replayed)

    def _write(self, caller: Caller, request: ChangeSet, base: Version) -> Outcome:
        tree = self.draft(base.number, request.operations)
        changed = changed_paths(base.tree, tree)
        if not changed:
            return Outcome(None, base.number, (), tree_hash(base.tree))
        kind = KINDS[request.ref.kind]
        number = self.seal(base.number, kind, caller, tree, request.message)
        self.move(request.ref, number, caller)
        return Outcome(number, base.number, changed, tree_hash(tree))

    def seal(
        self,
        parent: int | None,
        kind: str,
        caller: Caller,
        tree: Tree,
        message: str | None = None,
    ) -> int:
        """Make a version; no ref moves."""
        number = len(self.versions)
        moment = self.workspace.now()
        self.versions.append(Version(number, parent, kind, caller.name, message, moment, tree))
        return number

    def refuse_fenced(self, paths: Iterable[str]) -> None:
        """Refuse to change what was redacted (X1)."""
        if self.fences & set(paths):
            raise Refused(CONFLICT, "redacted paths")

    def move(self, name: RefName, to: int | None, caller: Caller) -> None:
        """Point a ref somewhere, make it, or (None) release it; the reflog says so."""
        before = self.refs.pop(name, None)
        if to is not None:
            self.refs[name] = to
        self.reflog.append(RefMove(name, before, to, caller.name, self.workspace.now()))

    def replay(self, caller: Caller, key: str | None, request: Any) -> Any:
        """What a key was answered before; None when it is new (contract §0)."""
        known = self.receipts.get((caller.name, key)) if key else None
        if known and known[0] != request:
            raise Refused(CONFLICT, "the key was used with another request")
        return known[1] if known else None

    def keep_receipt(self, caller: Caller, key: str | None, request: Any, outcome: Any) -> None:
        if key:
            self.receipts[caller.name, key] = (request, outcome)

    def change_settings(self, caller: Caller, version: int, **changes: Any) -> int:
        """Change how the store is governed, or archive it; returns the new version (M1, M9)."""
        self.open(caller)
        if "canonical_writes" in changes and self.settings.canonical_writes is None:
            raise Refused(MALFORMED, "canonical_writes of a store that is not shared")
        governs_review = {"canonical_writes", "self_approval"} & changes.keys()
        if governs_review or not caller.owner:
            self.open(caller, "admin")
        if version != self.settings_version:
            raise Refused(CONFLICT, f"the store's version is {self.settings_version}")
        self.settings = replace(self.settings, **changes)
        self.settings_version += 1
        return self.settings_version

    # --- reads -------------------------------------------------------------------------------

    def resolve(self, caller: Caller, version: int | None) -> Version:
        """An exact version, canonical when none is named."""
        self.open(caller)
        number = self.refs[CANONICAL] if version is None else version
        if not 0 <= number < len(self.versions):
            raise Refused(NOT_FOUND, "no such version")
        return self.versions[number]

    def read(self, caller: Caller, path: str, version: int | None = None) -> Reading:
        """A document as one exact version holds it (contract R1)."""
        sealed = self.resolve(caller, version)
        document = sealed.tree.get(path)
        if document is None:
            raise Refused(NOT_FOUND, "no such document")
        self.bodies.require(path, document)
        return Reading(
            sealed.number,
            document.text,
            document.media_type,
            document.expires_at,
            document.provenance,
        )

    def list_documents(
        self, caller: Caller, version: int | None = None, prefix: str = "/"
    ) -> tuple[Listed, ...]:
        """The documents of a version under a directory or at a path, in order."""
        tree = self.resolve(caller, version).tree
        return tuple(
            self._listed(path, tree[path]) for path in in_order(tree) if _is_under(path, prefix)
        )

    def _listed(self, path: str, document: Document) -> Listed:
        return Listed(
            path,
            document.sha256,
            document.media_type,
            document.size,
            document.introduced_by,
            document.expires_at,
            self.bodies.why_gone(path, document),
        )

    def list_versions(self, caller: Caller) -> tuple[Sealed, ...]:
        """All versions, newest first."""
        self.open(caller)
        return tuple(describe(version) for version in reversed(self.versions))

    def list_refs(self, caller: Caller) -> frozenset[tuple[RefName, int]]:
        """Where every ref points."""
        self.open(caller)
        return frozenset(self.refs.items())

    def list_moves(self, caller: Caller) -> dict[RefName, list[RefMove]]:
        """The reflog of each ref, newest first."""
        self.open(caller)
        return by_ref(reversed(self.reflog))

    def diff(self, caller: Caller, base: int, head: int) -> Diff:
        """What happened to each path between any two versions."""
        before, after = self.resolve(caller, base).tree, self.resolve(caller, head).tree
        changes = tuple(self._marked(change, before, after) for change in diff(before, after))
        return Diff(diff_hash(before, after), changes)

    def _marked(self, change: Change, before: Tree, after: Tree) -> Change:
        old_path = change.old_path or change.path
        gone_before = self.bodies.why_gone(old_path, before.get(old_path))
        gone_after = self.bodies.why_gone(change.path, after.get(change.path))
        return replace(change, erased=(gone_before, gone_after))

    def line(self, version: int) -> list[Version]:
        """A version and its parents, newest first."""
        versions: list[Version] = []
        number: int | None = version
        while number is not None:
            versions.append(self.versions[number])
            number = versions[-1].parent
        return versions

    def history(self, caller: Caller, path: str, version: int | None = None) -> tuple[Step, ...]:
        """The versions on a line of parents that changed a path, newest first."""
        steps = []
        for sealed in self.line(self.resolve(caller, version).number):
            parent = self.versions[sealed.parent].tree if sealed.parent is not None else {}
            before, after = parent.get(path), sealed.tree.get(path)
            if content_of(before) != content_of(after):
                change = "deleted" if after is None else "modified" if before else "added"
                why_gone = self.bodies.why_gone(path, after)
                sha256 = after.sha256 if after else None
                steps.append(Step(sealed.number, change, sha256, why_gone))
        return tuple(steps)

    def changed_by(self, number: int) -> frozenset[str]:
        """The paths that a version changed against its parent."""
        sealed = self.versions[number]
        before = self.versions[sealed.parent].tree if sealed.parent is not None else {}
        return frozenset(changed_paths(before, sealed.tree))

    def is_ancestor(self, ancestor: int, version: int) -> bool:
        """Whether a version descends from, or is, another."""
        return any(each.number == ancestor for each in self.line(version))

    def draft(self, base: int, operations: tuple[Operation, ...]) -> Tree:
        """What operations would make of a version."""
        number, ceiling = len(self.versions), self.workspace.ceiling
        return apply(self.versions[base].tree, operations, number, ceiling)


def by_ref(moves: Iterable[RefMove]) -> dict[RefName, list[RefMove]]:
    """The movements of each ref; in which order two refs move together is nobody's business."""
    grouped: dict[RefName, list[RefMove]] = {}
    for move in moves:
        grouped.setdefault(move.name, []).append(move)
    return grouped


def describe(version: Version) -> Sealed:
    """A version as lists show it."""
    return Sealed(
        version.number,
        version.parent,
        version.kind,
        version.actor,
        version.message,
        version.created_at,
        len(version.tree),
        version.total_bytes,
        tree_hash(version.tree),
    )


def _is_under(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(prefix if prefix.endswith("/") else prefix + "/")
