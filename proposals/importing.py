"""Proposals that a resumed import opens where canonical has moved on (contract C3)."""

from database.transactions import step
from memory import proposing
from memory.access import StoreAccess
from memory.actors import Actor
from memory.models import MemoryVersion
from proposals.opening import Words, open_proposal


def register() -> None:
    """Let imports propose what they may not make canonical."""
    proposing.register(propose)


@step
def propose(
    access: StoreAccess, base: MemoryVersion, head: MemoryVersion, title: str, author: Actor
) -> str:
    """Open a Proposal in the platform's name; nobody is kept from approving it as its author."""
    opened = open_proposal(access=access, base=base, head=head, words=Words(title), author=author)
    return opened.proposal.id
