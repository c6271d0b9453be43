"""Bearer authentication: one query from a key to the Caller it makes."""

from typing import Any

from django.db.models import Q
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from tenancy.caller import Caller
from tenancy.models import ApiKey, Principal, Workspace
from tenancy.secrets import PREFIX, digest
from wire import ids
from wire.errors import InvalidKey, Malformed, PolicyDenied
from wire.headers import ACTING_PRINCIPAL
from wire.times import now


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer ck_…` → a Caller (contract §0)."""

    def authenticate(self, request: Request) -> tuple[Caller, ApiKey]:
        key = find_key(bearer_secret(request))
        return caller_of_key(key, request.headers.get(ACTING_PRINCIPAL)), key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def bearer_secret(request: Request) -> str:
    """Take the secret out of the header. Raises InvalidKey when there is none."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.startswith(PREFIX):
        raise InvalidKey("Send a valid key as `Authorization: Bearer ck_…`.")
    return secret


def find_key(secret: str) -> ApiKey:
    """Look a live key up, with its Workspace and principal. Raises InvalidKey."""
    keys = ApiKey.objects.select_related("workspace", "principal")
    key = keys.filter(live(), digest=digest(secret)).first()
    if key is None:
        raise InvalidKey("The key is unknown, expired or revoked.")
    return key


def live() -> Q:
    """Keys that are neither revoked nor expired."""
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now()))


def caller_of_key(key: ApiKey, acting_for: str | None = None) -> Caller:
    """Make the Caller of a key, acting for a principal it may name.

    Raises:
        Malformed: the header is not a principal's ID.
        PolicyDenied: the key may not act for that principal.
    """
    named = nameable_principal(key, acting_for) if acting_for else None
    principal = named or key.principal
    return Caller(
        kind="api_key",
        workspace_id=key.workspace_id,
        key_id=key.id,
        principal_id=key.principal_id,
        named_principal_id=named.id if named and named.id != key.principal_id else None,
        principal_is_service=bool(principal and principal.kind == Principal.Kind.SERVICE),
        is_admin=key.key_class == ApiKey.Class.ADMIN,
        authority_epoch=key.workspace.authority_epoch,
        expires_at=key.expires_at,
        workspace_active=key.workspace.state == Workspace.State.ACTIVE,
        principal_active=principal is None or principal.state == Principal.State.ACTIVE,
    )


def nameable_principal(key: ApiKey, text: str) -> Principal:
    """The principal a key names: its own, or one it was allowed to act for."""
    try:
        principal_id = ids.parse_id("principal", text)
    except ids.MalformedId as error:
        raise Malformed(f"{ACTING_PRINCIPAL}: {error}.") from error
    if key.principal and principal_id == key.principal_id:
        return key.principal
    principal = key.may_act_for.filter(id=principal_id).first()
    if principal is None:
        raise PolicyDenied(f"This key may not act for {principal_id}.")
    return principal


def caller_of_person(principal: Principal) -> Caller:
    """Make the Caller of a signed-in person (select_related workspace first)."""
    workspace: Any = principal.workspace
    return Caller(
        kind="principal",
        workspace_id=workspace.id,
        key_id=None,
        principal_id=principal.id,
        named_principal_id=None,
        principal_is_service=False,
        is_admin=principal.is_admin,
        authority_epoch=workspace.authority_epoch,
        workspace_active=workspace.state == Workspace.State.ACTIVE,
        principal_active=principal.state == Principal.State.ACTIVE,
    )
