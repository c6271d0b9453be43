"""/v1/spaces: collaboration spaces and their members (contract §0 "Grants")."""

from typing import Annotated, Literal, TypedDict, cast

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from tenancy import queries
from tenancy.actions.spaces import add_member, change_space, create_space, remove_member
from tenancy.administration import require_admin
from tenancy.api.base import ApiView, caller_of
from tenancy.models import CollaborationSpace, SpaceMember
from wire.errors import Conflict, Malformed, NotFound, PolicyDenied
from wire.fields import Name
from wire.ids import MalformedId, kind_among, parse_id
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, KindAndId, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

MemberKindName = Literal["principal", "agent"]
Description = Annotated[str, Field(max_length=4_096)]


class CreateSpace(Body):
    """A new space, without members."""

    name: Name
    description: Description = ""


class ChangeSpace(Body):
    """New values; what is left out stays."""

    name: Name | None = None
    description: Description | None = None


class NewMember(KindAndId):
    """Who shall belong to a space."""

    kind: MemberKindName


class CollaborationSpaceOut(TypedDict):
    """A place that principals and agents share; what it is granted reaches its members."""

    id: str
    name: str
    description: str
    created_at: str


class SpaceMemberOut(TypedDict):
    """Who belongs to a space, and since when."""

    kind: MemberKindName
    id: str
    added_at: str


def render_space(space: CollaborationSpace) -> CollaborationSpaceOut:
    return {
        "id": space.id,
        "name": space.name,
        "description": space.description,
        "created_at": render_time(space.created_at),
    }


def render_member(member: SpaceMember) -> SpaceMemberOut:
    return {
        "kind": cast("MemberKindName", member.member_kind),
        "id": member.member_id,
        "added_at": render_time(member.added_at),
    }


class SpacesView(ApiView):
    @operation(
        "spaces.listSpaces",
        summary="List the collaboration spaces of the Workspace",
        query=PagedQuery,
        answers={200: Listing[CollaborationSpaceOut]},
        errors=(PolicyDenied,),
    )
    def get(self, request: Request) -> Response:
        """Newest first. Needs an admin key."""
        caller = caller_of(request)
        query = parse_query(request, PagedQuery)
        require_admin(caller)
        rows, next_page = newest_first(queries.spaces(caller), query)
        return Response(list_body([render_space(row) for row in rows], next_page))

    @operation(
        "spaces.createSpace",
        summary="Make a collaboration space",
        body=CreateSpace,
        answers={201: CollaborationSpaceOut},
        errors=(PolicyDenied,),
    )
    def post(self, request: Request) -> Response:
        """It has no member and holds no grant yet. Needs an admin key."""
        body = parse_body(request, CreateSpace)
        space = create_space(
            caller=caller_of(request), name=body.name, description=body.description
        )
        return Response(render_space(space), status=201)


class SpaceView(ApiView):
    @operation(
        "spaces.getSpace",
        summary="Get a collaboration space",
        answers={200: CollaborationSpaceOut},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """Needs an admin key."""
        caller = caller_of(request)
        space = queries.find_space(caller, parse_path_id("collaboration_space", id))
        parse_nothing(request)
        require_admin(caller)
        return Response(render_space(space))

    @operation(
        "spaces.changeSpace",
        summary="Rename or describe a collaboration space anew",
        body=ChangeSpace,
        answers={200: CollaborationSpaceOut},
        errors=(NotFound, PolicyDenied),
    )
    def patch(self, request: Request, id: str) -> Response:
        """Needs an admin key."""
        caller = caller_of(request)
        found = queries.find_space(caller, parse_path_id("collaboration_space", id))
        body = parse_body(request, ChangeSpace)
        changed = change_space(
            caller=caller, space_id=found.id, name=body.name, description=body.description
        )
        return Response(render_space(changed))


class SpaceMembersView(ApiView):
    @operation(
        "spaces.listSpaceMembers",
        summary="List the members of a collaboration space",
        query=PagedQuery,
        answers={200: Listing[SpaceMemberOut]},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """Who was added last comes first. Needs an admin key."""
        caller = caller_of(request)
        space = queries.find_space(caller, parse_path_id("collaboration_space", id))
        query = parse_query(request, PagedQuery)
        require_admin(caller)
        rows, next_page = newest_first(queries.members_of(space), query, position=int)
        return Response(list_body([render_member(row) for row in rows], next_page))

    @operation(
        "spaces.addSpaceMember",
        summary="Add a member to a collaboration space",
        body=NewMember,
        answers={201: SpaceMemberOut},
        errors=(NotFound, PolicyDenied, Conflict),
    )
    def post(self, request: Request, id: str) -> Response:
        """What the space is granted reaches them at once. Needs an admin key."""
        caller = caller_of(request)
        space = queries.find_space(caller, parse_path_id("collaboration_space", id))
        body = parse_body(request, NewMember)
        kind = SpaceMember.Kind(body.kind)
        member = add_member(caller=caller, space_id=space.id, kind=kind, member_id=body.id)
        return Response(render_member(member), status=201)


class SpaceMemberView(ApiView):
    @operation(
        "spaces.removeSpaceMember",
        summary="Remove a member from a collaboration space",
        answers={204: None},
        errors=(NotFound, PolicyDenied),
    )
    def delete(self, request: Request, id: str, member: str) -> Response:
        """At once, also for answers under way. Needs an admin key."""
        caller = caller_of(request)
        space = queries.find_space(caller, parse_path_id("collaboration_space", id))
        member_id = _parse_member_id(member)
        parse_nothing(request)
        remove_member(caller=caller, space_id=space.id, member_id=member_id)
        return Response(status=204)


def _parse_member_id(text: str) -> str:
    try:
        return parse_id(kind_among(SpaceMember.Kind.values, text), text)
    except MalformedId as error:
        raise Malformed(f"The member's ID in the address is malformed: {error}.") from error
