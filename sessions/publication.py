"""One last look before what a Session is about leaves (contract R5)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import DatabaseError, InterfaceError

from memory.access import StoreAccess
from memory.publication import Acquired, recheck
from sessions.access import SessionAccess, open_session
from sessions.turns.native import Use, require_usable
from tenancy.caller import Caller
from tenancy.models import Workspace
from tenancy.recheck import recheck_authority
from wire.errors import AuthorizationUnavailable, Conflict


@dataclass(frozen=True, slots=True)
class SessionsRead:
    """What was read of Sessions and is about to be released.

    Attributes:
        sessions: those whose words or log it holds; all of one caller.
        stores: those of which it tells paths.
        has_words: whether it holds what the Sessions' mounts tell the agent.
    """

    sessions: Sequence[SessionAccess]
    stores: Sequence[StoreAccess] = ()
    has_words: bool = False


def recheck_sessions(read: SessionsRead) -> None:
    """Look again in a fresh snapshot and refuse what may not be released any more.

    One query when nobody's authority changed since, and one for each store.

    Raises:
        InvalidKey, DisabledTenancy, NotFound, PolicyDenied: what a fresh request would get.
        Conflict: a Session whose words were read was erased (contract S7).
        AuthorizationUnavailable: the question could not be answered; retry.
    """
    for store in read.stores:
        recheck(Acquired(store))
    with establishing():
        _recheck_authority(read)


def recheck_use(use: Use, acquired: Acquired) -> None:
    """Look again whether principal and agent may both read what a round was shown (contract S6).

    What was written stays, whatever comes of this.

    Args:
        acquired: what is about to be released of the store.

    Raises:
        InvalidKey, DisabledTenancy, NotFound, PolicyDenied, ReadOnly, Conflict: what a fresh
            request would get.
        AuthorizationUnavailable: the question could not be answered; retry.
    """
    with establishing():
        _recheck_authority(SessionsRead([use.session]))
        require_usable(use.session.session, [use.store.store_id])
    recheck(acquired)


@contextmanager
def establishing() -> Iterator[None]:
    """Turn an outage, while it is asked whether something may be released, into its own error."""
    try:
        yield
    except (DatabaseError, InterfaceError) as error:
        raise AuthorizationUnavailable(
            "Whether this may still be released could not be established. Retry the request."
        ) from error


def again_if_changed(caller: Caller) -> Caller | None:
    """The caller looked up afresh, when anybody's authority changed since; else None.

    Raises:
        InvalidKey, DisabledTenancy, PolicyDenied: what a fresh request would get.
    """
    epochs = Workspace.objects.filter(id=caller.workspace_id)
    epoch = epochs.values_list("authority_epoch", flat=True).get()
    if epoch == caller.authority_epoch and not caller.has_expired:
        return None
    return recheck_authority(caller)


def _recheck_authority(read: SessionsRead) -> None:
    fresh = again_if_changed(read.sessions[0].caller) if read.sessions else None
    if fresh is None:
        return
    for access in read.sessions:
        again = open_session(fresh, access.session_id)
        if access.may_read:
            again.require_read()
        if read.has_words and again.session.is_being_erased and not access.session.is_being_erased:
            raise Conflict(f"{access.session_id} was erased meanwhile. Read again.")
