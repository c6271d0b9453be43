"""Resolving: how a Proposal ends, once, and lets go of its ref (contract P1, P2)."""

from dataclasses import dataclass

from database.transactions import step
from memory import refs
from memory.actors import Actor, actor_of
from proposals.hearers import Happening, tell_hearers
from proposals.models import Proposal, ProposalResponse, ProposalStatus, SupersededBecause
from proposals.opening import ref_of
from proposals.queries.rows import NO_SUCH_PROPOSAL
from tenancy.audit import record
from tenancy.caller import Caller
from wire.errors import NotFound
from wire.times import now


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a Proposal ends.

    Attributes:
        response: what a reviewer sent; None when the Proposal ends without one.
        because: why it was superseded, else None.
        unshown_count: changed paths that an approval was given without seeing them in full.
    """

    status: ProposalStatus
    response: ProposalResponse | None
    note: str | None = None
    because: SupersededBecause | None = None
    unshown_count: int | None = None


@step
def lock(store_id: str, proposal_id: str) -> Proposal:
    """Fetch a Proposal, and keep others from resolving it until this transaction ends.

    The first lock of whoever resolves one; refs come next, the store's own row last.

    Raises:
        NotFound: the store has no such Proposal.
    """
    rows = Proposal.objects.select_for_update(no_key=True)
    proposal = rows.filter(store=store_id, id=proposal_id).first()
    if proposal is None:
        raise NotFound(NO_SUCH_PROPOSAL)
    return proposal


@step
def resolve(
    *, caller: Caller, proposal: Proposal, resolution: Resolution, actor: Actor | None = None
) -> None:
    """End a locked, open Proposal and release its ref.

    Args:
        actor: who is recorded to have resolved it; the caller when left out.
    """
    actor = actor or actor_of(caller)
    moment = now()
    Proposal.objects.filter(id=proposal.id).update(
        status=resolution.status,
        response=resolution.response,
        resolved_by_kind=actor.kind,
        resolved_by_uuid=actor.id,
        resolved_at=moment,
        resolution_note=resolution.note,
        superseded_because=resolution.because,
        unshown_count=resolution.unshown_count,
        updated_at=moment,
    )
    refs.release(store_id=proposal.store_id, name=ref_of(proposal.id), actor=actor)
    record(
        caller=caller,
        event=f"proposal.{resolution.status}",
        target_kind="proposal",
        target_id=proposal.id,
        detail={
            "store": proposal.store_id,
            "base": proposal.base_id,
            "head": proposal.head_id,
            "because": resolution.because,
            "unshown": resolution.unshown_count,
        },
    )
    tell_hearers(Happening.RESOLVED, caller, proposal)
