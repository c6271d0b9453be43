"""Who counts as an author of a Proposal (contract P3).

The author is the recorded actor, and a principal is it also through any key bound to it: at
creation, or now. The acting principal of a Session, and a principal that a key only named, are
not: somebody else did the work on their behalf, and they may look at it as reviewers. Who
re-proposes somebody's change becomes an author beside them.
"""

from collections.abc import Iterable
from uuid import UUID

from proposals.models import Proposal
from tenancy.caller import Caller
from tenancy.models import ApiKey
from wire.ids import uuid_from_id


def authors_of(proposals: Iterable[Proposal]) -> dict[str, frozenset[UUID]]:
    """The keys, principals and Sessions that authored each Proposal, by its ID. One query."""
    recorded = {proposal.id: _recorded(proposal) for proposal in proposals}
    bound = _bound_now(frozenset().union(*recorded.values()))
    return {
        proposal_id: authors | {bound[author] for author in authors if author in bound}
        for proposal_id, authors in recorded.items()
    }


def own_uuids(caller: Caller) -> frozenset[UUID]:
    """What a caller may have been recorded as: its key, and the principal that it is.

    A principal that the key only names is not among them.
    """
    mine = (caller.key_id, caller.principal_id)
    return frozenset(uuid_from_id(one) for one in mine if one)


def _recorded(proposal: Proposal) -> frozenset[UUID]:
    columns = (proposal.author_uuid, proposal.author_principal_uuid, *proposal.earlier_authors)
    return frozenset(uuid for uuid in columns if uuid)


def _bound_now(uuids: frozenset[UUID]) -> dict[UUID, UUID]:
    """The principal of each key among `uuids`, as it is bound now."""
    keys = ApiKey.objects.filter(id__in=uuids, principal__isnull=False)
    bound = keys.values_list("id", "principal")
    return {uuid_from_id(key): uuid_from_id(principal) for key, principal in bound}
