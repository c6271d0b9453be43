"""Principals behind sign-ins, as the Console asks for them."""

import pytest

from tenancy.actions.principals import create_principal
from tenancy.authentication import caller_of_person
from tenancy.models import Principal
from tenancy.queries import principals_of
from tests.factories import make_person, make_service, make_workspace, platform
from wire.errors import Conflict, Malformed, PolicyDenied

pytestmark = pytest.mark.django_db


def test_a_sign_in_is_a_principal_of_each_workspace_it_belongs_to(django_assert_num_queries):
    second, first = make_workspace("beta"), make_workspace("alpha")
    person = make_person(second, username="person", is_admin=True)
    assert person.user is not None
    create_principal(
        caller=platform(first), kind=Principal.Kind.PERSON, name="Person", user=person.user
    )
    make_person(first, username="somebody-else")

    with django_assert_num_queries(1):
        callers = [caller_of_person(principal) for principal in principals_of(person.user)]

    assert [caller.workspace_id for caller in callers] == [first.id, second.id]
    assert [caller.is_admin for caller in callers] == [False, True]
    assert {caller.kind for caller in callers} == {"principal"}


def test_a_sign_in_is_one_principal_in_a_workspace():
    person = make_person(make_workspace(), username="person")

    with pytest.raises(Conflict):
        create_principal(
            caller=platform(person.workspace),
            kind=Principal.Kind.PERSON,
            name="Again",
            user=person.user,
        )


def test_a_service_neither_signs_in_nor_administers(admin_api, workspace):
    answer = admin_api.post(
        "/v1/principals", {"kind": "service", "name": "Robot", "is_admin": True}
    )
    service = make_service(workspace)
    raised = admin_api.patch(f"/v1/principals/{service.id}", {"is_admin": True})

    assert answer.error == raised.error == "validation.malformed"
    with pytest.raises(Malformed):
        create_principal(
            caller=platform(workspace),
            kind=Principal.Kind.SERVICE,
            name="Robot",
            user=make_person(make_workspace(), username="person").user,
        )


def test_a_person_who_is_admin_administers_and_another_does_not(workspace):
    admin, other = make_person(workspace, is_admin=True), make_person(workspace)

    create_principal(caller=caller_of_person(admin), kind=Principal.Kind.SERVICE, name="Robot")
    with pytest.raises(PolicyDenied):
        create_principal(caller=caller_of_person(other), kind=Principal.Kind.SERVICE, name="Robot")


def test_a_principal_is_made_changed_and_read(admin_api):
    made = admin_api.post("/v1/principals", {"kind": "person", "name": "Person"}).ok(201)

    changed = admin_api.patch(
        f"/v1/principals/{made['id']}", {"name": "Somebody", "is_admin": True, "state": "disabled"}
    ).ok()

    assert made == changed | {"name": "Person", "is_admin": False, "state": "active"}
    assert made["can_sign_in"] is False
    assert admin_api.get(f"/v1/principals/{made['id']}").ok() == changed
    assert admin_api.patch(f"/v1/principals/{made['id']}", {}).ok() == changed
