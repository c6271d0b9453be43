"""Hearers: a higher room registers to hear what happens to Proposals, as it happens.

They hear of it inside the transaction, so what they write is kept if and only if it happened. So
they write little: whom it concerns is worked out after the commit.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from database.transactions import step
from proposals.models import Proposal
from tenancy.caller import Caller


class Happening(StrEnum):
    """What somebody may want to be told of."""

    OPENED = "opened"
    COMMENTED = "commented"
    APPROVAL_KEPT = "approval_kept"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Heard:
    """Something that happened to a Proposal.

    Attributes:
        caller: who made it happen.
        comment_id: of a comment that was added.
    """

    happening: Happening
    caller: Caller
    store_id: str
    proposal_id: str
    comment_id: str | None = None


class Hearer(Protocol):
    """Hears what happens to Proposals."""

    def hear(self, heard: Heard) -> None:
        """Take note of it, in the transaction in which it happens."""


_hearers: list[Hearer] = []


def register(hearer: Hearer) -> None:
    """Add a hearer at start-up."""
    _hearers.append(hearer)


@step
def tell_hearers(
    happening: Happening, caller: Caller, proposal: Proposal, comment_id: str | None = None
) -> None:
    """Let all hearers hear what happens to a Proposal."""
    heard = Heard(happening, caller, proposal.store_id, proposal.id, comment_id)
    for hearer in _hearers:
        hearer.hear(heard)
