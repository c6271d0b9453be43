"""Who counts as an author of a Proposal (contract P3).

The author is the recorded actor, and a principal is it also through any key bound to it: at
creation, or now. The acting principal of a Session, and a principal that a key only named, are
not: somebody else did the work on their behalf, and they may look at it as reviewers. Who
proposes or restores a version that somebody else sealed, or re-proposes somebody's change, becomes
an author beside them: words stay their writers', whoever pressed the button.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from memory.versions.ancestry import DESCENDS
from proposals.models import Proposal
from tenancy.caller import Caller
from tenancy.models import ApiKey
from wire.ids import uuid_from_id

_SEALERS = f"""
WITH RECURSIVE line (id, parent_id, actor_uuid) AS (
    SELECT goal.id, goal.parent_id, goal.actor_uuid
    FROM memory_memoryversion goal, memory_memoryversion tip
    WHERE goal.id = %(head)s AND tip.id = %(base)s AND NOT {DESCENDS}
    UNION ALL
    SELECT goal.id, goal.parent_id, goal.actor_uuid
    FROM line
    JOIN memory_memoryversion goal ON goal.id = line.parent_id
    JOIN memory_memoryversion tip ON tip.id = %(base)s
    WHERE NOT {DESCENDS}
)
SELECT DISTINCT actor_uuid FROM line WHERE actor_uuid IS NOT NULL
"""  # noqa: S608


def authors_of(proposals: Iterable[Proposal]) -> dict[str, frozenset[UUID]]:
    """The keys, principals and Sessions that authored each Proposal, by its ID. One query."""
    recorded = {proposal.id: _recorded(proposal) for proposal in proposals}
    bound = _bound_now(frozenset().union(*recorded.values()))
    return {
        proposal_id: authors | {bound[author] for author in authors if author in bound}
        for proposal_id, authors in recorded.items()
    }


def sealers_of(base_id: str, head_id: str) -> frozenset[UUID]:
    """Who sealed the versions that lead to a head and not to a base, and whom their keys bind.

    Two queries, over as many versions as lead there.
    """
    ends = {"base": uuid_from_id(base_id), "head": uuid_from_id(head_id)}
    with connection.cursor() as cursor:
        cursor.execute(_SEALERS, ends)
        sealers = frozenset(row[0] for row in cursor.fetchall())
    return sealers | frozenset(_bound_now(sealers).values())


def own_uuids(caller: Caller) -> frozenset[UUID]:
    """What a caller may have been recorded as: its key, and the principal that it is.

    A principal that the key only names is not among them.
    """
    mine = (caller.key_id, caller.principal_id)
    return frozenset(uuid_from_id(one) for one in mine if one)


def approver_of(caller: Caller) -> UUID | None:
    """Whom an approval by a caller is of: the principal that it is, else its key."""
    own = caller.principal_id or caller.key_id
    return uuid_from_id(own) if own else None


def _recorded(proposal: Proposal) -> frozenset[UUID]:
    columns = (proposal.author_uuid, proposal.author_principal_uuid, *proposal.earlier_authors)
    return frozenset(uuid for uuid in columns if uuid)


def _bound_now(uuids: frozenset[UUID]) -> dict[UUID, UUID]:
    """The principal of each key among `uuids`, as it is bound now."""
    keys = ApiKey.objects.filter(id__in=uuids, principal__isnull=False)
    bound = keys.values_list("id", "principal")
    return {uuid_from_id(key): uuid_from_id(principal) for key, principal in bound}
