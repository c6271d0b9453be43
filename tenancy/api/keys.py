"""/v1/api-keys: the bearer credentials of the Workspace, for its admins."""

from typing import Annotated, Literal, TypedDict, cast

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from tenancy import queries
from tenancy.actions.keys import create_key, revoke_key
from tenancy.administration import require_admin
from tenancy.api.base import ApiView, caller_of
from tenancy.models import ApiKey
from wire.errors import NotFound, PolicyDenied
from wire.fields import IdOf, Moment, Name
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

ClassName = Literal["standard", "admin", "session", "runner"]
PrincipalId = Annotated[str, IdOf("principal")]
EnvironmentId = Annotated[str, IdOf("environment")]


class CreateApiKey(Body):
    """A new key. It uses grants of its own unless it is bound or names a principal."""

    name: Name
    key_class: Annotated[Literal["standard", "admin", "runner"], Field(alias="class")] = "standard"
    """A `session` key is made for its Session, at `/v1/sessions/{id}/keys`."""
    principal: PrincipalId | None = None
    """The principal that the key is bound to."""
    may_act_for: Annotated[list[PrincipalId], Field(max_length=200)] = []
    """Principals that the key may name in `Checkfu-Acting-Principal` instead."""
    environments: Annotated[list[EnvironmentId], Field(max_length=200)] = []
    """Those whose Runs a `runner` key settles; such a key acts for no principal."""
    expires_at: Moment | None = None
    """When the key ends by itself."""


ApiKeyOut = TypedDict(
    "ApiKeyOut",
    {
        "id": str,
        "name": str,
        "class": ClassName,
        "hint": str,
        "principal": str | None,
        "may_act_for": list[str],
        "environments": list[str],
        "session": str | None,
        "agent": str | None,
        "expires_at": str | None,
        "revoked_at": str | None,
        "created_at": str,
    },
)
ApiKeyOut.__doc__ = "A bearer credential of the Workspace; its secret is never shown again."


class CreatedApiKeyOut(ApiKeyOut):
    """A key with its secret, which is shown this once and can never be shown again."""

    secret: str


def render_key(key: ApiKey) -> ApiKeyOut:
    return {
        "id": key.id,
        "name": key.name,
        "class": cast("ClassName", key.key_class),
        "hint": key.hint,
        "principal": key.principal_id,
        "may_act_for": sorted(principal.id for principal in key.may_act_for.all()),
        "environments": sorted(environment.id for environment in key.environments.all()),
        "session": key.session_id,
        "agent": key.agent_id,
        "expires_at": render_time(key.expires_at) if key.expires_at else None,
        "revoked_at": render_time(key.revoked_at) if key.revoked_at else None,
        "created_at": render_time(key.created_at),
    }


class ApiKeysView(ApiView):
    @operation(
        "apiKeys.listApiKeys",
        summary="List the keys of the Workspace",
        query=PagedQuery,
        answers={200: Listing[ApiKeyOut]},
        errors=(PolicyDenied,),
    )
    def get(self, request: Request) -> Response:
        """Newest first, revoked ones too. Needs an admin key."""
        caller = caller_of(request)
        query = parse_query(request, PagedQuery)
        require_admin(caller)
        rows, next_page = newest_first(queries.api_keys(caller), query)
        return Response(list_body([render_key(row) for row in rows], next_page))

    @operation(
        "apiKeys.createApiKey",
        summary="Make a key",
        body=CreateApiKey,
        answers={201: CreatedApiKeyOut},
        errors=(NotFound, PolicyDenied),
    )
    def post(self, request: Request) -> Response:
        """The answer holds the secret, this once. Needs an admin key."""
        body = parse_body(request, CreateApiKey)
        key, secret = create_key(
            caller=caller_of(request),
            name=body.name,
            key_class=ApiKey.Class(body.key_class),
            principal_id=body.principal,
            may_act_for=body.may_act_for,
            environment_ids=body.environments,
            expires_at=body.expires_at,
        )
        created: CreatedApiKeyOut = {**render_key(key), "secret": secret}
        return Response(created, status=201)


class ApiKeyView(ApiView):
    @operation(
        "apiKeys.getApiKey",
        summary="Get a key",
        answers={200: ApiKeyOut},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """Never its secret. Needs an admin key."""
        caller = caller_of(request)
        key = queries.find_key(caller, parse_path_id("api_key", id))
        parse_nothing(request)
        require_admin(caller)
        return Response(render_key(key))

    @operation(
        "apiKeys.revokeApiKey",
        summary="Revoke a key",
        answers={204: None},
        errors=(NotFound, PolicyDenied),
    )
    def delete(self, request: Request, id: str) -> Response:
        """It stops working at once, also for answers under way. Needs an admin key."""
        caller = caller_of(request)
        found = queries.find_key(caller, parse_path_id("api_key", id))
        parse_nothing(request)
        revoke_key(caller=caller, key_id=found.id)
        return Response(status=204)
