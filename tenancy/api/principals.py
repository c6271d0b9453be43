"""/v1/principals: people and services of the Workspace, for its admins."""

from typing import Literal, TypedDict, cast

from rest_framework.request import Request
from rest_framework.response import Response

from tenancy import queries
from tenancy.actions.principals import PrincipalChanges, change_principal, create_principal
from tenancy.administration import require_admin
from tenancy.api.base import ApiView, caller_of
from tenancy.models import Principal
from wire.errors import NotFound, PolicyDenied
from wire.fields import Name
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

KindName = Literal["person", "service"]
StateName = Literal["active", "disabled"]


class CreatePrincipal(Body):
    """A new principal. People get a sign-in by the operator's `create_person` command."""

    kind: KindName
    name: Name
    is_admin: bool = False
    """Whether the person, signed in, administers the Workspace."""


class ChangePrincipal(Body):
    """New values; what is left out stays."""

    name: Name | None = None
    is_admin: bool | None = None
    state: StateName | None = None


class PrincipalOut(TypedDict):
    """Somebody or something that acts in the Workspace."""

    id: str
    kind: KindName
    name: str
    is_admin: bool
    can_sign_in: bool
    state: StateName
    created_at: str


def render_principal(principal: Principal) -> PrincipalOut:
    return {
        "id": principal.id,
        "kind": cast("KindName", principal.kind),
        "name": principal.name,
        "is_admin": principal.is_admin,
        "can_sign_in": principal.user_id is not None,
        "state": cast("StateName", principal.state),
        "created_at": render_time(principal.created_at),
    }


class PrincipalsView(ApiView):
    @operation(
        "principals.listPrincipals",
        summary="List the principals of the Workspace",
        query=PagedQuery,
        answers={200: Listing[PrincipalOut]},
        errors=(PolicyDenied,),
    )
    def get(self, request: Request) -> Response:
        """Newest first. Needs an admin key."""
        caller = caller_of(request)
        query = parse_query(request, PagedQuery)
        require_admin(caller)
        rows, next_page = newest_first(queries.principals(caller), query)
        return Response(list_body([render_principal(row) for row in rows], next_page))

    @operation(
        "principals.createPrincipal",
        summary="Make a principal",
        body=CreatePrincipal,
        answers={201: PrincipalOut},
        errors=(PolicyDenied,),
    )
    def post(self, request: Request) -> Response:
        """A person or a service, with no grant yet. Needs an admin key."""
        body = parse_body(request, CreatePrincipal)
        principal = create_principal(
            caller=caller_of(request),
            kind=Principal.Kind(body.kind),
            name=body.name,
            is_admin=body.is_admin,
        )
        return Response(render_principal(principal), status=201)


class PrincipalView(ApiView):
    @operation(
        "principals.getPrincipal",
        summary="Get a principal",
        answers={200: PrincipalOut},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """Needs an admin key."""
        caller = caller_of(request)
        principal = queries.find_principal(caller, parse_path_id("principal", id))
        parse_nothing(request)
        require_admin(caller)
        return Response(render_principal(principal))

    @operation(
        "principals.changePrincipal",
        summary="Rename a principal, or change its administration or state",
        body=ChangePrincipal,
        answers={200: PrincipalOut},
        errors=(NotFound, PolicyDenied),
    )
    def patch(self, request: Request, id: str) -> Response:
        """A disabled principal's keys and sign-in stop working at once. Needs an admin key."""
        caller = caller_of(request)
        found = queries.find_principal(caller, parse_path_id("principal", id))
        body = parse_body(request, ChangePrincipal)
        changes = PrincipalChanges(
            name=body.name,
            is_admin=body.is_admin,
            state=Principal.State(body.state) if body.state else None,
        )
        changed = change_principal(caller=caller, principal_id=found.id, changes=changes)
        return Response(render_principal(changed))
