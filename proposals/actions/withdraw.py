"""Taking one's own approval back, while the Proposal is open (contract P2)."""

from database.transactions import durable
from memory.access import StoreAccess
from proposals.decisions.approving import take_back
from proposals.decisions.authority import hold_authority
from proposals.decisions.resolution import lock
from wire.errors import Conflict, NotFound, PolicyDenied


@durable
def withdraw_approval(*, access: StoreAccess, proposal_id: str) -> None:
    """Withdraw the caller's approval of a Proposal that waits for more of them.

    It needs no grant but to read: whoever lost `review` may still take their word back.

    Raises:
        NotFound: the store has no such Proposal, or the caller has not approved it.
        PolicyDenied: the principal was only named, or may not read the store.
        ReadOnly: the store is archived.
        Conflict: the Proposal is resolved.
    """
    proposal = lock(access.store_id, proposal_id)
    held = hold_authority(access)
    held.require_content()
    if held.caller.named_principal_id:
        raise PolicyDenied("A principal that was only named may not take back an approval.")
    held.require_active()
    if not proposal.is_open:
        raise Conflict(f"The Proposal is already {proposal.status}.")
    if not take_back(held, proposal):
        raise NotFound("You have not approved this Proposal.")
