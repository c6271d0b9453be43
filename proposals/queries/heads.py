"""Proposals beside versions: which propose them, and which wait."""

from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.models import QuerySet

from proposals.models import Proposal, ProposalStatus


def proposals_with_heads(version_ids: Collection[str]) -> QuerySet[Proposal, Any]:
    """The Proposals whose head is one of some versions, oldest first, without their words."""
    proposals = Proposal.objects.filter(head__in=list(version_ids)).order_by("id")
    return proposals.only("id", "head", "status")


def open_proposals(store_id: str) -> QuerySet[Proposal, Any]:
    """The open Proposals of a store, newest first."""
    proposals = Proposal.objects.filter(store=store_id, status=ProposalStatus.OPEN)
    return proposals.order_by("-id").defer("document_versions").fetch_mode(models.FETCH_RAISE)
