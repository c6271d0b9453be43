"""Who works in Sessions that are measured: an agent, where it runs, and a runner."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.world import Shelf, World
from sessions.access import open_session
from sessions.actions.runs import start_run
from sessions.actions.sessions import create_session
from sessions.models import Access
from sessions.mounts.admission import NewMount, NewSession
from sessions.queries.facts import Wish
from tenancy.models import Agent, ApiKey, Environment
from tests.factories import caller_for, grant, make_agent, make_environment, make_runner_key


@dataclass(frozen=True)
class Crew:
    """The agent that is at work, and where; the owner of all stores is the acting principal."""

    world: World
    agent: Agent
    environment: Environment
    runner: ApiKey
    runner_secret: str

    @classmethod
    def make(cls, world: World) -> "Crew":
        """An agent that the owner may act through, in an environment with a runner."""
        workspace = world.owner.workspace
        agent, environment = make_agent(workspace), make_environment(workspace)
        grant(world.owner, agent, "act_as")
        return cls(world, agent, environment, *make_runner_key(workspace, environment))

    def shelf(self, size: int) -> Shelf:
        """A store that the agent may read and write, too."""
        shelf = self.world.shelf(size)
        grant(self.agent, shelf.id, "read", "write")
        return shelf

    def wanted(self, shelves: Sequence[Shelf]) -> NewSession:
        """A Session that mounts some stores for writing."""
        mounts = tuple(NewMount(Wish(shelf.id, Access.READ_WRITE)) for shelf in shelves)
        return NewSession(self.agent.id, self.environment.id, mounts=mounts)

    def begin(self, shelves: Sequence[Shelf]) -> str:
        """Make such a Session."""
        caller = caller_for(self.world.owner)
        return create_session(caller=caller, wanted=self.wanted(shelves)).session_id

    def start(self, session_id: str) -> str:
        """Start a Run."""
        caller = caller_for(self.world.owner)
        return start_run(access=open_session(caller, session_id)).require()
