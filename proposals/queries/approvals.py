"""The approvals that were given to Proposals while they stayed open."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from database.fields import OwnerIdField
from proposals.decisions.authorship import own_uuids
from proposals.decisions.tally import Approval
from proposals.models import ProposalApproval
from tenancy.caller import Caller
from tenancy.models import ApiKey
from wire.ids import id_from_uuid, uuid_from_id

_PATHS: Final = """
SELECT DISTINCT proposal.id, document.path
FROM proposals_proposal proposal
JOIN memory_documentversion document ON document.id = ANY(proposal.document_versions)
WHERE proposal.id = ANY(%s::uuid[])
ORDER BY proposal.id, document.path
"""


def approvals_of(proposal_ids: Collection[str]) -> dict[str, tuple[Approval, ...]]:
    """The approvals of each Proposal that are not withdrawn, the oldest first. One query.

    A key that was bound to a principal since is that principal, as it is for authors (P3).
    """
    bound = ApiKey.objects.filter(id=OuterRef("approver_uuid"), principal__isnull=False)
    rows = (
        ProposalApproval.objects.filter(proposal__in=proposal_ids, withdrawn_at=None)
        .annotate(
            approver=Coalesce(
                Subquery(bound.values("principal"), output_field=OwnerIdField()),
                F("approver_uuid"),
            )
        )
        .order_by("id")
    )
    found: dict[str, list[Approval]] = defaultdict(list)
    for row in rows:
        found[row.proposal_id].append(Approval(row.approver, row.actor, row.at, row.note))
    return {proposal_id: tuple(approvals) for proposal_id, approvals in found.items()}


def paths_of(proposal_ids: Collection[str]) -> dict[str, list[str]]:
    """The paths that each Proposal changes, both sides of a renaming, sorted. One query at most."""
    found: dict[str, list[str]] = {proposal_id: [] for proposal_id in proposal_ids}
    if not found:
        return found
    with connection.cursor() as cursor:
        cursor.execute(_PATHS, [[uuid_from_id(proposal_id) for proposal_id in proposal_ids]])
        for uuid, path in cursor.fetchall():
            found[id_from_uuid("proposal", uuid)].append(path)
    return found


def given_by(caller: Caller) -> Q:
    """The condition on approvals that they are the caller's, also through keys bound to it."""
    keys = ApiKey.objects.filter(principal__in=[caller.principal_id]).values("id")
    return Q(approver_uuid__in=list(own_uuids(caller))) | Q(approver_uuid__in=keys)


def approved_by(caller: Caller) -> Exists:
    """The condition on Proposals that the caller has approved them, and not withdrawn it."""
    rows: Any = ProposalApproval.objects.filter(
        given_by(caller), proposal=OuterRef("id"), withdrawn_at=None
    )
    return Exists(rows)
