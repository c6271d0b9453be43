"""The one gate before canonical: every way it may move is named here (contract §3)."""

from enum import StrEnum

from database.transactions import step
from memory.access import StoreAccess
from memory.models import CanonicalWrites, MemoryStore
from tenancy.models import Permission
from wire.errors import ReadOnly


class CanonicalMove(StrEnum):
    """The closed list of what moves canonical."""

    CREATION = "creation"
    DIRECT_WRITE = "direct_write"
    APPROVED_PROPOSAL = "approved_proposal"
    IMPORT = "import"


CALLER_MOVES = frozenset({CanonicalMove.DIRECT_WRITE, CanonicalMove.APPROVED_PROPOSAL})
"""Moves that somebody asks for; the others are the platform's own."""

NEEDED = {
    CanonicalMove.DIRECT_WRITE: Permission.WRITE,
    CanonicalMove.APPROVED_PROPOSAL: Permission.REVIEW,
}


def require_move(access: StoreAccess, move: CanonicalMove) -> None:
    """Refuse a caller's move of canonical that this store does not allow.

    A grant is asked for first, so that nobody without one learns how the store is governed;
    then the store's own rule (contract C1, C2, C3).

    Raises:
        PolicyDenied: the caller lacks the grant that the move needs.
        ReadOnly: canonical of this shared store moves only through approved Proposals.
    """
    if move not in CALLER_MOVES:
        raise ValueError(f"{move} is the platform's own move")
    access.require(NEEDED[move])
    if move == CanonicalMove.DIRECT_WRITE:
        _refuse_under_review(access.store.canonical_writes)


@step
def require_unchanged_rule(access: StoreAccess) -> None:
    """Refuse a direct write when the store came under review while it was made.

    For the end of the transaction, when the store's row is locked: whoever commits first wins.

    Raises:
        ReadOnly: canonical moves only through approved Proposals by now.
    """
    if access.store.is_shared:
        now = MemoryStore.objects.filter(id=access.store_id).values_list("canonical_writes")
        _refuse_under_review(now.get()[0])


def _refuse_under_review(canonical_writes: str | None) -> None:
    if canonical_writes == CanonicalWrites.REVIEW:
        raise ReadOnly(
            "Canonical of this store moves only through approved Proposals. Open a Proposal."
        )
