"""The keys of a Session."""

from django.db.models import QuerySet

from tenancy.models import ApiKey
from wire.errors import NotFound


def session_keys(session_id: str) -> QuerySet[ApiKey]:
    """All keys that were made for a Session, revoked ones too."""
    keys = ApiKey.objects.filter(key_class=ApiKey.Class.SESSION, session_uuid=session_id)
    return keys.prefetch_related("may_act_for", "environments")


def find_session_key(session_id: str, key_id: str, *, for_update: bool = False) -> ApiKey:
    """One of them. Raises NotFound.

    Args:
        for_update: whether others wait until this transaction is done with it.
    """
    rows = session_keys(session_id).filter(id=key_id)
    found = (rows.select_for_update(no_key=True) if for_update else rows).first()
    if found is None:
        raise NotFound("The Session has no such key.")
    return found
