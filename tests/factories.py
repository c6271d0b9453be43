"""What tests stand on, made by the same actions as everything else, so that invariants hold."""

from collections.abc import Collection
from datetime import datetime
from itertools import count
from typing import Any

from memory.actions.stores import Owner, StoreSettings, create_store
from memory.models import OwnerKind
from tenancy.actions.agents import create_agent
from tenancy.actions.environments import Abilities, create_environment
from tenancy.actions.keys import create_key
from tenancy.actions.permissions import assign
from tenancy.actions.principals import create_person, create_principal
from tenancy.actions.spaces import add_member, create_space
from tenancy.actions.workspaces import create_workspace
from tenancy.authentication import caller_of_key, caller_of_person
from tenancy.authority import Target
from tenancy.caller import Caller, Subject, platform_caller
from tenancy.models import (
    Agent,
    ApiKey,
    CollaborationSpace,
    Environment,
    Permission,
    PermissionAssignment,
    Principal,
    SpaceMember,
    SubjectKind,
    TargetKind,
    Workspace,
)
from wire.ids import kind_among

PASSWORD = "an example of a password"

_numbers = count(1)

_SUBJECT_KINDS: dict[type, SubjectKind] = {
    Principal: SubjectKind.PRINCIPAL,
    Agent: SubjectKind.AGENT,
    ApiKey: SubjectKind.API_KEY,
    CollaborationSpace: SubjectKind.COLLABORATION_SPACE,
}


def make_workspace(name: str | None = None) -> Workspace:
    return create_workspace(name=name or f"workspace-{next(_numbers)}")


def platform(workspace: Workspace) -> Caller:
    """The operator's own Caller: administers, holds no grant."""
    return platform_caller(Workspace.objects.get(id=workspace.id))


def make_person(
    workspace: Workspace,
    name: str = "Person",
    *,
    username: str | None = None,
    password: str = PASSWORD,
    is_admin: bool = False,
) -> Principal:
    """A person; with a sign-in when a username is given."""
    if username is None:
        return create_principal(
            caller=platform(workspace),
            kind=Principal.Kind.PERSON,
            name=name,
            is_admin=is_admin,
        )
    return create_person(
        caller=platform(workspace),
        name=name,
        username=username,
        password=password,
        is_admin=is_admin,
    )


def make_service(workspace: Workspace, name: str = "Service") -> Principal:
    return create_principal(caller=platform(workspace), kind=Principal.Kind.SERVICE, name=name)


def make_agent(workspace: Workspace, name: str = "Agent") -> Agent:
    return create_agent(caller=platform(workspace), name=name)


def make_environment(
    workspace: Workspace,
    *,
    can_enumerate: bool = True,
    memory_writer: Environment.MemoryWriter | str = Environment.MemoryWriter.CAPTURE,
    name: str = "Environment",
) -> Environment:
    abilities = Abilities(can_enumerate, Environment.MemoryWriter(memory_writer))
    return create_environment(caller=platform(workspace), name=name, abilities=abilities)


def make_space(
    workspace: Workspace, *members: Principal | Agent, name: str = "Space"
) -> CollaborationSpace:
    """A space with these members."""
    space = create_space(caller=platform(workspace), name=name)
    for member in members:
        kind = SpaceMember.Kind(_SUBJECT_KINDS[type(member)])
        add_member(caller=platform(workspace), space_id=space.id, kind=kind, member_id=member.id)
    return space


def make_key(
    workspace: Workspace,
    *,
    principal: Principal | None = None,
    may_act_for: Collection[Principal] = (),
    key_class: ApiKey.Class = ApiKey.Class.STANDARD,
    expires_at: datetime | None = None,
    name: str = "Key",
) -> tuple[ApiKey, str]:
    """A key and its secret."""
    return create_key(
        caller=platform(workspace),
        name=name,
        key_class=key_class,
        principal_id=principal.id if principal else None,
        may_act_for=[one.id for one in may_act_for],
        expires_at=expires_at,
    )


def make_runner_key(workspace: Workspace, *environments: Environment) -> tuple[ApiKey, str]:
    """A key that settles Runs of these environments."""
    return create_key(
        caller=platform(workspace),
        name="Runner",
        key_class=ApiKey.Class.RUNNER,
        environment_ids=[one.id for one in environments],
    )


def make_admin_key(workspace: Workspace) -> tuple[ApiKey, str]:
    return make_key(workspace, key_class=ApiKey.Class.ADMIN, name="Admin key")


def make_store(workspace: Workspace, name: str = "Store", *, owner: Owner | None = None) -> str:
    """The ID of an empty store, the Workspace's own unless an owner is given."""
    maker = caller_for(make_admin_key(workspace)[0])
    settings = StoreSettings(name=name, owner=owner or Owner(OwnerKind.WORKSPACE, workspace.id))
    return create_store(caller=maker, settings=settings).store_id


def grant(
    subject: Principal | Agent | ApiKey | CollaborationSpace,
    target: Any,
    *permissions: Permission | str,
) -> PermissionAssignment:
    """Grant permissions (`"read"`, `"write"` …) on a Workspace, store or agent, or on its ID."""
    return assign(
        caller=platform(subject.workspace),
        subject=Subject(_SUBJECT_KINDS[type(subject)], subject.id),
        target=_target(target),
        permissions=[Permission(permission) for permission in permissions],
    )


def _target(thing: Any) -> Target:
    target_id = thing if isinstance(thing, str) else thing.id
    return Target(TargetKind(kind_among(TargetKind.values, target_id)), target_id)


def caller_for(who: Principal | ApiKey) -> Caller:
    """The Caller of a person signed in now, or of a key used now."""
    if isinstance(who, ApiKey):
        keys = ApiKey.objects.select_related("workspace", "principal")
        return caller_of_key(keys.get(id=who.id))
    return caller_of_person(Principal.objects.select_related("workspace").get(id=who.id))
