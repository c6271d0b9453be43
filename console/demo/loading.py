"""Loading the demo, from nothing or from wherever an earlier load was cut short."""

from collections.abc import Mapping
from typing import Final

from console.demo.agent_at_work import load_agent_at_work
from console.demo.assistant_notes import load_assistant_notes
from console.demo.cast import Cast, gather
from console.demo.credentials import Credentials, find_key, settle_credentials
from console.demo.desk import Role
from console.demo.milestones import Milestone, reach, reached
from console.demo.project_docs import load_project_docs
from console.demo.team_memory import load_team_memory
from tenancy.actions.workspaces import create_workspace
from tenancy.authentication import caller_of_key, caller_of_person
from tenancy.caller import Caller
from tenancy.models import Workspace
from wire.errors import Conflict

WORKSPACE: Final = "demo"


def load_demo() -> tuple[Workspace, Credentials]:
    """Load what is missing, unless a load has come to its end before.

    Returns:
        The Workspace, and what lets people and programs in.

    Raises:
        Conflict: a Workspace or a username of the demo's is somebody else's.
    """
    workspace = _own_workspace()
    credentials = settle_credentials(workspace)
    if not reached(workspace, Milestone.LOADED):
        _load(workspace, credentials)
        reach(workspace, Milestone.LOADED)
    return workspace, credentials


def _own_workspace() -> Workspace:
    found = Workspace.objects.filter(name=WORKSPACE).first()
    workspace = found or create_workspace(name=WORKSPACE)
    if not reached(workspace, Milestone.BEGUN):
        if workspace.principals.exists():
            raise Conflict(f"There is a Workspace called {WORKSPACE}, which is not the demo's.")
        reach(workspace, Milestone.BEGUN)
    return workspace


def _load(workspace: Workspace, credentials: Credentials) -> None:
    cast = gather(workspace, credentials.password)
    callers = _callers(cast, credentials)
    load_project_docs(cast, callers)
    load_team_memory(cast, callers)
    load_assistant_notes(cast, callers)
    load_agent_at_work(cast, callers)


def _callers(cast: Cast, credentials: Credentials) -> Mapping[Role, Caller]:
    key = find_key(cast.workspace, credentials.secret)
    assert key is not None
    return {
        Role.AUTHOR: caller_of_person(cast.author),
        Role.REVIEWER: caller_of_person(cast.reviewer),
        Role.ADMIN: caller_of_person(cast.admin),
        Role.ASSISTANT: caller_of_key(key),
    }
