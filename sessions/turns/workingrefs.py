"""Steps on a Session's working ref in a store (contract C7)."""

from django.db.models import QuerySet

from database.transactions import step
from memory import refs
from memory.actors import Actor
from memory.models import Ref, RefKind
from memory.refs import RefName
from wire.errors import Conflict


def ref_of(session_id: str) -> RefName:
    """The ref that holds what a Session wrote in a store, and nothing else moves."""
    return RefName(RefKind.SESSION, session_id)


def working_refs_of(session_id: str) -> QuerySet[Ref]:
    """All refs of a Session, in whatever store, in the order of their making."""
    refs_of_sessions = Ref.objects.filter(kind=RefKind.SESSION, owner_uuid=session_id)
    return refs_of_sessions.order_by("id")


@step
def open_working_ref(*, store_id: str, session_id: str, at: str, actor: Actor) -> Ref:
    """Make a Session's ref in a store; two that do it at once wait for each other.

    Raises:
        Conflict: there is one; names the version that it is at.
    """
    refs.hold(store_id=store_id, name=refs.CANONICAL)
    own = Ref.objects.filter(store=store_id, kind=RefKind.SESSION, owner_uuid=session_id)
    found = own.first()
    if found:
        raise Conflict(f"The Session has a working ref in the store, at {found.version_id}.")
    refs.create(store_id=store_id, name=ref_of(session_id), at=at, actor=actor)
    return own.get()
