"""The operator's commands: what was made stands alone on the last line; bad input is a sentence."""

import io
import subprocess
import sys
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tenancy.actions.workspaces import disable_workspace
from tenancy.models import ApiKey, PermissionAssignment, Principal, User, Workspace
from tests.client import Api, random_id
from tests.factories import PASSWORD, make_person, make_workspace

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    """Run a command; return the last line of its output."""
    output = io.StringIO()
    call_command(*arguments, stdout=output)
    return output.getvalue().splitlines()[-1]


def refused(*arguments: str) -> str:
    """Run a command that has to refuse; return its sentence."""
    output = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command(*arguments, stdout=output)
    assert output.getvalue() == ""
    assert caught.value.returncode == 1
    return str(caught.value)


@pytest.fixture
def password_from_stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))


def test_create_workspace_prints_its_id():
    made = run("create_workspace", "acme")

    assert Workspace.objects.get(name="acme").id == made


@pytest.mark.parametrize("name", ["", "-acme", "Acme", "a b", "a_b", "é", "a" * 64])
def test_create_workspace_takes_a_plain_name(name):
    assert "lowercase" in refused("create_workspace", "--", name)


def test_create_workspace_refuses_a_name_that_is_taken():
    workspace = make_workspace("acme")

    assert workspace.id in refused("create_workspace", "acme")


def test_create_key_prints_a_secret_that_works():
    workspace = make_workspace()
    person = make_person(workspace)

    secret = run(
        *("create_key", "--workspace", workspace.name, "--name", "Operator", "--class", "admin"),
        *("--principal", person.id),
    )

    assert Api(secret).get("/v1/principals").status == 200
    key = ApiKey.objects.get()
    assert (key.name, key.principal_id) == ("Operator", person.id)


def test_a_workspace_is_named_by_its_id_too():
    workspace = make_workspace()

    assert run("create_key", "--workspace", workspace.id, "--name", "A", "--class", "standard")


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"--workspace": "nowhere"}, "nowhere"),
        ({"--workspace": "wrkspc_12"}, "wrkspc_12"),
        ({"--class": "root"}, "admin or standard"),
        ({"--name": "A\nB"}, "one line"),
        ({"--principal": "somebody"}, "prin_"),
        ({"--principal": random_id("principal")}, "there is no prin_"),
    ],
)
def test_create_key_refuses_in_a_sentence(changed, named):
    given = {"--workspace": make_workspace().name, "--name": "A", "--class": "admin"} | changed

    assert named in refused("create_key", *_flat(given))
    assert not ApiKey.objects.exists()


def test_create_person_makes_a_sign_in(password_from_stdin, client):
    workspace = make_workspace()

    made = run(
        *("create_person", "--workspace", workspace.name, "--name", "Example Person"),
        *("--username", "person", "--admin", "--password-stdin"),
    )

    person = Principal.objects.get(id=made)
    assert (person.name, person.is_admin, person.kind) == ("Example Person", True, "person")
    assert client.login(username="person", password=PASSWORD)


def test_create_person_asks_for_the_password_twice(monkeypatch):
    answers = iter([PASSWORD, PASSWORD, PASSWORD, "something else entirely"])
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))
    given = ["create_person", "--workspace", make_workspace().name, "--name", "Person"]

    assert run(*given, "--username", "first")
    assert "differ" in refused(*given, "--username", "second")


@pytest.mark.parametrize(
    ("username", "password", "named"),
    [
        ("two words", PASSWORD, "username"),
        ("", PASSWORD, "username"),
        ("person", "short", "password"),
        ("person", "", "password"),
        ("taken", PASSWORD, "taken"),
    ],
)
def test_create_person_refuses_in_a_sentence(monkeypatch, username, password, named):
    workspace = make_workspace()
    make_person(workspace, username="taken")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))

    sentence = refused(
        *("create_person", "--workspace", workspace.name, "--name", "Person"),
        *("--username", username, "--password-stdin"),
    )

    assert named in sentence
    assert User.objects.count() == Principal.objects.count() == 1


def test_grant_prints_the_assignment():
    workspace = make_workspace()
    person = make_person(workspace)

    made = run(
        *("grant", "--workspace", workspace.name, "--subject", person.id),
        *("--target", workspace.id, "--permissions", "write,read"),
    )

    assignment = PermissionAssignment.objects.get(id=made)
    assert assignment.permissions == ["read", "write"]
    assert (assignment.subject_id, assignment.target_id) == (person.id, workspace.id)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"--subject": "somebody"}, "--subject"),
        ({"--subject": random_id("principal")}, "subject"),
        ({"--target": random_id("store")}, "target"),
        ({"--target": random_id("proposal")}, "--target"),
        ({"--permissions": "read,fly"}, "fly"),
        ({"--permissions": ""}, "--permissions"),
        ({"--permissions": "read,"}, "--permissions"),
    ],
)
def test_grant_refuses_in_a_sentence(changed, named):
    workspace = make_workspace()
    given = {
        "--workspace": workspace.name,
        "--subject": make_person(workspace).id,
        "--target": workspace.id,
        "--permissions": "read",
    }

    assert named in refused("grant", *_flat(given | changed))
    assert not PermissionAssignment.objects.exists()


def test_a_workspace_is_disabled_and_enabled():
    workspace = make_workspace()
    given = ("set_workspace_state", "--workspace", workspace.name, "--state")

    assert run(*given, "disabled") == "disabled"
    assert Workspace.objects.get(id=workspace.id).state == "disabled"
    assert run(*given, "active") == "active"
    assert "active or disabled" in refused(*given, "gone")


def test_the_operator_works_in_a_disabled_workspace():
    workspace = make_workspace()
    disable_workspace(workspace_id=workspace.id)

    assert run("create_key", "--workspace", workspace.name, "--name", "A", "--class", "admin")


def test_on_the_command_line_a_refusal_is_one_sentence_and_exit_1(tmp_path):
    nowhere = {"DATABASE_URL": f"postgres://nobody@{str(tmp_path).replace('/', '%2F')}/nothing"}

    unreachable = _manage("create_workspace", "acme", **nowhere)

    assert unreachable.returncode == 1
    assert unreachable.stdout == ""
    assert unreachable.stderr.strip() == "Refused: The database cannot be reached."


def _manage(*arguments: str, **environment: str) -> Any:
    import os

    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def _flat(options: dict[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in options.items()]
