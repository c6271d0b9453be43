"""/v1/workspace: the Workspace that the credential belongs to."""

from typing import Literal, TypedDict, cast

from rest_framework.request import Request
from rest_framework.response import Response

from tenancy import queries
from tenancy.api.base import ApiView, caller_of
from tenancy.models import Workspace
from wire.operations import operation
from wire.parsing import parse_nothing
from wire.times import render_time

StateName = Literal["active", "disabled"]


class WorkspaceOut(TypedDict):
    """One tenant."""

    id: str
    name: str
    state: StateName
    created_at: str


def render_workspace(workspace: Workspace) -> WorkspaceOut:
    return {
        "id": workspace.id,
        "name": workspace.name,
        "state": cast("StateName", workspace.state),
        "created_at": render_time(workspace.created_at),
    }


class WorkspaceView(ApiView):
    @operation(
        "workspaces.getWorkspace",
        summary="Get the Workspace of this key",
        answers={200: WorkspaceOut},
    )
    def get(self, request: Request) -> Response:
        """Any live key may ask."""
        parse_nothing(request)
        return Response(render_workspace(queries.workspace_of(caller_of(request))))
