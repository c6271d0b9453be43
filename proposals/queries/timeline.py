"""Everything that happened to a Proposal, in order."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Any

from django.db.models import QuerySet

from database.compiled import compiled
from memory.actors import RecordedActor
from proposals.models import (
    Comment,
    Proposal,
    ProposalApproval,
    ProposalAttempt,
    Refusal,
    SupersededBecause,
)
from proposals.queries.comments import comments_in_order


class Happened(StrEnum):
    """What an entry tells."""

    CREATED = "created"
    COMMENTED = "commented"
    REFUSED = "refused"
    GAVE_APPROVAL = "gave_approval"
    WITHDREW_APPROVAL = "withdrew_approval"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    REPLACED = "replaced"
    PICKED = "picked"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened.

    Attributes:
        response, refusal: of a refused attempt.
        note: the reviewer's words.
        because: why it was superseded.
        other: the Proposal it replaces (of `created`), or that replaces it (of `replaced`),
            or that took some of its changes (of `picked`).
        unshown_count: of an approval: changed paths that were not shown in full to the reviewer.
        comment: of `commented`: what was said, or the mark of it.
    """

    at: datetime
    happened: Happened
    actor: RecordedActor
    response: str | None = None
    refusal: Refusal | None = None
    note: str | None = None
    because: SupersededBecause | None = None
    other: str | None = None
    comment: Comment | None = None
    unshown_count: int | None = None


def timeline(proposal: Proposal) -> list[Entry]:
    """What happened to a Proposal, the oldest first. Five queries."""
    entries = [
        Entry(proposal.created_at, Happened.CREATED, proposal.author, other=proposal.replaces_id),
        *map(_refused, _attempts(proposal_id=proposal.id)),
        *chain.from_iterable(map(_approved, _approvals(proposal_id=proposal.id))),
        *map(_commented, comments_in_order(proposal_id=proposal.id)),
        *_resolved(proposal),
        *map(_replaced, _replacements(proposal_id=proposal.id)),
        *map(_picked, _picks(proposal_id=proposal.id)),
    ]
    return sorted(entries, key=lambda entry: entry.at)


@compiled
def _attempts(*, proposal_id: str) -> QuerySet[ProposalAttempt]:
    return ProposalAttempt.objects.filter(proposal=proposal_id).order_by("id")


@compiled
def _approvals(*, proposal_id: str) -> QuerySet[ProposalApproval]:
    return ProposalApproval.objects.filter(proposal=proposal_id).order_by("id")


@compiled
def _replacements(*, proposal_id: str) -> QuerySet[Proposal]:
    return Proposal.objects.filter(replaces=proposal_id).defer("document_versions")


@compiled
def _picks(*, proposal_id: str) -> QuerySet[Proposal]:
    return Proposal.objects.filter(picked_from=proposal_id).defer("document_versions")


def _refused(attempt: ProposalAttempt) -> Entry:
    return Entry(
        attempt.at,
        Happened.REFUSED,
        attempt.actor,
        response=attempt.response,
        refusal=Refusal(attempt.refusal),
    )


def _approved(approval: ProposalApproval) -> Iterator[Entry]:
    yield Entry(
        approval.at,
        Happened.GAVE_APPROVAL,
        approval.actor,
        note=approval.note,
        unshown_count=approval.unshown_count,
    )
    if approval.withdrawn_at:
        yield Entry(approval.withdrawn_at, Happened.WITHDREW_APPROVAL, approval.actor)


def _commented(comment: Comment) -> Entry:
    return Entry(comment.created_at, Happened.COMMENTED, comment.author, comment=comment)


def _resolved(proposal: Any) -> list[Entry]:
    if proposal.is_open:
        return []
    because = proposal.superseded_because
    return [
        Entry(
            proposal.resolved_at,
            Happened(proposal.status),
            proposal.resolver,
            response=proposal.response,
            note=proposal.resolution_note,
            because=SupersededBecause(because) if because else None,
            unshown_count=proposal.unshown_count,
        )
    ]


def _replaced(other: Proposal) -> Entry:
    return Entry(other.created_at, Happened.REPLACED, other.author, other=other.id)


def _picked(other: Proposal) -> Entry:
    return Entry(other.created_at, Happened.PICKED, other.author, other=other.id)
