"""Keys of a Session: they act as its agent (contract §0 "Keys")."""

from datetime import datetime

from database.transactions import durable
from sessions.access import SessionAccess, held, require_active
from sessions.models import Session
from sessions.queries.keys import find_session_key
from tenancy.caller import SessionAgent
from tenancy.keys import NewKey, add_key, end_key
from tenancy.models import ApiKey


@durable
def create_session_key(
    *, access: SessionAccess, name: str, expires_at: datetime | None = None
) -> tuple[ApiKey, str]:
    """Make a key that acts as the Session's agent, and return it with its secret.

    Whoever has it may do what the agent and the acting principal both may, and write only the
    Session's own working refs. It ends with the Session.

    Raises:
        PolicyDenied: the caller is neither the acting principal nor a Workspace admin.
        ReadOnly: the Session is archived.
        Malformed: an end in the past, or a name of more than one line.
    """
    access = held(access)
    access.require_keys()
    require_active(Session.objects.select_for_update(no_key=True).get(id=access.session_id))
    session = access.session
    wanted = NewKey(
        name=name,
        key_class=ApiKey.Class.SESSION,
        principal_id=session.principal_id,
        agent=SessionAgent(session.id, session.agent_id),
        expires_at=expires_at,
    )
    return add_key(access.caller, wanted)


@durable
def revoke_session_key(*, access: SessionAccess, key_id: str) -> None:
    """End a key of the Session now. Revoking a revoked one changes nothing.

    Raises:
        NotFound: the Session has no such key.
        PolicyDenied: the caller is neither the acting principal nor a Workspace admin.
    """
    access = held(access)
    key = find_session_key(access.session_id, key_id, for_update=True)
    access.require_keys()
    end_key(access.caller, key)
