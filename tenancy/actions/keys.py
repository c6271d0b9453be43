"""Making and revoking API keys (contract §0 "Keys", "Acting principal")."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from database.transactions import durable
from tenancy.administration import bump_authority, require_admin, take_turn
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.models import ApiKey, Principal
from tenancy.names import checked_name
from tenancy.queries import find_key
from tenancy.secrets import digest, hint, new_secret
from wire.errors import Malformed, NotFound, name_some
from wire.times import now


@durable
def create_key(
    *,
    caller: Caller,
    name: str,
    key_class: ApiKey.Class = ApiKey.Class.STANDARD,
    principal_id: str | None = None,
    may_act_for: Sequence[str] = (),
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Make a key and return it with its secret, which nobody can be shown again.

    Args:
        principal_id: the principal that the key is bound to.
        may_act_for: principals that the key may name instead; not together with a bound one.
        expires_at: when the key ends by itself.

    Raises:
        PolicyDenied: the caller does not administer the Workspace.
        NotFound: a principal is not one of the Workspace.
        Malformed: bound and list together, an end in the past, or a name of more than one line.
    """
    caller = take_turn(caller)
    require_admin(caller)
    if principal_id and may_act_for:
        raise Malformed("may_act_for: a key is bound to a principal or may name some, not both.")
    if expires_at and expires_at <= now():
        raise Malformed("expires_at: that time has passed.")
    nameable = _principals(caller, may_act_for, "may_act_for")
    bound = _principals(caller, [principal_id] if principal_id else [], "principal")
    secret = new_secret()
    key = ApiKey.objects.create(
        workspace_id=caller.workspace_id,
        name=checked_name(name),
        key_class=key_class,
        digest=digest(secret),
        hint=hint(secret),
        principal=bound[0] if bound else None,
        expires_at=expires_at,
    )
    key.may_act_for.set(nameable)
    detail = {"class": key_class, "principal": principal_id, "may_act_for": list(may_act_for)}
    _audit(caller, key, "api_key.created", detail)
    bump_authority(caller.workspace_id)
    return key, secret


@durable
def revoke_key(*, caller: Caller, key_id: str) -> ApiKey:
    """End a key now. Requests in flight with it are refused at publication (R5).

    Revoking a revoked key changes nothing.

    Raises:
        NotFound: the Workspace has no such key.
        PolicyDenied: the caller does not administer the Workspace.
    """
    caller = take_turn(caller)
    key = find_key(caller, key_id, for_update=True)
    require_admin(caller)
    if key.revoked_at is None:
        key.revoked_at = now()
        key.save(update_fields=["revoked_at"])
        _audit(caller, key, "api_key.revoked", {})
        bump_authority(caller.workspace_id)
    return key


def _principals(caller: Caller, wanted: Sequence[str], field: str) -> list[Principal]:
    """The Workspace's principals of those IDs. Raises NotFound naming the ones it has not."""
    found = Principal.objects.in_bulk(list(wanted)) if wanted else {}
    own = {one.id: one for one in found.values() if one.workspace_id == caller.workspace_id}
    missing = sorted(set(wanted) - own.keys())
    if missing:
        raise NotFound(f"{field}: there is no {name_some(missing)} in this Workspace.")
    return list(own.values())


def _audit(caller: Caller, key: ApiKey, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        workspace_id=caller.workspace_id,
        event=event,
        target_kind="api_key",
        target_id=key.id,
        detail=detail,
    )
