"""Proposals that touch a path: it is one of those that they change (contract P5, X1)."""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, QuerySet

from database.arrays import among_ids
from proposals.models import Proposal, ProposalStatus
from proposals.queries.bodies import shown_bodies


def touching(store_id: str, paths: Collection[str]) -> QuerySet[Proposal, Any]:
    """The Proposals of a store, open or resolved, that change one of some paths."""
    shown = shown_bodies().filter(path__in=list(paths))
    return Proposal.objects.filter(Exists(shown), store=store_id)


def telling(store_id: str, paths: Collection[str]) -> QuerySet[Proposal, Any]:
    """Those whose words are about one of the paths: they touch it, or come from one that does.

    A re-proposal, or what was picked from one, takes the words along, also when it changes
    nothing there itself.
    """
    ids = set(touching(store_id, paths).values_list("id", flat=True))
    newer = ids
    while newer:
        after = among_ids("replaces", newer) | among_ids("picked_from", newer)
        newer = set(Proposal.objects.filter(after).values_list("id", flat=True)) - ids
        ids |= newer
    return Proposal.objects.filter(among_ids("id", ids))


def open_touching(store_id: str, paths: Collection[str]) -> QuerySet[Proposal, Any]:
    """Those that a redaction of the paths supersedes, in the order in which they are locked."""
    return touching(store_id, paths).filter(status=ProposalStatus.OPEN).order_by("id")
