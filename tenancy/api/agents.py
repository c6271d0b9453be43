"""/v1/agents: the agent definitions of the Workspace, for its admins."""

from typing import Annotated, Literal, TypedDict, cast

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from tenancy import queries
from tenancy.actions.agents import archive_agent, change_agent, create_agent
from tenancy.administration import require_admin
from tenancy.api.base import ApiView, caller_of
from tenancy.models import Agent
from wire.errors import NotFound, PolicyDenied, ReadOnly
from wire.fields import Name
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

StateName = Literal["active", "archived"]
Description = Annotated[str, Field(max_length=4_096)]


class CreateAgent(Body):
    """A new agent."""

    name: Name
    description: Description = ""


class ChangeAgent(Body):
    """New values; what is left out stays."""

    name: Name | None = None
    description: Description | None = None


class AgentOut(TypedDict):
    """An agent definition: what Sessions run, and a subject of grants of its own."""

    id: str
    name: str
    description: str
    state: StateName
    created_at: str


def render_agent(agent: Agent) -> AgentOut:
    return {
        "id": agent.id,
        "name": agent.name,
        "description": agent.description,
        "state": cast("StateName", agent.state),
        "created_at": render_time(agent.created_at),
    }


class AgentsView(ApiView):
    @operation(
        "agents.listAgents",
        summary="List the agents of the Workspace",
        query=PagedQuery,
        answers={200: Listing[AgentOut]},
        errors=(PolicyDenied,),
    )
    def get(self, request: Request) -> Response:
        """Newest first. Needs an admin key."""
        caller = caller_of(request)
        query = parse_query(request, PagedQuery)
        require_admin(caller)
        rows, next_page = newest_first(queries.agents(caller), query)
        return Response(list_body([render_agent(row) for row in rows], next_page))

    @operation(
        "agents.createAgent",
        summary="Make an agent",
        body=CreateAgent,
        answers={201: AgentOut},
        errors=(PolicyDenied,),
    )
    def post(self, request: Request) -> Response:
        """It holds no grant yet. Needs an admin key."""
        body = parse_body(request, CreateAgent)
        agent = create_agent(
            caller=caller_of(request), name=body.name, description=body.description
        )
        return Response(render_agent(agent), status=201)


class AgentView(ApiView):
    @operation(
        "agents.getAgent",
        summary="Get an agent",
        answers={200: AgentOut},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """Needs an admin key."""
        caller = caller_of(request)
        agent = queries.find_agent(caller, parse_path_id("agent", id))
        parse_nothing(request)
        require_admin(caller)
        return Response(render_agent(agent))

    @operation(
        "agents.changeAgent",
        summary="Rename or describe an agent anew",
        body=ChangeAgent,
        answers={200: AgentOut},
        errors=(NotFound, PolicyDenied, ReadOnly),
    )
    def patch(self, request: Request, id: str) -> Response:
        """An archived agent takes no changes. Needs an admin key."""
        caller = caller_of(request)
        found = queries.find_agent(caller, parse_path_id("agent", id))
        body = parse_body(request, ChangeAgent)
        changed = change_agent(
            caller=caller, agent_id=found.id, name=body.name, description=body.description
        )
        return Response(render_agent(changed))


class AgentArchiveView(ApiView):
    @operation(
        "agents.archiveAgent",
        summary="Archive an agent",
        answers={200: AgentOut},
        errors=(NotFound, PolicyDenied),
    )
    def post(self, request: Request, id: str) -> Response:
        """For good; archiving an archived agent changes nothing. Needs an admin key."""
        caller = caller_of(request)
        found = queries.find_agent(caller, parse_path_id("agent", id))
        parse_nothing(request)
        return Response(render_agent(archive_agent(caller=caller, agent_id=found.id)))
