"""Which versions are what Proposals propose."""

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet

from proposals.models import Proposal


def proposals_with_heads(version_ids: Collection[str]) -> QuerySet[Proposal, Any]:
    """The Proposals whose head is one of some versions, oldest first, without their words."""
    proposals = Proposal.objects.filter(head__in=list(version_ids)).order_by("id")
    return proposals.only("id", "head", "status")
