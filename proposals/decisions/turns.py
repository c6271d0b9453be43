"""Whose turn an open Proposal is, and since when it waits for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory.models import Lifecycle
from proposals.decisions.rules import can_approve
from proposals.decisions.tally import Holder, HolderKind
from proposals.queries.rows import ProposalView


class Whose(StrEnum):
    """Who has to act next."""

    YOURS = "yours"
    REVIEWERS = "reviewers"
    AUTHORS = "authors"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Turn:
    """Who has to act next on an open Proposal.

    Attributes:
        people: who could approve it, by name; empty unless it is a reviewer's turn.
        since: since when: its opening, the last approval that was kept, or the last move of
            canonical, whichever made it theirs.
    """

    whose: Whose
    since: datetime
    people: tuple[Holder, ...] = ()


def turn_of(view: ProposalView) -> Turn | None:
    """Whose turn it is, for whoever the view was described to; None of a resolved Proposal.

    One that cannot be approved as it is comes back to its authors: to re-propose it on today's
    canonical, or to open it anew where a text is gone.
    """
    proposal = view.proposal
    if not proposal.is_open:
        return None
    if proposal.store.lifecycle != Lifecycle.ACTIVE:
        return Turn(Whose.NOBODY, proposal.created_at)
    if view.is_stale:
        return Turn(Whose.AUTHORS, max(proposal.created_at, proposal.canonical_moved_at))
    if view.has_erased_body:
        return Turn(Whose.AUTHORS, proposal.created_at)
    since = max([proposal.created_at, *(each.at for each in view.tally.approvals)])
    people = tuple(sorted(set(_able(view)), key=lambda holder: (holder.name, holder.id)))
    if can_approve(view.requirements, view.tally):
        return Turn(Whose.YOURS, since, people)
    return Turn(Whose.REVIEWERS if people else Whose.NOBODY, since, people)


def _able(view: ProposalView) -> Iterator[Holder]:
    for need in view.tally.needs:
        if need.missing:
            yield from (each for each in need.able if each.kind == HolderKind.PERSON)
