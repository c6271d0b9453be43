"""Approvals of which several are needed: counting them for a decision, and keeping one."""

from database.transactions import step
from memory.access import NO_SUCH_STORE, StoreAccess
from memory.actors import actor_of
from memory.models import MemoryStore
from memory.stores import hold_living_store
from proposals.decisions.authorship import approver_of, authors_of
from proposals.decisions.errors import Refused
from proposals.decisions.tally import Standing, Tally, count
from proposals.hearers import Happening, tell_hearers
from proposals.models import Proposal, ProposalApproval, Refusal
from proposals.queries.approvals import approvals_of, given_by, paths_of
from proposals.queries.holders import holders_on
from tenancy.audit import record
from wire.errors import Conflict, NotFound
from wire.times import now


@step
def tally_of(access: StoreAccess, proposal: Proposal) -> Tally:
    """Count the approvals of a locked, open Proposal as this transaction sees them.

    Args:
        access: opened while authority is held, so that no grant changes meanwhile.
    """
    workspace, store = access.caller.workspace_id, access.store
    return count(
        Standing(store, authors_of([proposal])[proposal.id]),
        approvals=approvals_of([proposal.id]).get(proposal.id, ()),
        holders=holders_on(workspace, [store.id]).get(store.id, ()),
        paths=paths_of([proposal.id])[proposal.id] if store.review_rules else (),
        approver=approver_of(access.caller),
    )


@step
def keep_approval(
    access: StoreAccess, proposal: Proposal, note: str | None, unshown_count: int | None
) -> None:
    """Keep an approval that does not complete what a locked, open Proposal needs.

    The store's row is locked from here on: whoever changes the rules waits for this approval, or
    came first, and then this one is refused.

    Args:
        unshown_count: changed paths that it was given without seeing them in full.

    Raises:
        NotFound: the store is being deleted.
        Refused: its settings changed meanwhile.
    """
    actor, moment = actor_of(access.caller), now()
    ProposalApproval.objects.create(
        store_id=access.store_id,
        proposal=proposal,
        actor_kind=actor.kind,
        actor_uuid=actor.id,
        approver_uuid=approver_of(access.caller),
        note=None if proposal.words_erased_at else note,
        unshown_count=unshown_count,
        at=moment,
    )
    _tell(access, proposal, "proposal.approval_given")
    tell_hearers(Happening.APPROVAL_KEPT, access.caller, proposal)
    if not hold_living_store(access.store_id):
        raise NotFound(NO_SUCH_STORE)
    require_settings_unchanged(access)


@step
def take_back(access: StoreAccess, proposal: Proposal) -> bool:
    """Withdraw the caller's approval of a locked Proposal; False when there is none."""
    mine = ProposalApproval.objects.filter(
        given_by(access.caller), proposal=proposal, withdrawn_at=None
    )
    if not mine.update(withdrawn_at=now()):
        return False
    _tell(access, proposal, "proposal.approval_withdrawn")
    return True


@step
def _tell(access: StoreAccess, proposal: Proposal, event: str) -> None:
    """Write the audit row, and note that the Proposal changed."""
    Proposal.objects.filter(id=proposal.id).update(updated_at=now())
    record(
        caller=access.caller,
        event=event,
        target_kind="proposal",
        target_id=proposal.id,
        detail={"store": proposal.store_id},
    )


@step
def require_settings_unchanged(access: StoreAccess) -> None:
    """Refuse a decision that was made by settings which the store does not have any more."""
    decided_by = MemoryStore.objects.filter(id=access.store_id, version=access.store.version)
    if not decided_by.exists():
        error = Conflict("The store's settings changed meanwhile. Look at the Proposal again.")
        raise Refused(Refusal.SETTINGS_UNCHANGED, error)
