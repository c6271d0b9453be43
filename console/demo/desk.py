"""Writing and deciding in one store: each thing once, told by what people call it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from console.demo.changes import DemoChange, operations
from memory.access import StoreAccess, open_store
from memory.actions.change_sets import ChangeSet, apply_change_set
from memory.actions.redactions import redact
from memory.actions.stores import StoreChanges, change_store
from memory.models import CanonicalWrites, PathFence, VersionNote
from memory.refs import CANONICAL
from proposals.actions.create import NewProposal, create_proposal
from proposals.actions.repropose import repropose
from proposals.actions.respond import Answer, Seen, respond
from proposals.models import Proposal, ProposalResponse
from proposals.opening import Words
from tenancy.caller import Caller


class Role(StrEnum):
    """Who acts in the demo."""

    AUTHOR = "author"
    REVIEWER = "reviewer"
    ADMIN = "admin"
    ASSISTANT = "assistant"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of documents by somebody, with the sentence that it is known by in its store."""

    by: Role
    title: str
    changes: Sequence[DemoChange]
    description: str = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """A store, and who works with it."""

    store_id: str
    callers: Mapping[Role, Caller]

    def write(self, change: Change) -> None:
        """Write on canonical directly, unless a version with that message is there."""
        notes = VersionNote.objects.filter(version__store=self.store_id, message=change.title)
        if not notes.exists():
            change_set = ChangeSet(
                ref=CANONICAL,
                base_version=None,
                operations=operations(self.store_id, change.changes),
                message=change.title,
            )
            apply_change_set(access=self._open(change.by), change_set=change_set)

    def write_and_erase(self, change: Change, path: str) -> None:
        """Write a document that should never have been kept and erase it, unless that was done."""
        if not PathFence.objects.filter(store=self.store_id, path=path).exists():
            self.write(change)
            redact(access=self._open(Role.ADMIN), paths=[path])

    def put_under_review(self) -> None:
        """From now on canonical moves through approved Proposals only."""
        access = self._open(Role.ADMIN)
        if access.store.canonical_writes != CanonicalWrites.REVIEW:
            changes = StoreChanges(canonical_writes=CanonicalWrites.REVIEW)
            change_store(access=access, version=access.store.version, changes=changes)

    def propose(self, change: Change) -> Proposal:
        """Open a Proposal, unless the store has one of that title."""
        found = self._proposal(title=change.title, replaces=None)
        if found:
            return found
        created = create_proposal(
            access=self._open(change.by),
            proposal=NewProposal(
                words=Words(change.title, change.description),
                head=operations(self.store_id, change.changes),
            ),
        )
        return Proposal.objects.get(id=created.proposal_id)

    def repropose(self, by: Role, old: Proposal) -> Proposal:
        """Propose the same change on today's canonical, unless that was done."""
        found = self._proposal(replaces=old)
        if found:
            return found
        new = repropose(access=self._open(by), proposal_id=old.id)
        return Proposal.objects.get(id=new.proposal_id)

    def approve(self, proposal: Proposal, note: str | None = None) -> None:
        """Approve a Proposal that is open; one that canonical has left becomes superseded."""
        self._respond(proposal, ProposalResponse.APPROVE, note)

    def reject(self, proposal: Proposal, note: str) -> None:
        """Reject a Proposal that is open."""
        self._respond(proposal, ProposalResponse.REJECT, note)

    def _respond(self, proposal: Proposal, response: ProposalResponse, note: str | None) -> None:
        if proposal.is_open:
            seen = Seen(proposal.base_id, proposal.head_id, bytes(proposal.diff_hash))
            respond(
                access=self._open(Role.REVIEWER),
                proposal_id=proposal.id,
                answer=Answer(response, note, seen),
            )

    def _proposal(self, **which: object) -> Proposal | None:
        return Proposal.objects.filter(store=self.store_id, **which).first()

    def _open(self, role: Role) -> StoreAccess:
        return open_store(self.callers[role], self.store_id)
