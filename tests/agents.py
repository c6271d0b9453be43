"""Agents at work, as API clients see them: who takes part, and short words for Sessions."""

from dataclasses import dataclass
from typing import Any

from memory.actions.stores import Owner, StoreSettings, create_store
from memory.models import OwnerKind
from tenancy.models import Agent, Environment, Permission, Principal, Workspace
from tests.client import Answer, Api
from tests.factories import (
    caller_for,
    grant,
    make_admin_key,
    make_agent,
    make_environment,
    make_key,
    make_person,
    make_runner_key,
    make_space,
)
from tests.stores import StoreClient, hash_of

SESSIONS = "/v1/sessions"


@dataclass
class Scene:
    """A person, an agent that the person may act through, and an environment.

    `api` speaks with a key that is bound to the person.
    """

    workspace: Workspace
    person: Principal
    agent: Agent
    environment: Environment
    api: Api

    def store(
        self,
        *permissions: Permission | str,
        owner: Owner | None = None,
        agent: tuple[str, ...] = ("read", "write"),
    ) -> StoreClient:
        """A store of the person's own, or of another owner with grants for the person.

        Args:
            permissions: what the person is granted beside what an owner gets.
            agent: what the agent is granted.
        """
        settings = StoreSettings(
            name="Memory", owner=owner or Owner(OwnerKind.PRINCIPAL, self.person.id)
        )
        maker = caller_for(make_admin_key(self.workspace)[0])
        store_id = create_store(caller=maker, settings=settings).store_id
        if permissions:
            grant(self.person, store_id, *permissions)
        if agent:
            grant(self.agent, store_id, *agent)
        return StoreClient(self.api, store_id)

    def shared(self, *permissions: Permission | str) -> StoreClient:
        """A store of the Workspace that person and agent may read and write."""
        owner = Owner(OwnerKind.WORKSPACE, self.workspace.id)
        return self.store(*(permissions or ("read", "write")), owner=owner)

    def start(self, *mounts: dict[str, Any], key: str | None = "", **more: Any) -> Answer:
        """Ask for a Session with these mounts."""
        body = {
            "agent": self.agent.id,
            "environment": self.environment.id,
            "mounts": list(mounts),
            **more,
        }
        return self.api.post(SESSIONS, body, key=key)

    def session(self, *mounts: dict[str, Any], **more: Any) -> dict[str, Any]:
        """A Session with these mounts."""
        made: dict[str, Any] = self.start(*mounts, **more).ok(201)
        return made

    def in_space(self, kind: str = "private") -> dict[str, str]:
        """A shared place."""
        return {"kind": kind, "space": make_space(self.workspace).id}


def mount(store: StoreClient | str, access: str = "read_only", **more: Any) -> dict[str, Any]:
    """A mount as requests spell it."""
    store_id = store if isinstance(store, str) else store.id
    return {"store": store_id, "access": access, **more}


def exactly(version: str) -> dict[str, str]:
    """The selection of an exact version."""
    return {"kind": "version", "version": version}


def make_scene(
    workspace: Workspace, *, memory_writer: str = "capture", can_enumerate: bool = True
) -> Scene:
    """Everybody who takes part, in a Workspace."""
    person, agent = make_person(workspace), make_agent(workspace)
    grant(person, agent, "act_as")
    environment = make_environment(
        workspace, memory_writer=memory_writer, can_enumerate=can_enumerate
    )
    return Scene(
        workspace, person, agent, environment, Api(make_key(workspace, principal=person)[1])
    )


def own_store(scene: Scene, *mounts: dict[str, Any]) -> tuple[StoreClient, str]:
    """A store that a new Session owns, which person and agent may write, and that Session's ID."""
    session = scene.session(*mounts)["id"]
    return scene.store("read", "write", owner=Owner(OwnerKind.SESSION, session)), session


def agent_of(scene: Scene, session_id: str) -> Api:
    """A client with a key of the Session."""
    made = scene.api.post(f"{SESSIONS}/{session_id}/keys", {"name": "Worker"}).ok(201)
    return Api(made["secret"])


def start_run(scene: Scene, session_id: str, *, key: str | None = "") -> Answer:
    """Ask for a Run."""
    return scene.api.post(f"{SESSIONS}/{session_id}/runs", {}, key=key)


def runner_of(scene: Scene) -> Api:
    """A client with a runner's key of the environment."""
    return Api(make_runner_key(scene.workspace, scene.environment)[1])


def text(path: str, content: str, **more: Any) -> dict[str, Any]:
    """A captured document with its text."""
    return {"path": path, "content": content, **more}


def kept(path: str, content: str) -> dict[str, Any]:
    """A captured document that is unchanged, by its hash."""
    return {"path": path, "content_sha256": hash_of(content)}


def capture(
    store: StoreClient, base: str, *documents: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """A store as a runner found it."""
    return {
        "store": store.id,
        "base_version": base,
        "complete": True,
        "entry_count": len(documents),
        "reader": "walker/1.0",
        "documents": list(documents),
        **more,
    }


def settle(runner: Api, run_id: str, *captures: dict[str, Any], key: str | None = "") -> Answer:
    """Settle a Run."""
    return runner.post(f"/v1/runs/{run_id}/settlement", {"captures": list(captures)}, key=key)


def working_ref(store: StoreClient, session_id: str, **more: Any) -> Answer:
    """Ask for a Session's working ref."""
    return store.api.post(store.url("working-refs"), {"session": session_id}, **more)


def checkpoint(
    store: StoreClient,
    session_id: str,
    *operations: dict[str, Any],
    base: str | None = None,
    key: str | None = "",
    **more: Any,
) -> Answer:
    """Seal operations on a base, or on where the working ref is now."""
    body = {"base_version": base or at(store, session_id), "operations": list(operations), **more}
    return store.api.post(store.url(f"working-refs/{session_id}/checkpoint"), body, key=key)


def at(store: StoreClient, session_id: str) -> str:
    """Where a Session's working ref is; canonical while there is none."""
    refs = {ref.get("session"): ref["version"] for ref in store.pages("refs")}
    return str(refs.get(session_id) or refs[None])
