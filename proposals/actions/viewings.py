"""Ticking changed documents off as viewed, and back on."""

from database.transactions import durable
from memory.access import StoreAccess
from memory.queries.diffs import tree_diff
from memory.stores import hold_living_store
from memory.trees.diffs import PathChange
from proposals.models import Proposal, Viewing
from proposals.queries.rows import NO_SUCH_PROPOSAL
from proposals.queries.viewings import digest_of
from tenancy.audit import record
from wire.errors import Malformed, NotFound, PolicyDenied
from wire.times import now


@durable
def mark_viewed(
    *, access: StoreAccess, proposal_id: str, path: str | None, viewed: bool
) -> tuple[PathChange, ...]:
    """Tick one changed path of a Proposal off for the caller, or all of them; or take it back.

    It is the person's own note and decides nothing, so reading is all that it takes.

    Args:
        path: a changed path; None for every one.

    Returns:
        the changes that were marked.

    Raises:
        NotFound: the store has no such Proposal, or is being deleted.
        PolicyDenied: the caller may not read the store, or is no principal.
        Malformed: the Proposal does not change that path.
    """
    access.require_content()
    principal_id = access.caller.principal_id
    if principal_id is None:
        raise PolicyDenied("Only people keep what they viewed.")
    proposal = Proposal.objects.filter(store=access.store_id, id=proposal_id).first()
    if proposal is None or not hold_living_store(access.store_id):
        raise NotFound(NO_SUCH_PROPOSAL)
    changes = tuple(
        change
        for change in tree_diff(proposal.base_id, proposal.head_id)
        if path in (None, change.path)
    )
    if not changes:
        raise Malformed("path: the Proposal does not change it.")
    digests = {digest_of(change) for change in changes}
    if viewed:
        made = (Viewing(**_mine(access, principal_id), digest=one, at=now()) for one in digests)
        Viewing.objects.bulk_create(made, ignore_conflicts=True)
    else:
        Viewing.objects.filter(**_mine(access, principal_id), digest__in=digests).delete()
    record(
        caller=access.caller,
        event="proposal.viewed" if viewed else "proposal.unviewed",
        target_kind="proposal",
        target_id=proposal.id,
        detail={"store": access.store_id, "paths": len(changes)},
    )
    return changes


def _mine(access: StoreAccess, principal_id: str) -> dict[str, str]:
    return {"store_id": access.store_id, "principal_uuid": principal_id}
