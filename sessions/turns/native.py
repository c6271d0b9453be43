"""Using memory natively, in a round: every use asks once more whether it is allowed (S6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.access import NO_SUCH_STORE, StoreAccess, archived, open_store
from memory.models import Lifecycle
from sessions.access import SessionAccess
from sessions.models import Access, Round, Session
from sessions.mounts.refusals import denial_of
from sessions.mounts.resolver import Reason, Resolution
from sessions.queries.facts import has_native_writer, resolve_use
from sessions.turns.plans import Planned, planned
from sessions.turns.writing import require_still_writable
from wire.errors import ApiError, Conflict, HarnessIncompatible, NotFound, ReadOnly


@dataclass(frozen=True, slots=True)
class Use:
    """One mount of a round, about to be used.

    Attributes:
        session: as whoever sends the request may know it.
        store: as the Session's agent may know it.
    """

    session: SessionAccess
    round: Round
    planned: Planned
    store: StoreAccess


def require_native_writer(session: Session) -> None:
    """Raise HarnessIncompatible where what runs does not write by calls."""
    if not has_native_writer(session.environment):
        raise HarnessIncompatible(
            "The environment does not write natively, so the Session takes no inputs. Start a Run."
        )


def require_usable(session: Session, store_ids: Sequence[str]) -> None:
    """Refuse stores that principal and agent may not both read now, or that are not active.

    Raises:
        NotFound: a store is not complete, is being deleted, or gone.
        PolicyDenied: a grant is missing; says which.
        ReadOnly: a store is archived, which ordinary reads would not mind.
    """
    for resolution in resolve_use(session, store_ids, Access.READ_ONLY):
        error = _obstacle(resolution)
        if error:
            raise error


def open_use(access: SessionAccess, entered: Round, position: int) -> Use:
    """Open one mount of a round for whoever works on it, at the version that the round reads.

    Raises:
        PolicyDenied: the caller does not work on inputs, or principal and agent may not both read.
        NotFound: the input has no such mount, or the store is not there any more.
        ReadOnly: the store is archived.
    """
    access.require_native()
    found = planned(entered, position)
    require_usable(access.session, [found.mount.store_id])
    store = open_store(access.as_agent, found.mount.store_id)
    store.require_content()
    return Use(access, entered, found, store)


def require_open(use: Use) -> None:
    """Refuse what happens in a round that is over, or in a Session that is.

    Raises:
        ReadOnly: the Session is archived.
        Conflict: the round is finished.
    """
    use.session.require_active()
    if use.round.state != Round.State.ENTERED:
        raise Conflict(f"{use.round.id} is finished. Enter the next round.")


def require_offered(use: Use) -> None:
    """Refuse a write that the input was not offered, or that is not allowed any more.

    A grant that was lost refuses; it makes nothing less of the mount.

    Raises:
        ReadOnly: the mount came to reading when the input was accepted, or does now.
        PolicyDenied: principal or agent lack `write` now.
    """
    if not use.planned.mount.is_writable:
        raise ReadOnly(
            f"Mount {use.planned.mount.position} was not offered for writing when the input was"
            " accepted."
        )
    require_still_writable(use.session.session, use.store.store_id)


def _obstacle(resolution: Resolution | None) -> ApiError | None:
    """What stands in the way of a native read; None when nothing does."""
    if resolution is None or Reason.STORE_GONE in resolution.reasons:
        return NotFound(NO_SUCH_STORE)
    if resolution.effective == Access.NONE:
        return denial_of(resolution)
    if resolution.facts.lifecycle == Lifecycle.ARCHIVED:
        return archived()
    return None
