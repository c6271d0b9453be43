"""Contract §0: an audit row for each action, in its own transaction, without customer text."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable

import pytest
from django.db import transaction
from django.db.transaction import TransactionManagementError

import tenancy.actions
from tenancy.actions import (
    agents,
    environments,
    keys,
    passwords,
    permissions,
    principals,
    spaces,
    workspaces,
)
from tenancy.audit import record
from tenancy.authority import Target
from tenancy.caller import Subject
from tenancy.models import (
    AuditEntry,
    Environment,
    Permission,
    Principal,
    SubjectKind,
    TargetKind,
    Workspace,
)
from tests.factories import (
    PASSWORD,
    caller_for,
    grant,
    make_agent,
    make_environment,
    make_key,
    make_person,
    make_space,
    make_workspace,
    platform,
)
from wire.ids import new_id

CANARY = "canary text"
ABILITIES = environments.Abilities(can_enumerate=True, memory_writer=Environment.MemoryWriter.NONE)


def _target(workspace: Workspace) -> Target:
    return Target(TargetKind.WORKSPACE, workspace.id)


def _subject(workspace: Workspace) -> Subject:
    return Subject(SubjectKind.PRINCIPAL, make_person(workspace).id)


def _revoke_all(workspace: Workspace) -> None:
    grant(make_person(workspace), workspace, "read")
    with transaction.atomic():
        permissions.revoke_all_on(caller=platform(workspace), target=_target(workspace))


def _change_password(workspace: Workspace) -> None:
    person = make_person(workspace, username="canary")
    passwords.change_password(caller=caller_for(person), password=f"{CANARY}, and long enough")


ACTIONS: dict[Callable[..., object], tuple[str, Callable[[Workspace], object]]] = {
    workspaces.create_workspace: (
        "workspace.created",
        lambda _: workspaces.create_workspace(name="another"),
    ),
    workspaces.disable_workspace: (
        "workspace.disabled",
        lambda workspace: workspaces.disable_workspace(workspace_id=workspace.id),
    ),
    workspaces.enable_workspace: (
        "workspace.enabled",
        lambda workspace: (
            workspaces.disable_workspace(workspace_id=workspace.id),
            workspaces.enable_workspace(workspace_id=workspace.id),
        ),
    ),
    principals.create_principal: (
        "principal.created",
        lambda workspace: principals.create_principal(
            caller=platform(workspace), kind=Principal.Kind.SERVICE, name=CANARY
        ),
    ),
    principals.create_person: (
        "principal.created",
        lambda workspace: principals.create_person(
            caller=platform(workspace), name=CANARY, username="canary", password=PASSWORD
        ),
    ),
    principals.change_principal: (
        "principal.changed",
        lambda workspace: principals.change_principal(
            caller=platform(workspace),
            principal_id=make_person(workspace).id,
            changes=principals.PrincipalChanges(name=CANARY),
        ),
    ),
    agents.create_agent: (
        "agent.created",
        lambda workspace: agents.create_agent(
            caller=platform(workspace), name=CANARY, description=CANARY
        ),
    ),
    agents.change_agent: (
        "agent.changed",
        lambda workspace: agents.change_agent(
            caller=platform(workspace), agent_id=make_agent(workspace).id, description=CANARY
        ),
    ),
    agents.archive_agent: (
        "agent.archived",
        lambda workspace: agents.archive_agent(
            caller=platform(workspace), agent_id=make_agent(workspace).id
        ),
    ),
    environments.create_environment: (
        "environment.created",
        lambda workspace: environments.create_environment(
            caller=platform(workspace), name=CANARY, description=CANARY, abilities=ABILITIES
        ),
    ),
    environments.change_environment: (
        "environment.changed",
        lambda workspace: environments.change_environment(
            caller=platform(workspace),
            environment_id=make_environment(workspace).id,
            name=CANARY,
        ),
    ),
    environments.archive_environment: (
        "environment.archived",
        lambda workspace: environments.archive_environment(
            caller=platform(workspace), environment_id=make_environment(workspace).id
        ),
    ),
    spaces.create_space: (
        "collaboration_space.created",
        lambda workspace: spaces.create_space(
            caller=platform(workspace), name=CANARY, description=CANARY
        ),
    ),
    spaces.change_space: (
        "collaboration_space.changed",
        lambda workspace: spaces.change_space(
            caller=platform(workspace), space_id=make_space(workspace).id, description=CANARY
        ),
    ),
    spaces.add_member: (
        "collaboration_space.member_added",
        lambda workspace: make_space(workspace, make_person(workspace)),
    ),
    spaces.remove_member: (
        "collaboration_space.member_removed",
        lambda workspace: spaces.remove_member(
            caller=platform(workspace),
            space_id=make_space(workspace, agent := make_agent(workspace)).id,
            member_id=agent.id,
        ),
    ),
    keys.create_key: (
        "api_key.created",
        lambda workspace: keys.create_key(caller=platform(workspace), name=CANARY),
    ),
    keys.revoke_key: (
        "api_key.revoked",
        lambda workspace: keys.revoke_key(
            caller=platform(workspace), key_id=make_key(workspace)[0].id
        ),
    ),
    permissions.assign: (
        "permission_assignment.created",
        lambda workspace: permissions.assign(
            caller=platform(workspace),
            subject=_subject(workspace),
            target=_target(workspace),
            permissions=[Permission.READ],
        ),
    ),
    permissions.revoke: (
        "permission_assignment.revoked",
        lambda workspace: permissions.revoke(
            caller=platform(workspace),
            assignment_id=grant(make_person(workspace), workspace, "read").id,
        ),
    ),
    permissions.revoke_all_on: (
        "permission_assignment.revoked",
        _revoke_all,
    ),
    passwords.change_password: (
        "principal.password_changed",
        _change_password,
    ),
    permissions.assign_to_owner: (
        "permission_assignment.created",
        lambda workspace: permissions.assign_to_owner(
            caller=platform(workspace), subject=_subject(workspace), store_id=new_id("store")
        ),
    ),
}
"""Each action of tenancy: the event it records, and an occasion."""


def _public_actions() -> set[Callable[..., object]]:
    modules = [
        importlib.import_module(f"tenancy.actions.{found.name}")
        for found in pkgutil.iter_modules(tenancy.actions.__path__)
    ]
    return {
        function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def test_every_action_is_on_the_table():
    assert _public_actions() == set(ACTIONS)


@pytest.mark.django_db
@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.__name__)
def test_an_action_leaves_one_row_that_says_what_it_did(workspace, action):
    event, occasion = ACTIONS[action]
    before = AuditEntry.objects.filter(event=event).count()

    occasion(workspace)

    assert AuditEntry.objects.filter(event=event).count() == before + 1
    row = AuditEntry.objects.filter(event=event).latest("id")
    assert row.target_id is not None
    assert row.target_kind == event.split(".")[0]
    assert CANARY not in str(row.__dict__)


@pytest.mark.django_db
def test_actions_that_change_nothing_record_nothing(workspace):
    person, agent = make_person(workspace, "Same"), make_agent(workspace, "Same")
    workspaces.enable_workspace(workspace_id=workspace.id)
    before = AuditEntry.objects.count()

    principals.change_principal(
        caller=platform(workspace),
        principal_id=person.id,
        changes=principals.PrincipalChanges(name="Same", state=Principal.State.ACTIVE),
    )
    agents.change_agent(caller=platform(workspace), agent_id=agent.id, name="Same")
    workspaces.enable_workspace(workspace_id=workspace.id)

    assert AuditEntry.objects.count() == before


@pytest.mark.django_db(transaction=True)
def test_a_row_cannot_be_written_outside_the_mutations_transaction():
    workspace = make_workspace()

    with pytest.raises(TransactionManagementError):
        record(
            caller=platform(workspace),
            event="workspace.created",
            target_kind="workspace",
            target_id=workspace.id,
        )
