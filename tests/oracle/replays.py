"""Re-proposing in the oracle, and deciding what both sides changed (contract P4)."""

from dataclasses import dataclass
from datetime import datetime

from tests.oracle.linemerges import merge_by_git
from tests.oracle.proposals import Handled, Proposal, ProposalDesk
from tests.oracle.provenance import Provenance
from tests.oracle.retention import earlier
from tests.oracle.store import Store
from tests.oracle.treehash import content_hash
from tests.oracle.trees import changed_paths, content_of, refuse_clashes
from tests.oracle.values import CONFLICT, MALFORMED, Caller, Document, Put, Refused, Tree, Version


@dataclass(frozen=True)
class Resolution:
    """What shall be at a path, as it is sent.

    Attributes:
        take: `canonical`, `proposal`, `deletion`, `content` (then with a text, and what is said
            of it) or `merge` (then with the hash of the merged text that was seen).
    """

    path: str
    take: str
    text: str = ""
    media_type: str | None = None
    provenance: Provenance | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Choices:
    """Resolutions, and the canonical that they were made on."""

    canonical: int | None = None
    resolutions: tuple[Resolution, ...] = ()

    @property
    def by_path(self) -> dict[str, Resolution]:
        return {each.path: each for each in self.resolutions}


@dataclass(frozen=True)
class Merged:
    """A merged text; None when somebody has to decide some of its lines."""

    text: str | None
    media_type: str
    conflicts: int


@dataclass(frozen=True)
class Clash:
    """A path of a Proposal's change that does not apply to canonical.

    Attributes:
        base, canonical, proposal: the hash of what a side holds, and why that is gone, if it is.
        no_merge: why there is no merged text, if there is none.
    """

    path: str
    base: tuple[str, str | None] | None
    canonical: tuple[str, str | None] | None
    proposal: tuple[str, str | None] | None
    blocked_by: tuple[str, ...]
    merged: Merged | None
    no_merge: str | None


@dataclass(frozen=True)
class Clashes:
    """All of them at one canonical."""

    canonical: int
    data: tuple[Clash, ...]


class Replayer:
    """Replays the Proposals of one store on its canonical."""

    def __init__(self, store: Store, desk: ProposalDesk) -> None:
        self.store = store
        self.desk = desk

    def list_conflicts(self, caller: Caller, number: int) -> Clashes:
        """What of a Proposal does not apply to canonical, and the merges that are offered."""
        self.store.know(caller)
        proposal = self.desk.find(number)
        self.store.open(caller)
        replay = Replay(self.store, proposal, self.store.versions[self.desk.canonical])
        return Clashes(self.desk.canonical, tuple(map(replay.clash, replay.conflicts)))

    def repropose(self, caller: Caller, number: int, choices: Choices, key: str) -> Handled:
        """Replay a stale or superseded Proposal on today's canonical."""
        self.store.know(caller)
        old = self.desk.find(number)
        request = ("repropose", number, choices)
        told = self.desk.before_writing(caller, request, key, keeps_bodies=True)
        if told is not None:
            return Handled(self.desk.show(caller, told), replayed=True)
        self._require_replaceable(old)
        canonical = self.store.versions[self.desk.canonical]
        tree = self._replayed(old, canonical, choices)
        head = self.desk.seal_head(caller, canonical.number, tree, old.title)
        new = self.desk.open(caller, old.title, canonical, head, replaces=old)
        if old.status == "open":
            self.desk.resolve(caller, old, "superseded", None, "reproposed")
        self.store.keep_receipt(caller, key, request, new.number)
        return Handled(self.desk.show(caller, new.number), replayed=False)

    def _require_replaceable(self, old: Proposal) -> None:
        if old.status in ("approved", "rejected"):
            raise Refused(CONFLICT, f"already {old.status}")
        if old.title is None:
            raise Refused(CONFLICT, "redacted, words and all")
        if any(each.replaces == old.number for each in self.desk.proposals):
            raise Refused(CONFLICT, "re-proposed before")
        if old.status == "open" and old.base == self.desk.canonical:
            raise Refused(CONFLICT, "not stale")

    def _replayed(self, old: Proposal, canonical: Version, choices: Choices) -> Tree:
        if choices.canonical not in (None, canonical.number):
            raise Refused(CONFLICT, "chosen on another canonical")
        replay = Replay(self.store, old, canonical)
        if choices.by_path.keys() - set(replay.conflicts):
            raise Refused(MALFORMED, "chosen for what is not in conflict")
        if set(replay.conflicts) - choices.by_path.keys():
            raise Refused(CONFLICT, "changed on both sides")
        tree = dict(canonical.tree)
        for path in replay.applying:
            self.desk.copy(tree, path, replay.head.get(path))
        for choice in choices.resolutions:
            self._resolve(tree, replay, choice)
        refuse_clashes(tree)
        changed = changed_paths(canonical.tree, tree)
        if not changed:
            raise Refused(CONFLICT, "canonical holds all of it already")
        self.store.refuse_fenced(changed)
        return tree

    def _resolve(self, tree: Tree, replay: "Replay", choice: Resolution) -> None:
        path, wanted = choice.path, replay.head.get(choice.path)
        if choice.take == "proposal" and wanted:
            self.desk.copy(tree, path, wanted)
        elif choice.take in ("proposal", "deletion"):
            tree.pop(path, None)
        elif choice.take in ("content", "merge"):
            self._put(tree, replay, replay.text(choice))

    def _put(self, tree: Tree, replay: "Replay", put: Put) -> None:
        """Write a text that is made of two, and outlives neither (F1)."""
        found, media_type = tree.get(put.path), put.effective_media_type
        if found and found.holds(put.text, media_type):
            return
        ceiling = earlier(self.store.workspace.ceiling, replay.ceiling(put.path))
        number = len(self.store.versions)
        tree[put.path] = Document(put.text, media_type, number, ceiling, put.provenance)


class Replay:
    """A Proposal's change beside what canonical did meanwhile, path by path."""

    def __init__(self, store: Store, proposal: Proposal, canonical: Version) -> None:
        self.bodies = store.bodies
        self.base, self.head = (
            store.versions[number].tree for number in (proposal.base, proposal.head)
        )
        self.canonical = canonical.tree
        left = [
            path
            for path in changed_paths(self.base, self.head)
            if content_of(self.canonical.get(path)) != content_of(self.head.get(path))
        ]
        self._contested = [
            path
            for path in left
            if content_of(self.canonical.get(path)) != content_of(self.base.get(path))
        ]
        fitting = [path for path in left if path not in self._contested]
        self._going = {path for path in fitting if path not in self.head}
        self.applying = [path for path in fitting if not self.blocked_by(path)]

    @property
    def conflicts(self) -> list[str]:
        """What does not apply, by the bytes of the paths."""
        blocked = [
            path
            for path in changed_paths(self.base, self.head)
            if path not in self._contested and self.blocked_by(path)
        ]
        return sorted([*self._contested, *blocked], key=str.encode)

    def blocked_by(self, path: str) -> tuple[str, ...]:
        """Documents of canonical of which a new one would be the directory, or the reverse.

        Of those below it only the first one is told.
        """
        if path in self._contested or path not in self.head or path in self.canonical:
            return ()
        staying = sorted(self.canonical.keys() - self._going, key=str.encode)
        above = [other for other in staying if path.startswith(f"{other}/")]
        below = [other for other in staying if other.startswith(f"{path}/")]
        return tuple(sorted([*above, *below[:1]], key=str.encode))

    def clash(self, path: str) -> Clash:
        """One conflict as it is told."""
        reason = self._reason_against_merging(path)
        return Clash(
            path,
            self._side(path, self.base),
            self._side(path, self.canonical),
            self._side(path, self.head),
            self.blocked_by(path),
            None if reason else self._merged(path),
            reason,
        )

    @property
    def _sides(self) -> tuple[Tree, Tree, Tree]:
        return self.base, self.canonical, self.head

    def _side(self, path: str, tree: Tree) -> tuple[str, str | None] | None:
        found = tree.get(path)
        return (found.sha256, self.bodies.why_gone(path, found)) if found else None

    def _reason_against_merging(self, path: str) -> str | None:
        if self.blocked_by(path):
            return "blocked"
        if any(self.bodies.why_gone(path, tree.get(path)) for tree in self._sides):
            return "erased"
        if path not in self.canonical or path not in self.head:
            return "deleted"
        return None if len(self._new_media_types(path)) < 2 else "media_types"

    def _new_media_types(self, path: str) -> set[str]:
        """What the sides that changed the media type made of it."""
        before = self.base[path].media_type if path in self.base else None
        return {self.canonical[path].media_type, self.head[path].media_type} - {before}

    def _merged(self, path: str) -> Merged:
        base, canonical, head = (tree[path].text if path in tree else "" for tree in self._sides)
        text, conflicts = merge_by_git(base, canonical, head)
        return Merged(None if conflicts else text, self._media_type(path), conflicts)

    def _media_type(self, path: str) -> str:
        return next(iter(self._new_media_types(path)), self.canonical[path].media_type)

    def ceiling(self, path: str) -> datetime | None:
        """When the texts of both sides have to go, as far as they are there."""
        living = [
            found
            for found in (self.canonical.get(path), self.head.get(path))
            if found and not self.bodies.why_gone(path, found)
        ]
        return min((one.expires_at for one in living if one.expires_at), default=None)

    def text(self, choice: Resolution) -> Put:
        """The text that somebody wrote or accepted for a path."""
        reason = self._reason_against_merging(choice.path)
        if choice.take == "content":
            merged_type = None if reason else self._media_type(choice.path)
            media_type = choice.media_type or merged_type
            return Put(choice.path, choice.text, media_type, provenance=choice.provenance)
        merged = None if reason else self._merged(choice.path)
        if merged is None or merged.text is None or content_hash(merged.text) != choice.sha256:
            raise Refused(CONFLICT, "no such merged text")
        return Put(choice.path, merged.text, merged.media_type)
