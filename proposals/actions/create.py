"""Opening a Proposal, on an existing head or on one sealed from operations (contract P1)."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from database.transactions import durable
from memory import receipts, refs
from memory.access import StoreAccess
from memory.actions.change_sets import Operation, draft_operations
from memory.actors import actor_of
from memory.erasure.fences import refuse_fenced
from memory.models import MemoryVersion, VersionKind
from memory.queries.versions import base_for_sealing, get_version
from memory.retention import body_ceiling, require_durable_bodies
from memory.stores import finish_write
from memory.versions.ancestry import is_ancestor
from memory.versions.sealing import Draft, Note, draft, seal
from proposals.decisions.authorship import sealers_of
from proposals.opening import Words, open_proposal
from proposals.restoring import restoring_changes
from tenancy.models import Permission
from wire.errors import Malformed, PolicyDenied
from wire.idempotency import IdempotencyKey


@dataclass(frozen=True, slots=True)
class Restore:
    """Bring back the tree of a version, wherever in the store's history it stands."""

    version_id: str


@dataclass(frozen=True, slots=True)
class NewProposal:
    """What to propose.

    Attributes:
        head: an existing version's ID, or what seals a new one: operations on the base, or a
            version to restore.
        base_version: what it shall replace as canonical; None for canonical as it is now.
    """

    words: Words
    head: str | tuple[Operation, ...] | Restore
    base_version: str | None = None

    @property
    def is_inline(self) -> bool:
        """Whether operations seal the head."""
        return isinstance(self.head, tuple)

    @property
    def named_version(self) -> str | None:
        """The version that it takes the words of: the head, or the one to restore."""
        if isinstance(self.head, Restore):
            return self.head.version_id
        return self.head if isinstance(self.head, str) else None

    @property
    def names_head(self) -> bool:
        """Whether the head is there already, sealed by whomever."""
        return isinstance(self.head, str)


@dataclass(frozen=True, slots=True)
class CreatedProposal:
    """A new Proposal, and whether this request only told it again."""

    proposal_id: str
    replayed: bool


@durable
def create_proposal(
    *, access: StoreAccess, proposal: NewProposal, key: IdempotencyKey | None = None
) -> CreatedProposal:
    """Freeze a base and a head as an open Proposal (contract P1).

    A base that is not canonical any more is admitted: the Proposal is stale from its birth.

    Raises:
        PolicyDenied: the caller does not hold read and write, or is the agent of a Session and
            proposes anything but operations to a shared store (contract P1), or zero data
            retention forbids the texts that sealing a head would keep (X3).
        ReadOnly, NotFound: the store is not active; it has no such base, head or version.
        Malformed: base is not an ancestor of head, or their trees do not differ.
        Conflict: the base does not hold what the operations expect, a document would be
            another's directory, a text to restore is erased, a path was redacted, or the key was
            used with another request.
        RangeTooLarge: the head would hold more documents than a store may, or a restore would
            write too much.
    """
    _require(proposal, access)
    receipt = receipts.claim(caller=access.caller, key=key, store_id=access.store_id)
    if receipt.outcome:
        return CreatedProposal(receipt.outcome["proposal"], replayed=True)
    base = _base(access.store_id, proposal.base_version)
    head = _head(access, base, proposal)
    named = proposal.named_version
    opened = open_proposal(
        access=access,
        base=base,
        head=head,
        words=proposal.words,
        earlier_authors=sealers_of(base.id, named) if named else (),
    )
    finish_write(access, partial(_require, proposal, paths=opened.paths))
    receipts.keep(receipt, {"proposal": opened.proposal.id})
    return CreatedProposal(opened.proposal.id, replayed=False)


def _require(proposal: NewProposal, access: StoreAccess, paths: Collection[str] = ()) -> None:
    """Refuse a Proposal that the grant, the store, the policy or its paths do not allow."""
    access.require(Permission.WRITE)
    _require_proposable_by_agents(proposal, access)
    access.require_active()
    if not proposal.names_head:
        require_durable_bodies(access)
    refuse_fenced(access, paths)


def _require_proposable_by_agents(proposal: NewProposal, access: StoreAccess) -> None:
    """Let the agent of a Session propose changes of its own to a shared store, and nothing else."""
    if access.caller.agent and not (access.store.is_shared and proposal.is_inline):
        raise PolicyDenied("The agent of a Session proposes operations to a shared store only.")


def _base(store_id: str, version_id: str | None) -> MemoryVersion:
    if version_id is None:
        return refs.current(store_id, refs.CANONICAL)
    return base_for_sealing(store_id, version_id)


def _head(access: StoreAccess, base: MemoryVersion, proposal: NewProposal) -> MemoryVersion:
    if not isinstance(proposal.head, str):
        return _seal_head(access, _draft(base, proposal.head), proposal.words.title)
    head = get_version(access.store_id, proposal.head)
    if not is_ancestor(base.id, head.id):
        raise Malformed(f"base_version: {base.id} is not an ancestor of {head.id}.")
    return head


def _draft(base: MemoryVersion, head: tuple[Operation, ...] | Restore) -> Draft:
    if isinstance(head, Restore):
        restored = get_version(base.store_id, head.version_id)
        return draft(base, restoring_changes(base.id, restored.id))
    return draft_operations(base, head)


def _seal_head(access: StoreAccess, drafted: Draft, title: str) -> MemoryVersion:
    if drafted.is_empty:
        raise Malformed(
            "operations, restore_version: they change nothing; an empty Proposal cannot exist."
        )
    return seal(
        store_id=access.store_id,
        draft=drafted,
        kind=VersionKind.PROPOSAL,
        actor=actor_of(access.caller),
        note=Note(message=title),
        ceiling=body_ceiling(access),
    )
