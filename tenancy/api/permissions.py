"""/v1/permission-assignments: who may do what (contract §0 "Grants")."""

from typing import Annotated, Final, Literal, TypedDict, cast

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from tenancy import queries
from tenancy.actions.permissions import assign, revoke
from tenancy.administration import require_admin, require_grant_authority
from tenancy.api.base import ApiView, caller_of
from tenancy.authority import Target
from tenancy.caller import Caller, Subject
from tenancy.models import Permission, PermissionAssignment, SubjectKind, TargetKind
from wire.errors import Conflict, NotFound, PolicyDenied
from wire.fields import IdOf
from wire.ids import kind_among
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, KindAndId, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

SubjectKindName = Literal["principal", "agent", "api_key", "session", "collaboration_space"]
TargetKindName = Literal["store", "agent", "session", "workspace"]
PermissionName = Literal["read", "write", "review", "act_as", "admin"]

SUBJECTS: Final = tuple(SubjectKind.values)
TARGETS: Final = tuple(TargetKind.values)


class GrantSubject(KindAndId):
    """Who is granted something. People and services are both `principal`."""

    kind: SubjectKindName


class GrantTarget(KindAndId):
    """What it is granted on. A grant on the Workspace covers its stores."""

    kind: TargetKindName


class CreatePermissionAssignment(Body):
    """A grant. No permission implies another; write, review and admin also need read."""

    subject: GrantSubject
    target: GrantTarget
    permissions: Annotated[list[PermissionName], Field(min_length=1, max_length=5)]


class AssignmentsQuery(PagedQuery):
    """Which assignments to list."""

    subject: Annotated[str, IdOf(*SUBJECTS)] | None = None
    """Only those of this holder."""
    target: Annotated[str, IdOf(*TARGETS)] | None = None
    """Only those on this target."""


class PartyOut(TypedDict):
    """A kind and an ID."""

    kind: str
    id: str | None


class PermissionAssignmentOut(TypedDict):
    """This subject has these permissions on this target."""

    id: str
    subject: PartyOut
    target: PartyOut
    permissions: list[PermissionName]
    created_at: str
    created_by: PartyOut


def render_assignment(row: PermissionAssignment) -> PermissionAssignmentOut:
    return {
        "id": row.id,
        "subject": {"kind": row.subject_kind, "id": row.subject_id},
        "target": {"kind": row.target_kind, "id": row.target_id},
        "permissions": cast("list[PermissionName]", row.permissions),
        "created_at": render_time(row.created_at),
        "created_by": {"kind": row.created_by_kind, "id": row.created_by_id},
    }


def require_list_authority(caller: Caller, query: AssignmentsQuery) -> None:
    """Admins list all of a Workspace; whoever holds `admin` on a store lists that store's."""
    if query.target is None:
        require_admin(caller)
    else:
        kind = TargetKind(kind_among(TARGETS, query.target))
        require_grant_authority(caller, Target(kind, query.target))


class PermissionAssignmentsView(ApiView):
    @operation(
        "permissionAssignments.listPermissionAssignments",
        summary="List permission assignments",
        query=AssignmentsQuery,
        answers={200: Listing[PermissionAssignmentOut]},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request) -> Response:
        """Newest first. Needs an admin key or, with `target` a store, `admin` on that store."""
        caller = caller_of(request)
        query = parse_query(request, AssignmentsQuery)
        require_list_authority(caller, query)
        found = queries.assignments(caller, subject_id=query.subject, target_id=query.target)
        rows, next_page = newest_first(found, query)
        return Response(list_body([render_assignment(row) for row in rows], next_page))

    @operation(
        "permissionAssignments.createPermissionAssignment",
        summary="Grant permissions",
        body=CreatePermissionAssignment,
        answers={201: PermissionAssignmentOut},
        errors=(NotFound, PolicyDenied, Conflict),
    )
    def post(self, request: Request) -> Response:
        """Needs an admin key or, on a store, `admin` on it; never a principal only named."""
        body = parse_body(request, CreatePermissionAssignment)
        assignment = assign(
            caller=caller_of(request),
            subject=Subject(SubjectKind(body.subject.kind), body.subject.id),
            target=Target(TargetKind(body.target.kind), body.target.id),
            permissions=[Permission(name) for name in body.permissions],
        )
        return Response(render_assignment(assignment), status=201)


class PermissionAssignmentView(ApiView):
    @operation(
        "permissionAssignments.getPermissionAssignment",
        summary="Get a permission assignment",
        answers={200: PermissionAssignmentOut},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """Needs an admin key or, on a store, `admin` on it."""
        caller = caller_of(request)
        found = queries.find_assignment(caller, parse_path_id("permission_assignment", id))
        parse_nothing(request)
        require_grant_authority(caller, Target.of(found))
        return Response(render_assignment(found))

    @operation(
        "permissionAssignments.revokePermissionAssignment",
        summary="Take a permission assignment back",
        answers={204: None},
        errors=(NotFound, PolicyDenied),
    )
    def delete(self, request: Request, id: str) -> Response:
        """At once, also for answers under way. Needs what granting it needs."""
        caller = caller_of(request)
        found = queries.find_assignment(caller, parse_path_id("permission_assignment", id))
        parse_nothing(request)
        revoke(caller=caller, assignment_id=found.id)
        return Response(status=204)
