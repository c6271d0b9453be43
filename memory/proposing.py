"""What the room of Proposals does for this one: it registers how a Proposal is opened (C3).

What is registered runs in the transaction of the write that asks for it.
"""

from collections.abc import Callable

from memory.access import StoreAccess
from memory.actors import Actor
from memory.models import MemoryVersion

type Propose = Callable[[StoreAccess, MemoryVersion, MemoryVersion, str, Actor], str]
"""(access, base, head, title, author) → the identifier of the new Proposal."""

_propose: list[Propose] = []


def register(propose: Propose) -> None:
    """Say how a Proposal is opened. Raises ValueError when somebody already did."""
    if _propose:
        raise ValueError("it is registered already how a Proposal is opened")
    _propose.append(propose)


def propose(
    access: StoreAccess, *, base: MemoryVersion, head: MemoryVersion, title: str, author: Actor
) -> str:
    """Open a Proposal for a write of the platform that may not move canonical.

    Raises:
        Malformed: the trees of base and head do not differ.
        Conflict: they differ at a path that was redacted.
    """
    return _propose[0](access, base, head, title, author)
