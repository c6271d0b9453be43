"""Bearer authentication: one query from a key to the Caller it makes (contract §0)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from database.compiled import compiled
from tenancy.caller import Caller, SessionAgent
from tenancy.models import ApiKey, Principal, Workspace
from tenancy.secrets import PREFIX, digest
from wire import ids
from wire.errors import AuthorizationUnavailable, InvalidKey, Malformed, PolicyDenied
from wire.headers import ACTING_PRINCIPAL
from wire.times import now


@dataclass(frozen=True, slots=True)
class Credential:
    """A live key, and the principal it names, looked up together.

    Attributes:
        named_kind, named_state: of the named principal, when the key may act for it.
    """

    key: ApiKey
    named_kind: str | None = None
    named_state: str | None = None


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer ck_…` → the Caller of that key, and its Credential.

    Which principal the request names is looked up along with the key, and judged by
    `acting_for` once the checks that come first have passed.
    """

    def authenticate(self, request: Request) -> tuple[Caller, Credential]:
        secret = bearer_secret(request)
        named = well_formed_id(request.headers.get(ACTING_PRINCIPAL))
        try:
            credential = find_credential(secret, named)
        except (DatabaseError, InterfaceError) as error:
            raise AuthorizationUnavailable(
                "Who is asking could not be established. Retry the request."
            ) from error
        return caller_of_key(credential.key), credential

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def bearer_secret(request: Request) -> str:
    """Take the secret out of the header. Raises InvalidKey when there is none."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.startswith(PREFIX):
        raise InvalidKey("Send a valid key as `Authorization: Bearer ck_…`.")
    return secret


def well_formed_id(text: str | None) -> str | None:
    """A principal's ID worth looking up, or None."""
    try:
        return ids.parse_id("principal", text)
    except ids.MalformedId:
        return None


def find_credential(secret: str, named: str | None = None) -> Credential:
    """Look a live key up, with its Workspace, its principal and the one it names; one query.

    Args:
        named: a principal that the request names.

    Raises:
        InvalidKey: there is none, or it is expired or revoked.
    """
    return _credential(_keys(digest=digest(secret), moment=now(), named=named))


def find_credential_again(key_id: str, named: str | None) -> Credential:
    """The same for a key that was found before. Raises InvalidKey when it has ended since."""
    return _credential(_live(now(), named).filter(id=key_id))


def _credential(found: Iterable[Any]) -> Credential:
    for key in found:
        return Credential(key, getattr(key, "named_kind", None), getattr(key, "named_state", None))
    raise InvalidKey("The key is unknown, expired or revoked.")


@compiled
def _keys(*, digest: bytes, moment: datetime, named: str | None) -> QuerySet[ApiKey]:
    return _live(moment, named).filter(digest=digest)


def _live(moment: datetime, named: str | None) -> QuerySet[ApiKey]:
    """Keys that work at a moment, with the state of the principal `named` if they may name it."""
    unexpired = Q(expires_at=None) | Q(expires_at__gt=moment)
    keys = ApiKey.objects.select_related("workspace", "principal")
    keys = keys.filter(unexpired, revoked_at=None)
    if named is None:
        return keys
    nameable = ApiKey.may_act_for.through.objects.filter(apikey=OuterRef("id"), principal=named)
    return keys.annotate(
        named_kind=Subquery(nameable.values(kind=F("principal__kind"))),
        named_state=Subquery(nameable.values(state=F("principal__state"))),
    )


def caller_of_key(key: ApiKey) -> Caller:
    """The Caller of a key that names nobody. An agent acts for its principal without being it."""
    bound = key.principal
    agent = _agent_of(key)
    return Caller(
        kind="api_key",
        workspace_id=key.workspace_id,
        key_id=key.id,
        principal_id=None if agent else key.principal_id,
        named_principal_id=key.principal_id if agent else None,
        principal_is_service=bool(bound and bound.kind == Principal.Kind.SERVICE),
        is_admin=key.key_class == ApiKey.Class.ADMIN,
        authority_epoch=key.workspace.authority_epoch,
        expires_at=key.expires_at,
        agent=agent,
        workspace_active=key.workspace.state == Workspace.State.ACTIVE,
        principal_active=bound is None or bound.state == Principal.State.ACTIVE,
    )


def _agent_of(key: ApiKey) -> SessionAgent | None:
    session_id, agent_id = key.session_id, key.agent_id
    return SessionAgent(session_id, agent_id) if session_id and agent_id else None


def acting_for(caller: Caller, credential: Credential, text: str | None) -> Caller:
    """The Caller, acting for the principal that a request names, if it names one.

    Raises:
        Malformed: the text is not a principal's ID.
        PolicyDenied: the key may not act for that principal.
    """
    if text is None:
        return caller
    try:
        named = ids.parse_id("principal", text)
    except ids.MalformedId as error:
        raise Malformed(f"{ACTING_PRINCIPAL}: {error}.") from error
    if named == caller.acting_principal_id:
        return caller
    if credential.named_state is None:
        raise PolicyDenied(f"This key may not act for {named}.")
    return replace(
        caller,
        named_principal_id=named,
        principal_is_service=credential.named_kind == Principal.Kind.SERVICE,
        principal_active=credential.named_state == Principal.State.ACTIVE,
    )


def caller_of_person(principal: Principal) -> Caller:
    """The Caller of a signed-in person. `principal.workspace` should be loaded already."""
    workspace = principal.workspace
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
