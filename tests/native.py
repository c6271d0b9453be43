"""Working on inputs, as API clients see it: short words for rounds and their calls."""

from dataclasses import dataclass
from typing import Any

from tenancy.models import Workspace
from tests.agents import SESSIONS, Scene, agent_of, make_scene, mount
from tests.client import Answer, Api
from tests.stores import StoreClient


@dataclass
class AtWork:
    """A Session that mounts one store for writing, and its agent's key.

    `agent` speaks with a key of the Session, `scene.api` as the acting principal.
    """

    scene: Scene
    store: StoreClient
    session: str
    agent: Api

    def input(self, **more: Any) -> str:
        """A new input."""
        return str(send_input(self.scene, self.session, **more).ok(201)["id"])

    def round(self, input_id: str | None = None) -> str:
        """The next round of an input, or the first of a new one."""
        return str(enter(self.agent, input_id or self.input()).ok(201)["id"])

    def events(self, kind: str) -> list[Any]:
        """What the Session's log tells of one kind."""
        return self.scene.api.pages(f"{SESSIONS}/{self.session}/events", {"type": kind})


def native_scene(workspace: Workspace) -> Scene:
    """Everybody who takes part, where what runs writes by calls and lists no trees."""
    return make_scene(workspace, memory_writer="native", can_enumerate=False)


def at_work(scene: Scene, store: StoreClient | None = None, **more: Any) -> AtWork:
    """A Session that mounts a store for writing; `more` is said of the mount."""
    mounted = store or scene.store()
    session = scene.session(mount(mounted, "read_write", **more))["id"]
    return AtWork(scene, mounted, session, agent_of(scene, session))


def send_input(scene: Scene, session: str, *, key: str | None = "", **selected: Any) -> Answer:
    """Send an input; `selections` by mount: `m1={"kind": "canonical"}`."""
    selections = [
        {"mount": int(name[1:]), "selection": selection} for name, selection in selected.items()
    ]
    body = {"selections": selections} if selections else {}
    return scene.api.post(f"{SESSIONS}/{session}/inputs", body, key=key)


def enter(api: Api, input_id: str, *, key: str | None = "") -> Answer:
    """Enter the next round of an input."""
    return api.post(f"/v1/inputs/{input_id}/rounds", {}, key=key)


def finish(api: Api, round_id: str) -> Answer:
    """Finish a round."""
    return api.post(f"/v1/rounds/{round_id}/finish", key=None)


def call(
    api: Api,
    round_id: str,
    *operations: dict[str, Any],
    name: str = "call-1",
    at: int = 1,
    key: str | None = "",
    **more: Any,
) -> Answer:
    """Write in a round, to the mount `at`."""
    body = {"mount": at, "operations": list(operations), **more}
    return api.post(f"/v1/rounds/{round_id}/memory-calls/{name}", body, key=key)


def recover(api: Api, round_id: str, name: str = "call-1") -> Answer:
    """Ask for the receipt of a call."""
    return api.get(f"/v1/rounds/{round_id}/memory-calls/{name}")


def read(api: Api, round_id: str, path: str, *, at: int = 1) -> Answer:
    """Read a document in a round, of the mount `at`."""
    return api.get(f"/v1/rounds/{round_id}/mounts/{at}/document", {"path": path})


def listed(api: Api, round_id: str, *, at: int = 1, **query: Any) -> Answer:
    """List what a round reads of the mount `at`."""
    return api.get(f"/v1/rounds/{round_id}/mounts/{at}/documents", query)
