"""/v1/environments: where Sessions run, and what memory can be there (contract S1)."""

from typing import Annotated, Literal, TypedDict, cast

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from tenancy import queries
from tenancy.actions.environments import (
    Abilities,
    archive_environment,
    change_environment,
    create_environment,
)
from tenancy.api.base import ApiView, caller_of
from tenancy.models import Environment
from wire.errors import NotFound, PolicyDenied, ReadOnly
from wire.fields import Name
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

StateName = Literal["active", "archived"]
MemoryWriterName = Literal["native", "capture", "none"]
Description = Annotated[str, Field(max_length=4_096)]


class CreateEnvironment(Body):
    """A new environment. What it can do never changes: make another one instead."""

    name: Name
    description: Description = ""
    can_enumerate: bool
    """Whether it can list a whole mounted tree, which a capture needs."""
    memory_writer: MemoryWriterName
    """How what an agent writes becomes a version: by calls, by captures, or not at all."""


class ChangeEnvironment(Body):
    """New values; what is left out stays."""

    name: Name | None = None
    description: Description | None = None


class EnvironmentOut(TypedDict):
    """Where Sessions run, and what the machinery there can do with mounted memory."""

    id: str
    name: str
    description: str
    can_enumerate: bool
    memory_writer: MemoryWriterName
    state: StateName
    created_at: str


def render_environment(environment: Environment) -> EnvironmentOut:
    return {
        "id": environment.id,
        "name": environment.name,
        "description": environment.description,
        "can_enumerate": environment.can_enumerate,
        "memory_writer": cast("MemoryWriterName", environment.memory_writer),
        "state": cast("StateName", environment.state),
        "created_at": render_time(environment.created_at),
    }


class EnvironmentsView(ApiView):
    @operation(
        "environments.listEnvironments",
        summary="List the environments of the Workspace",
        query=PagedQuery,
        answers={200: Listing[EnvironmentOut]},
    )
    def get(self, request: Request) -> Response:
        """Newest first. Whoever starts Sessions chooses one of them."""
        caller = caller_of(request)
        query = parse_query(request, PagedQuery)
        rows, next_page = newest_first(queries.environments(caller), query)
        return Response(list_body([render_environment(row) for row in rows], next_page))

    @operation(
        "environments.createEnvironment",
        summary="Make an environment",
        body=CreateEnvironment,
        answers={201: EnvironmentOut},
        errors=(PolicyDenied,),
    )
    def post(self, request: Request) -> Response:
        """Needs an admin key."""
        body = parse_body(request, CreateEnvironment)
        writer = Environment.MemoryWriter(body.memory_writer)
        environment = create_environment(
            caller=caller_of(request),
            name=body.name,
            description=body.description,
            abilities=Abilities(body.can_enumerate, writer),
        )
        return Response(render_environment(environment), status=201)


class EnvironmentView(ApiView):
    @operation(
        "environments.getEnvironment",
        summary="Get an environment",
        answers={200: EnvironmentOut},
        errors=(NotFound,),
    )
    def get(self, request: Request, id: str) -> Response:
        """Any live key may ask."""
        found = queries.find_environment(caller_of(request), parse_path_id("environment", id))
        parse_nothing(request)
        return Response(render_environment(found))

    @operation(
        "environments.changeEnvironment",
        summary="Rename or describe an environment anew",
        body=ChangeEnvironment,
        answers={200: EnvironmentOut},
        errors=(NotFound, PolicyDenied, ReadOnly),
    )
    def patch(self, request: Request, id: str) -> Response:
        """An archived environment takes no changes. Needs an admin key."""
        caller = caller_of(request)
        found = queries.find_environment(caller, parse_path_id("environment", id))
        body = parse_body(request, ChangeEnvironment)
        changed = change_environment(
            caller=caller, environment_id=found.id, name=body.name, description=body.description
        )
        return Response(render_environment(changed))


class EnvironmentArchiveView(ApiView):
    @operation(
        "environments.archiveEnvironment",
        summary="Archive an environment",
        answers={200: EnvironmentOut},
        errors=(NotFound, PolicyDenied),
    )
    def post(self, request: Request, id: str) -> Response:
        """For good: no Session starts there any more. Needs an admin key."""
        caller = caller_of(request)
        found = queries.find_environment(caller, parse_path_id("environment", id))
        parse_nothing(request)
        archived = archive_environment(caller=caller, environment_id=found.id)
        return Response(render_environment(archived))
