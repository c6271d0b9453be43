"""Steps that make and end keys inside somebody's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from database.transactions import step
from tenancy.administration import bump_authority
from tenancy.audit import record
from tenancy.caller import Caller, SessionAgent
from tenancy.models import ApiKey, Environment, Principal
from tenancy.names import checked_name
from tenancy.secrets import digest, hint, new_secret
from wire.errors import Malformed
from wire.times import now


@dataclass(frozen=True, slots=True)
class NewKey:
    """What a key is made of; who may ask for it was decided before.

    Attributes:
        principal_id: whom it is bound to; of a Session's key, for whom the agent acts.
        may_act_for: principals that it may name.
        environments: those whose Runs a runner's key settles.
        agent: whom a Session's key acts as.
        expires_at: when it ends by itself.
    """

    name: str
    key_class: ApiKey.Class
    principal_id: str | None = None
    may_act_for: Sequence[Principal] = ()
    environments: Sequence[Environment] = ()
    agent: SessionAgent | None = None
    expires_at: datetime | None = None


@step
def add_key(caller: Caller, wanted: NewKey) -> tuple[ApiKey, str]:
    """Make a key and return it with its secret, which nobody can be shown again.

    Raises:
        Malformed: an end in the past, or a name of more than one line.
    """
    if wanted.expires_at and wanted.expires_at <= now():
        raise Malformed("expires_at: that time has passed.")
    secret = new_secret()
    key = ApiKey.objects.create(
        workspace_id=caller.workspace_id,
        name=checked_name(wanted.name),
        key_class=wanted.key_class,
        digest=digest(secret),
        hint=hint(secret),
        principal_id=wanted.principal_id,
        agent_id=wanted.agent.agent_id if wanted.agent else None,
        session_uuid=wanted.agent.session_id if wanted.agent else None,
        expires_at=wanted.expires_at,
    )
    key.may_act_for.set(wanted.may_act_for)
    key.environments.set(wanted.environments)
    _audit(caller, key, "api_key.created", _told(wanted))
    bump_authority(caller.workspace_id)
    return key, secret


@step
def end_key(caller: Caller, key: ApiKey) -> None:
    """Revoke a key now; requests in flight with it are refused at publication (R5).

    Revoking a revoked key changes nothing.
    """
    if key.revoked_at is None:
        key.revoked_at = now()
        key.save(update_fields=["revoked_at"])
        _audit(caller, key, "api_key.revoked", {})
        bump_authority(caller.workspace_id)


@step
def end_agents_keys(caller: Caller, agent_id: str, session_id: str | None = None) -> None:
    """Revoke all keys that act as an agent, or those of one of its Sessions."""
    keys = ApiKey.objects.filter(agent=agent_id, revoked_at=None)
    if session_id:
        keys = keys.filter(session_uuid=session_id)
    for key in keys.select_for_update(no_key=True):
        end_key(caller, key)


def _told(wanted: NewKey) -> dict[str, Any]:
    return {
        "class": wanted.key_class,
        "principal": wanted.principal_id,
        "may_act_for": [principal.id for principal in wanted.may_act_for],
        "environments": [environment.id for environment in wanted.environments],
        "session": wanted.agent.session_id if wanted.agent else None,
    }


def _audit(caller: Caller, key: ApiKey, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        event=event,
        target_kind="api_key",
        target_id=key.id,
        detail=detail,
    )
