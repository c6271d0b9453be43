"""Proposals in the oracle (contract P1 to P3, P5), beside the store they are about."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.oracle.retention import earlier
from tests.oracle.store import Store
from tests.oracle.treehash import diff_hash
from tests.oracle.trees import changed_paths
from tests.oracle.values import (
    CANONICAL,
    CONFLICT,
    DENIED,
    MALFORMED,
    NOT_FOUND,
    Caller,
    Document,
    Operation,
    RefName,
    Refused,
    Tree,
    Version,
)

RESOLVED_BY = {"approve": "approved", "reject": "rejected"}


@dataclass(frozen=True)
class Restore:
    """A head that has the tree of an earlier version."""

    version: int


@dataclass(frozen=True)
class NewProposal:
    """A Proposal as it is sent; `head` is a version, or what makes one."""

    title: str
    base: int | None
    head: int | tuple[Operation, ...] | Restore


@dataclass(frozen=True)
class Response:
    """A review as it is sent, with what the reviewer saw (None: not said)."""

    response: str
    base: int | None = None
    head: int | None = None
    diff_hash: str | None = None


@dataclass(frozen=True)
class Proposal:
    """What is stored; Proposals are numbered as they are opened.

    A redaction of a path that one changes takes its title away (X1).
    """

    number: int
    title: str | None
    base: int
    head: int
    diff_hash: str
    authors: tuple[str, ...]
    replaces: int | None = None
    status: str = "open"
    response: str | None = None
    reason: str | None = None

    @property
    def ref(self) -> RefName:
        return RefName("proposal", self.number)


@dataclass(frozen=True)
class Shown:
    """What a Proposal is for one reader, now."""

    number: int
    title: str | None
    base: int
    head: int
    diff_hash: str
    status: str
    author: str
    stale: bool
    can_approve: bool
    reason: str | None
    replaces: int | None
    replaced_by: int | None


@dataclass(frozen=True)
class Handled:
    """A write on Proposals: which one it left behind, and whether it was only told again."""

    shown: Shown
    replayed: bool


class ProposalDesk:
    """The Proposals of one store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.proposals: list[Proposal] = []

    # --- reads -------------------------------------------------------------------------------

    def show(self, caller: Caller, number: int) -> Shown:
        """One Proposal, as this caller sees it."""
        self.store.know(caller)
        proposal = self.find(number)
        self.store.open(caller)
        stale = proposal.status == "open" and self.canonical != proposal.base
        replaced_by = [each.number for each in self.proposals if each.replaces == number]
        return Shown(
            number,
            proposal.title,
            proposal.base,
            proposal.head,
            proposal.diff_hash,
            proposal.status,
            proposal.authors[-1],
            stale,
            self._can_approve(caller, proposal) and not stale,
            proposal.reason,
            proposal.replaces,
            replaced_by[0] if replaced_by else None,
        )

    def list_proposals(self, caller: Caller, status: str | None = None) -> tuple[Shown, ...]:
        """All Proposals, or those of one status, newest first."""
        self.store.open(caller)
        wanted = [each for each in self.proposals if status in (None, each.status)]
        return tuple(self.show(caller, each.number) for each in reversed(wanted))

    def find(self, number: int) -> Proposal:
        if not 0 <= number < len(self.proposals):
            raise Refused(NOT_FOUND, "no such Proposal")
        return self.proposals[number]

    @property
    def canonical(self) -> int:
        return self.store.refs[CANONICAL]

    # --- opening -----------------------------------------------------------------------------

    def create(self, caller: Caller, request: NewProposal, key: str) -> Handled:
        """Freeze a base and a head (P1)."""
        inline = not isinstance(request.head, int)
        told = self.before_writing(caller, request, key, keeps_bodies=inline)
        if told is not None:
            return Handled(self.show(caller, told), replayed=True)
        base = self.store.resolve(caller, request.base)
        head = self._head(caller, base, request)
        restored = request.head.version if isinstance(request.head, Restore) else None
        opened = self.open(caller, request.title, base, head, restored=restored)
        self.store.keep_receipt(caller, key, request, opened.number)
        return Handled(self.show(caller, opened.number), replayed=False)

    def before_writing(
        self, caller: Caller, request: object, key: str, *, keeps_bodies: bool
    ) -> int | None:
        self.store.open(caller, "write")
        self.store.require_active()
        if keeps_bodies:
            self.store.workspace.require_durable_bodies()
        told: int | None = self.store.replay(caller, key, request)
        return told

    def _head(self, caller: Caller, base: Version, request: NewProposal) -> Version:
        if isinstance(request.head, int):
            head = self.store.resolve(caller, request.head)
            if not self.store.is_ancestor(base.number, head.number):
                raise Refused(MALFORMED, "the base is not an ancestor of the head")
            self._require_change(base, head.tree)
            return head
        tree = self._draft(caller, base, request.head)
        self._require_change(base, tree)
        return self.seal_head(caller, base.number, tree, request.title)

    def _require_change(self, base: Version, head: Tree) -> None:
        changed = changed_paths(base.tree, head)
        if not changed:
            raise Refused(MALFORMED, "an empty Proposal cannot exist")
        self.store.refuse_fenced(changed)

    def _draft(self, caller: Caller, base: Version, head: tuple[Operation, ...] | Restore) -> Tree:
        if not isinstance(head, Restore):
            return self.store.draft(base.number, head)
        restored = self.store.resolve(caller, head.version).tree
        tree = dict(base.tree)
        for path in changed_paths(base.tree, restored):
            self.copy(tree, path, restored.get(path))
        return tree

    def copy(self, tree: Tree, path: str, wanted: Document | None) -> None:
        """Write what some version holds already; its text keeps the earlier ceiling (F1)."""
        if wanted is None:
            del tree[path]
            return
        self.store.bodies.require(path, wanted, CONFLICT)
        ceiling = earlier(wanted.expires_at, self.store.workspace.ceiling)
        number = len(self.store.versions)
        tree[path] = replace(wanted, introduced_by=number, expires_at=ceiling)

    def seal_head(self, caller: Caller, base: int, tree: Tree, title: str | None) -> Version:
        return self.store.versions[self.store.seal(base, "proposal", caller, tree, title)]

    def open(
        self,
        caller: Caller,
        title: str | None,
        base: Version,
        head: Version,
        replaces: Proposal | None = None,
        restored: int | None = None,
    ) -> Proposal:
        proposal = Proposal(
            number=len(self.proposals),
            title=title,
            base=base.number,
            head=head.number,
            diff_hash=diff_hash(base.tree, head.tree),
            authors=(
                *(replaces.authors if replaces else ()),
                *self._sealers(base.number, head.number),
                *(() if restored is None else self._sealers(base.number, restored)),
                caller.name,
            ),
            replaces=replaces.number if replaces else None,
        )
        self.proposals.append(proposal)
        self.store.move(proposal.ref, head.number, caller)
        return proposal

    def _sealers(self, base: int, head: int) -> Iterator[str]:
        """Who sealed the versions that lead to a head and not to a base."""
        while not self.store.is_ancestor(head, base):
            version = self.store.versions[head]
            yield version.actor
            assert version.parent is not None
            head = version.parent

    # --- deciding ----------------------------------------------------------------------------

    def respond(self, caller: Caller, number: int, response: Response, key: str) -> Handled:
        """Approve or reject, in the precedence of P2."""
        self.store.know(caller)
        proposal = self.find(number)
        self._require_rules(caller, proposal, response)
        request = (number, response)
        replayed = self.store.replay(caller, key, request) is not None
        if not replayed:
            self._decide(caller, proposal, response)
            told = request if proposal.title is not None else None  # else it is not told again
            self.store.keep_receipt(caller, key, told, number)
        return Handled(self.show(caller, number), replayed)

    def _require_rules(self, caller: Caller, proposal: Proposal, response: Response) -> None:
        self.store.open(caller, "review")
        if response.response == "approve" and not self._may_approve(caller, proposal):
            raise Refused(DENIED, "authors do not approve their own")
        self.store.require_active()

    def _may_approve(self, caller: Caller, proposal: Proposal) -> bool:
        allowed = self.store.settings.self_approval == "allowed"
        return allowed or caller.name not in proposal.authors

    def _can_approve(self, caller: Caller, proposal: Proposal) -> bool:
        return (
            proposal.status == "open"
            and caller.may("review")
            and self._may_approve(caller, proposal)
            and not self.store.settings.archived
            and not self.lacks_bodies(proposal)
        )

    def _decide(self, caller: Caller, proposal: Proposal, response: Response) -> None:
        if proposal.status != "open":
            if proposal.response != response.response:
                raise Refused(CONFLICT, f"already {proposal.status}")
            return
        echoed = (response.base, response.head, response.diff_hash)
        frozen = (proposal.base, proposal.head, proposal.diff_hash)
        if any(said not in (None, is_) for said, is_ in zip(echoed, frozen, strict=True)):
            raise Refused(CONFLICT, "the reviewer saw something else")
        status, reason = RESOLVED_BY[response.response], None
        if response.response == "approve" and self.canonical != proposal.base:
            status, reason = "superseded", "canonical_moved"
        if status == "approved":
            if self.lacks_bodies(proposal):
                raise Refused(CONFLICT, "texts are gone")
            self.store.move(CANONICAL, proposal.head, caller)
        self.resolve(caller, proposal, status, response.response, reason)

    def lacks_bodies(self, proposal: Proposal) -> bool:
        """Whether a text is gone that a reviewer would have to read (P5)."""
        sides = [self.store.versions[number].tree for number in (proposal.base, proposal.head)]
        return any(
            self.store.bodies.why_gone(path, side.get(path))
            for path in changed_paths(*sides)
            for side in sides
        )

    def resolve(
        self,
        caller: Caller,
        proposal: Proposal,
        status: str,
        response: str | None,
        reason: str | None,
    ) -> None:
        ended = replace(proposal, status=status, response=response, reason=reason)
        self.proposals[proposal.number] = ended
        self.store.move(proposal.ref, None, caller)
