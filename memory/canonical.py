"""The one gate before canonical: every way it may move is named here (contract §3)."""

from enum import StrEnum

from memory.access import StoreAccess
from memory.models import CanonicalWrites
from tenancy.models import Permission
from wire.errors import ReadOnly


class CanonicalMove(StrEnum):
    """The closed list of what moves canonical."""

    CREATION = "creation"
    FORK = "fork"
    DIRECT_WRITE = "direct_write"
    APPROVED_PROPOSAL = "approved_proposal"
    IMPORT = "import"
    REDACTION = "redaction"
    SESSION_CHECKPOINT = "session_checkpoint"


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


def _refuse_under_review(canonical_writes: str | None) -> None:
    if canonical_writes == CanonicalWrites.REVIEW:
        raise ReadOnly(
            "Canonical of this store moves only through approved Proposals. Open a Proposal."
        )
