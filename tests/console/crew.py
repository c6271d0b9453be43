"""An agent that the author of a scene may act as, and its Sessions."""

from dataclasses import dataclass
from typing import Any

from sessions.actions.sessions import create_session
from sessions.models import Access, SelectionKind
from sessions.mounts.admission import NewMount, NewSession
from sessions.mounts.selections import Selection
from sessions.queries.facts import Wish
from tenancy.models import Agent, Environment
from tests.console.conftest import Scene
from tests.factories import caller_for, grant, make_agent, make_environment


@dataclass(frozen=True)
class Crew:
    """A scene with who and what a Session needs."""

    scene: Scene
    agent: Agent
    environment: Environment

    def mount(self, version: str | None = None, access: str = "read_only") -> NewMount:
        """The scene's store, as it is or at an exact version."""
        exact = Selection(SelectionKind.VERSION, version) if version else None
        return NewMount(Wish(self.scene.store, Access(access), exact))

    def start(self, *mounts: NewMount, **more: Any) -> str:
        """The ID of a new Session of the author's."""
        wanted = NewSession(self.agent.id, self.environment.id, mounts=mounts, **more)
        return create_session(caller=caller_for(self.scene.author), wanted=wanted).session_id


def make_crew(scene: Scene) -> Crew:
    """An agent that reads and writes the store, and acts for the author."""
    agent = make_agent(scene.workspace, "Librarian")
    grant(agent, scene.store, "read", "write")
    grant(scene.author, agent, "act_as")
    return Crew(scene, agent, make_environment(scene.workspace, name="Laptops"))
