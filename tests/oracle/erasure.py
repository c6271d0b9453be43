"""Erasure in the oracle: redaction (contract X1, P5), sweeps (X3) and deletion (X2)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from tests.oracle.proposals import Proposal, ProposalDesk
from tests.oracle.retention import Policy
from tests.oracle.store import Store
from tests.oracle.trees import changed_paths
from tests.oracle.values import (
    CANONICAL,
    DENIED,
    REDACTION,
    Body,
    Caller,
    Document,
    Outcome,
    Redacted,
    RefName,
    Refused,
    Tree,
)


class Shredder:
    """Takes away what one store holds."""

    def __init__(self, store: Store, desk: ProposalDesk) -> None:
        self.store = store
        self.desk = desk

    def delete(self, caller: Caller) -> None:
        """Delete the store: from now on nothing is told of it (X2)."""
        self._require_admin(caller)
        self.store.is_gone = True

    # --- redaction ---------------------------------------------------------------------------

    def redact(self, caller: Caller, paths: frozenset[str], key: str) -> Redacted:
        """Erase paths in every version and fence them for ever; an archived store's too."""
        self._require_admin(caller)
        told: Redacted | None = self.store.replay(caller, key, ("redact", paths))
        if told is not None:
            return replace(told, replayed=True)
        redacted = self._count(paths)
        touched = self._forget_words(paths)
        for proposal in touched:
            if proposal.status == "open":
                self.desk.resolve(REDACTION, proposal, "superseded", None, "redacted")
        self.store.fences |= paths
        self._seal_without(paths)
        self.store.keep_receipt(caller, key, ("redact", paths), redacted)
        return redacted

    def _require_admin(self, caller: Caller) -> None:
        self.store.know(caller)
        if not caller.admin:
            raise Refused(DENIED, "not an admin")

    def _count(self, paths: frozenset[str]) -> Redacted:
        """Erase the bodies, and count what is told of them."""
        held = {body: document for body, document in self.bodies() if body[0] in paths}
        gone = self.store.bodies.erase(held, "redacted")
        holding = [version for version in self.store.versions if paths & version.tree.keys()]
        return Redacted(
            len(holding),
            len({path for path, _ in held}),
            len({held[body].sha256 for body in gone}),
        )

    def bodies(self) -> Iterator[tuple[Body, Document]]:
        """Every text that was ever written, some of them more than once."""
        for version in self.store.versions:
            for path, document in version.tree.items():
                yield (path, document.introduced_by), document

    def _forget_words(self, paths: frozenset[str]) -> list[Proposal]:
        """Blank the words about the paths, and forget what writes to them were told."""
        versions = {
            version.number
            for version in self.store.versions
            if paths & self.store.changed_by(version.number)
        }
        for number in versions:
            self.store.versions[number] = replace(self.store.versions[number], message=None)
        touched = [one for one in self.desk.proposals if paths & self._changed(one)]
        telling = self._with_reproposals(touched)
        for proposal in telling:
            head = self.store.versions[proposal.head]
            if head.message == proposal.title:
                self.store.versions[head.number] = replace(head, message=None)
        for proposal in telling:
            self.desk.proposals[proposal.number] = replace(proposal, title=None)
        numbers = {proposal.number for proposal in telling}
        for key, (_, outcome) in list(self.store.receipts.items()):
            # No version tells which paths a write was about that altered nothing.
            wrote = isinstance(outcome, Outcome) and outcome.version in versions | {None}
            if wrote or (isinstance(outcome, int) and outcome in numbers):
                self.store.receipts[key] = (None, None)
        return [self.desk.proposals[one.number] for one in touched]

    def _with_reproposals(self, touched: list[Proposal]) -> list[Proposal]:
        """Proposals and those that took their words along; these are the younger ones."""
        numbers = {one.number for one in touched}
        for proposal in self.desk.proposals:
            if proposal.replaces in numbers:
                numbers.add(proposal.number)
        return [self.desk.proposals[number] for number in sorted(numbers)]

    def _changed(self, proposal: Proposal) -> set[str]:
        base, head = (self.store.versions[one].tree for one in (proposal.base, proposal.head))
        return set(changed_paths(base, head))

    def _seal_without(self, paths: frozenset[str]) -> None:
        """Move each ref that moves and holds a path; those at one version share the new one."""
        sealed: dict[int, int] = {}
        for name in self._live_refs():
            base = self.store.refs[name]
            tree = self.store.versions[base].tree
            if not paths & tree.keys():
                continue
            if base not in sealed:
                without: Tree = {path: tree[path] for path in tree if path not in paths}
                sealed[base] = self.store.seal(base, "redaction", REDACTION, without)
            self.store.move(name, sealed[base], REDACTION)

    def _live_refs(self) -> list[RefName]:
        """Canonical, then the Sessions' in the order in which they were opened."""
        sessions = [name for name in self.store.refs if name.kind == "session"]
        return [CANONICAL, *sorted(sessions, key=lambda name: str(name.owner))]

    # --- retention ---------------------------------------------------------------------------

    def erase_existing(self, caller: Caller, version: int) -> Policy:
        """Switch to zero data retention, and erase all bodies as the switch offers."""
        changed = {"zero_data_retention": True}
        policy = self.store.workspace.change_policy(caller, version, **changed)
        self._erase(dict(self.bodies()))
        return policy

    def sweep(self) -> None:
        """Erase what has expired, and what no ref has reached since some days."""
        days = self.store.workspace.policy.retire_superseded_after_days
        due = dict(self.bodies())
        if days is not None:
            reached = self._reached_within(timedelta(days=days))
            self._erase({body: due[body] for body in due.keys() - reached})
        self._erase(
            {body: document for body, document in due.items() if self._expired(body, document)}
        )

    def _expired(self, body: Body, document: Document) -> bool:
        return self.store.bodies.why_gone(body[0], document) == "expired"

    def _erase(self, bodies: dict[Body, Document]) -> None:
        """Erase bodies; of one whose ceiling had passed it stays told that it expired."""
        for body, document in bodies.items():
            self.store.bodies.erase(
                [body], self.store.bodies.why_gone(body[0], document) or "retired"
            )

    def _reached_within(self, span: timedelta) -> set[Body]:
        """What some ref reaches, or reached within a span, or is younger than that."""
        since = self.store.workspace.now() - span
        versions = set(self.store.refs.values())
        versions |= {
            move.before for move in self.store.reflog if move.at > since and move.before is not None
        }
        reached = {
            (path, document.introduced_by)
            for number in versions
            for path, document in self.store.versions[number].tree.items()
        }
        young = {
            body for body, _ in self.bodies() if self.store.versions[body[1]].created_at > since
        }
        return reached | young
