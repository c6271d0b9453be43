"""What a Session's own agent may write to a store: what its mount of it comes to now (C6, S2)."""

from memory.access import StoreAccess
from memory.models import OwnerKind
from sessions.access import find_session, require_active
from sessions.models import Access, Session
from sessions.mounts.refusals import REASONS, denial_of, refusal_of
from sessions.mounts.resolver import MISSING_WRITE, Resolution
from sessions.queries.facts import resolve_mount, resolve_use
from wire.errors import ApiError, PolicyDenied, ReadOnly


def require_writable_mount(access: StoreAccess) -> None:
    """Refuse the agent of a Session a store that its Session does not mount for writing now.

    The Session's own stores need no mount: they came to be after it.

    Raises:
        PolicyDenied: there is no such mount, or principal or agent lack a grant.
        ReadOnly: the mount is only read, or Session or store are archived.
        Conflict: the mount selects another version than the working ref's.
    """
    assert access.caller.agent is not None
    session = find_session(access.caller.workspace_id, access.caller.agent.session_id)
    require_active(session)
    if _is_own(access, session.id):
        return
    resolution = resolve_mount(session, access.store_id)
    if resolution is None:
        raise PolicyDenied(f"{session.id} does not mount {access.store_id}.")
    error = _obstacle(resolution)
    if error:
        raise error


def require_still_writable(session: Session, store_id: str) -> None:
    """Refuse a store that the Session may not write any more, wherever its working ref is.

    For writes on a ref that the Session began to write on, so that no selection is in question.

    Raises:
        PolicyDenied: principal or agent lack a grant now, or the store is being deleted.
        ReadOnly: the store is only read from there, or archived.
    """
    (resolution,) = resolve_use(session, [store_id], Access.READ_WRITE)
    assert resolution is not None
    error = _obstacle(resolution)
    if error:
        raise error


def _is_own(access: StoreAccess, session_id: str) -> bool:
    store = access.store
    return store.owner_kind == OwnerKind.SESSION and store.owner_id == session_id


def _obstacle(resolution: Resolution) -> ApiError | None:
    """What stands in the way of a write through a mount; None when nothing does."""
    if resolution.effective == Access.NONE or set(resolution.reasons) & MISSING_WRITE:
        return denial_of(resolution)
    if resolution.effective == Access.READ_ONLY and resolution.refusal is None:
        because = [REASONS[reason] for reason in resolution.reasons]
        return ReadOnly(" ".join(["The store is mounted for reading only.", *because]))
    return refusal_of(resolution)
