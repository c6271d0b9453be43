"""Authority once more, before content leaves (contract R5)."""

from django.db import DatabaseError, InterfaceError

from tenancy.authentication import (
    acting_for,
    caller_of_key,
    caller_of_person,
    find_credential_again,
)
from tenancy.caller import Caller, platform_caller
from tenancy.delegation import sent_again
from tenancy.models import Principal, Workspace
from wire.errors import AuthorizationUnavailable, InvalidKey


def recheck_authority(caller: Caller) -> Caller:
    """Look a caller up afresh, after the Workspace's authority epoch moved or its key ended.

    Grants are not looked at: ask for them with the Caller that is returned.

    Raises:
        InvalidKey: the key was revoked or has expired, or the principal is gone.
        DisabledTenancy: the Workspace or the acting principal was disabled.
        PolicyDenied: the key may not act for the principal any more that it named.
        AuthorizationUnavailable: the database did not answer; nothing may be released.
    """
    try:
        fresh = _look_up(caller)
    except (DatabaseError, InterfaceError) as error:
        raise AuthorizationUnavailable(
            "Whether this may still be released could not be established. Retry the request."
        ) from error
    fresh.require_active()
    return fresh


def _look_up(caller: Caller) -> Caller:
    if caller.sender:
        return sent_again(caller, _look_up(caller.sender))
    if caller.kind == "api_key":
        credential = find_credential_again(caller.id, caller.named_principal_id)
        return acting_for(caller_of_key(credential.key), credential, caller.named_principal_id)
    if caller.kind == "platform":
        return platform_caller(Workspace.objects.get(id=caller.workspace_id))
    people = Principal.objects.select_related("workspace").exclude(user__is_active=False)
    person = people.filter(id=caller.principal_id).first()
    if person is None:
        raise InvalidKey("This sign-in has ended.")
    return caller_of_person(person)
