"""Authority under contention: nobody keeps what was taken away, nothing is made twice."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import OperationalError, transaction

from tenancy import recheck
from tenancy.actions.agents import archive_agent
from tenancy.actions.keys import create_key, revoke_key
from tenancy.actions.permissions import assign, revoke
from tenancy.actions.principals import PrincipalChanges, change_principal, create_person
from tenancy.actions.workspaces import create_workspace, disable_workspace
from tenancy.authentication import acting_for, caller_of_key, find_credential_again
from tenancy.authority import Target, permissions_held
from tenancy.caller import Caller, Subject
from tenancy.models import (
    ApiKey,
    AuditEntry,
    Permission,
    PermissionAssignment,
    Principal,
    SubjectKind,
    TargetKind,
    User,
    Workspace,
)
from tenancy.recheck import recheck_authority
from tests.factories import (
    PASSWORD,
    caller_for,
    grant,
    make_agent,
    make_key,
    make_person,
    make_workspace,
    platform,
)
from tests.interleaving import PATIENCE, await_row_waiter, in_thread, without_transaction
from tests.race import outcomes, race
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    DisabledTenancy,
    InvalidKey,
    NotFound,
    PolicyDenied,
)

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 8


def epoch(workspace: Workspace) -> int:
    return Workspace.objects.get(id=workspace.id).authority_epoch


def test_the_same_grant_many_times_at_once_is_made_once():
    workspace = make_workspace()
    make = partial(
        assign,
        caller=platform(workspace),
        subject=Subject(SubjectKind.PRINCIPAL, make_person(workspace).id),
        target=Target(TargetKind.WORKSPACE, workspace.id),
        permissions=[Permission.READ],
    )
    before = epoch(workspace)

    results = race(*[make] * MANY)

    assert len(outcomes(results, PermissionAssignment)) == 1
    assert len(outcomes(results, Conflict)) == MANY - 1
    assert epoch(workspace) == before + 1
    assert AuditEntry.objects.filter(event="permission_assignment.created").count() == 1


def test_a_grant_revoked_many_times_at_once_is_revoked_once():
    workspace = make_workspace()
    assignment = grant(make_person(workspace), workspace, "read")
    take = partial(revoke, caller=platform(workspace), assignment_id=assignment.id)

    results = race(*[take] * MANY)

    assert results.count(None) == 1
    assert len(outcomes(results, NotFound)) == MANY - 1
    assert AuditEntry.objects.filter(event="permission_assignment.revoked").count() == 1


def test_a_key_revoked_many_times_at_once_is_revoked_once():
    workspace = make_workspace()
    key, _ = make_key(workspace)
    before = epoch(workspace)

    results = race(*[partial(revoke_key, caller=platform(workspace), key_id=key.id)] * MANY)

    assert len({one.revoked_at for one in outcomes(results, ApiKey)}) == 1
    assert epoch(workspace) == before + 1
    assert AuditEntry.objects.filter(event="api_key.revoked").count() == 1


def test_every_change_counts_in_the_epoch_however_many_come_at_once():
    workspace = make_workspace()
    agents = [make_agent(workspace) for _ in range(MANY)]
    before = epoch(workspace)

    race(*[partial(archive_agent, caller=platform(workspace), agent_id=a.id) for a in agents])

    assert epoch(workspace) == before + MANY


def test_one_name_is_given_to_one_workspace_and_one_username_to_one_person():
    named = race(*[partial(create_workspace, name="acme")] * MANY)
    workspace = outcomes(named, Workspace)[0]
    sign_up = partial(
        create_person,
        caller=platform(workspace),
        name="Person",
        username="person",
        password=PASSWORD,
    )
    people = race(*[sign_up] * MANY)

    assert [len(outcomes(named, Workspace)), len(outcomes(named, Conflict))] == [1, MANY - 1]
    assert [len(outcomes(people, Principal)), len(outcomes(people, Conflict))] == [1, MANY - 1]
    assert User.objects.count() == 1


def test_changes_of_different_fields_at_once_are_both_kept():
    workspace = make_workspace()
    person = make_person(workspace)
    change = partial(change_principal, caller=platform(workspace), principal_id=person.id)

    race(
        partial(change, changes=PrincipalChanges(name="Renamed")),
        partial(change, changes=PrincipalChanges(is_admin=True)),
    )

    person.refresh_from_db()
    assert (person.name, person.is_admin) == ("Renamed", True)


def _grant_admin(admin: Caller, accomplice: Principal) -> object:
    return assign(
        caller=admin,
        subject=Subject(SubjectKind.PRINCIPAL, accomplice.id),
        target=Target(TargetKind.WORKSPACE, admin.workspace_id),
        permissions=[Permission.READ],
    )


def _make_admin_key(admin: Caller, accomplice: Principal) -> object:
    return create_key(caller=admin, name="Back door", key_class=ApiKey.Class.ADMIN)


def _make_admin(admin: Caller, accomplice: Principal) -> object:
    changes = PrincipalChanges(is_admin=True)
    return change_principal(caller=admin, principal_id=accomplice.id, changes=changes)


@pytest.mark.parametrize("last_act", [_grant_admin, _make_admin_key, _make_admin])
def test_an_admin_who_is_being_removed_grants_nothing_any_more(last_act):
    workspace = make_workspace()
    admin, accomplice = make_person(workspace, is_admin=True), make_person(workspace)
    caller, remove = caller_for(admin), PrincipalChanges(is_admin=False)
    keys, grants = ApiKey.objects.count(), PermissionAssignment.objects.count()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            without_transaction(change_principal)(
                caller=platform(workspace), principal_id=admin.id, changes=remove
            )
            attempt = pool.submit(in_thread, partial(last_act, caller, accomplice))
            await_row_waiter()
        with pytest.raises(PolicyDenied):
            attempt.result(PATIENCE)

    accomplice.refresh_from_db()
    assert not accomplice.is_admin
    assert (ApiKey.objects.count(), PermissionAssignment.objects.count()) == (keys, grants)


def test_an_admin_may_step_back():
    workspace = make_workspace()
    admin = make_person(workspace, is_admin=True)
    step_back = PrincipalChanges(is_admin=False)

    change_principal(caller=caller_for(admin), principal_id=admin.id, changes=step_back)

    admin.refresh_from_db()
    assert not admin.is_admin


def acting(key: ApiKey, named: Principal) -> Caller:
    credential = find_credential_again(key.id, named.id)
    return acting_for(caller_of_key(credential.key), credential, named.id)


def test_r5_a_caller_whose_authority_stands_is_looked_up_afresh():
    workspace = make_workspace()
    person = make_person(workspace)
    key, _ = make_key(workspace, principal=person)
    named, gateway = make_person(workspace), make_key(workspace, may_act_for=[person])[0]
    callers = [caller_for(person), caller_for(key), platform(workspace), acting(gateway, person)]
    grant(named, workspace, "read")

    for caller in callers:
        fresh = recheck_authority(caller)
        assert fresh.authority_epoch > caller.authority_epoch
        assert (fresh.id, fresh.subjects) == (caller.id, caller.subjects)


def test_r5_a_key_revoked_meanwhile_is_401():
    workspace = make_workspace()
    key, _ = make_key(workspace)
    caller = caller_for(key)

    revoke_key(caller=platform(workspace), key_id=key.id)

    with pytest.raises(InvalidKey):
        recheck_authority(caller)


def test_r5_a_principal_or_workspace_disabled_meanwhile_is_403():
    workspace = make_workspace()
    person, other = make_person(workspace), make_person(workspace)
    signed_in, by_key = caller_for(other), caller_for(make_key(workspace, principal=person)[0])

    change_principal(
        caller=platform(workspace),
        principal_id=person.id,
        changes=PrincipalChanges(state=Principal.State.DISABLED),
    )
    with pytest.raises(DisabledTenancy):
        recheck_authority(by_key)
    disable_workspace(workspace_id=workspace.id)
    with pytest.raises(DisabledTenancy):
        recheck_authority(signed_in)


def test_r5_a_key_that_may_not_act_for_the_principal_any_more_is_403():
    workspace = make_workspace()
    named = make_person(workspace)
    key, _ = make_key(workspace, may_act_for=[named])
    caller = acting(key, named)

    key.may_act_for.clear()

    with pytest.raises(PolicyDenied):
        recheck_authority(caller)


def test_r5_a_grant_lost_meanwhile_is_lost():
    workspace = make_workspace()
    person = make_person(workspace)
    assignment = grant(person, workspace, "read")
    caller = caller_for(person)

    revoke(caller=platform(workspace), assignment_id=assignment.id)

    fresh = recheck_authority(caller)
    assert permissions_held(Target(TargetKind.WORKSPACE, workspace.id), fresh) == frozenset()
    assert fresh.authority_epoch > caller.authority_epoch


def test_r5_authority_that_cannot_be_evaluated_is_503(monkeypatch):
    caller = caller_for(make_key(make_workspace())[0])

    def fail(which: object, named: object) -> None:
        raise OperationalError("connection lost")

    monkeypatch.setattr(recheck, "find_credential_again", fail)

    with pytest.raises(AuthorizationUnavailable):
        recheck_authority(caller)
