"""Making and revoking API keys (contract §0 "Keys", "Acting principal")."""

from collections.abc import Sequence
from datetime import datetime

from database.transactions import durable
from tenancy.administration import require_admin, take_turn
from tenancy.caller import Caller
from tenancy.keys import NewKey, add_key, end_key
from tenancy.models import ApiKey, Environment, Principal
from tenancy.queries import environments, find_key, principals
from wire.errors import Malformed, NotFound, name_some


@durable
def create_key(
    *,
    caller: Caller,
    name: str,
    key_class: ApiKey.Class = ApiKey.Class.STANDARD,
    principal_id: str | None = None,
    may_act_for: Sequence[str] = (),
    environment_ids: Sequence[str] = (),
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Make a key and return it with its secret, which nobody can be shown again.

    Args:
        principal_id: the principal that the key is bound to.
        may_act_for: principals that the key may name instead; not together with a bound one.
        environment_ids: those whose Runs the key settles; of a runner's key and no other.
        expires_at: when the key ends by itself.

    Raises:
        PolicyDenied: the caller does not administer the Workspace.
        NotFound: a principal or environment is not one of the Workspace.
        Malformed: bound and list together, a runner's key that is anything else besides, the key
            of a Session, an end in the past, or a name of more than one line.
    """
    caller = take_turn(caller)
    require_admin(caller)
    if principal_id and may_act_for:
        raise Malformed("may_act_for: a key is bound to a principal or may name some, not both.")
    _require_class(key_class, is_for_environments=bool(environment_ids))
    if key_class == ApiKey.Class.RUNNER and (principal_id or may_act_for):
        raise Malformed("class: a runner's key acts for no principal.")
    if principal_id:
        _principals(caller, [principal_id], "principal")
    wanted = NewKey(
        name=name,
        key_class=key_class,
        principal_id=principal_id,
        may_act_for=_principals(caller, may_act_for, "may_act_for"),
        environments=_environments(caller, environment_ids),
        expires_at=expires_at,
    )
    return add_key(caller, wanted)


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
    end_key(caller, key)
    return key


def _require_class(key_class: ApiKey.Class, *, is_for_environments: bool) -> None:
    if key_class == ApiKey.Class.SESSION:
        raise Malformed("class: the key of a Session is made for that Session.")
    if (key_class == ApiKey.Class.RUNNER) != is_for_environments:
        raise Malformed("environments: a runner's key names at least one, and no other key any.")


def _principals(caller: Caller, wanted: Sequence[str], field: str) -> list[Principal]:
    """The Workspace's principals of those IDs. Raises NotFound naming the ones it has not."""
    found = list(principals(caller).filter(id__in=wanted)) if wanted else []
    _require_all(wanted, [principal.id for principal in found], field)
    return found


def _environments(caller: Caller, wanted: Sequence[str]) -> list[Environment]:
    found = list(environments(caller).filter(id__in=wanted)) if wanted else []
    _require_all(wanted, [environment.id for environment in found], "environments")
    return found


def _require_all(wanted: Sequence[str], found: Sequence[str], field: str) -> None:
    missing = sorted(set(wanted) - set(found))
    if missing:
        raise NotFound(f"{field}: there is no {name_some(missing)} in this Workspace.")
