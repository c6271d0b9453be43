"""`manage.py load_demo`: once is enough, twice is harmless, half is mended."""

import re
import stat
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth import authenticate
from django.core.management import CommandError

from console.demo import (
    agent_at_work,
    agent_calling,
    agent_sessions,
    cast,
    credentials,
    desk,
    project_docs,
    stores,
)
from console.demo.credentials import credentials_path
from memory.models import MemoryStore
from tenancy.actions.keys import revoke_key
from tenancy.models import ApiKey, AuditEntry, Workspace
from tests.client import Api
from tests.demo.conftest import Load
from tests.demo.told import told
from tests.factories import make_person, make_workspace, platform

ROOMS = ("tenancy", "memory", "proposals", "agent_sessions")


def counts() -> dict[str, int]:
    """How many rows each table of ours has."""
    return {
        model._meta.label: model._default_manager.count()
        for room in ROOMS
        for model in apps.get_app_config(room).get_models()
    }


def secret_in(printed: str) -> str:
    found = re.search(r"ck_[\w-]{43}", printed)
    assert found
    return found[0]


def password_in(printed: str) -> str:
    found = re.search(r"password ([a-z0-9]{4}(?:-[a-z0-9]{4}){2}) ", printed)
    assert found
    return found[1]


def test_what_it_prints(load):
    lines = load().splitlines()
    assert lines[0].startswith("Sign in to the Workspace demo with the password ")
    assert lines[1:4] == [
        "  reviewer  decides on Proposals",
        "  author    writes, proposes, and starts Sessions of the agent",
        "  admin     administers, reads what it was granted",
    ]
    assert lines[4] == "API key of the service principal “Support assistant”"
    assert re.fullmatch(r"  ck_[\w-]{43}", lines[5])
    assert len(lines) == 6


def test_a_second_run_changes_nothing(load):
    printed, before = load(), counts()
    story = told()
    assert load() == printed
    assert counts() == before
    assert told() == story


def test_what_lets_people_in(load):
    printed = load()
    for username in ("reviewer", "author", "admin"):
        assert authenticate(username=username, password=password_in(printed))
    store = MemoryStore.objects.get(name="team-memory")
    api = Api(secret_in(printed))
    read = api.get(f"/v1/memory-stores/{store.id}/document", {"path": "/README.md"}).ok()
    assert read["content"].startswith("# Team memory\n")


def test_secrets_are_for_their_owner_only(load):
    load()
    path = credentials_path(Workspace.objects.get(name="demo"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [path] == list(path.parent.iterdir())


@pytest.mark.parametrize("damage", ["gone", "garbage"])
def test_a_lost_file_means_new_secrets(load, damage):
    old, story = load(), told()
    path = credentials_path(Workspace.objects.get(name="demo"))
    path.unlink() if damage == "gone" else path.write_text("{")
    new = load()
    assert secret_in(new) != secret_in(old)
    assert Api(secret_in(old)).get("/v1/memory-stores").status == 401
    assert len(Api(secret_in(new)).pages("/v1/memory-stores")) == 3
    assert authenticate(username="author", password=password_in(new))
    assert not authenticate(username="author", password=password_in(old))
    assert ApiKey.objects.filter(revoked_at=None).count() == 1
    assert told() == story
    assert load() == new


def test_what_people_did_since_stays(load):
    """Neither a revoked key nor an archived store comes back."""
    load()
    workspace = Workspace.objects.get(name="demo")
    revoke_key(caller=platform(workspace), key_id=ApiKey.objects.get(revoked_at=None).id)
    MemoryStore.objects.update(name="renamed", lifecycle="archived")
    before = counts()
    assert load().rstrip().endswith("  (revoked)")
    assert counts() == before


ACTIONS = (
    (cast, "create_person"),
    (cast, "create_principal"),
    (cast, "create_agent"),
    (cast, "create_environment"),
    (cast, "create_space"),
    (cast, "add_member"),
    (credentials, "create_key"),
    (project_docs, "import_store"),
    (stores, "create_store"),
    (stores, "assign"),
    (desk, "apply_change_set"),
    (desk, "redact"),
    (desk, "change_store"),
    (desk, "create_proposal"),
    (desk, "repropose"),
    (desk, "respond"),
    (agent_sessions, "create_session"),
    (agent_calling, "accept_input"),
    (agent_calling, "enter_round"),
    (agent_calling, "write_memory"),
    (agent_calling, "finish_round"),
    (agent_at_work, "archive_session"),
    (agent_at_work, "start_run"),
    (agent_at_work, "create_key"),
    (agent_at_work, "settle_run"),
    (agent_at_work, "revoke_key"),
)


class Interrupted(Exception):
    """The power went off."""


def test_a_load_cut_short_goes_on(load, monkeypatch):
    """After every single action the power goes off; the story ends all the same."""
    cut: list[str] = []
    for module, name in ACTIONS:
        monkeypatch.setattr(module, name, _then_the_power_fails(getattr(module, name), cut))
    while (printed := _load_unless_interrupted(load)) is None:
        pass
    assert len(cut) > 40
    assert [(store.name, len(store.messages), len(store.proposals)) for store in told()] == [
        ("project-docs", 3, 1),
        ("team-memory", 22, 11),
        ("assistant-notes", 4, 0),
        ("desk-notes", 4, 0),
    ]
    assert load() == printed
    assert AuditEntry.objects.filter(event="demo.loaded").count() == 1


def _load_unless_interrupted(load: Load) -> str | None:
    try:
        return load()
    except Interrupted:
        return None


def _then_the_power_fails(action: Callable[..., Any], cut: list[str]) -> Callable[..., Any]:
    def run(**arguments: Any) -> Any:
        done = action(**arguments)
        if getattr(done, "replayed", False):  # nothing was done: it was before the power went off
            return done
        # A key whose secret was not kept is made again at the next try, so cut that once only.
        if action.__name__ != "create_key" or "create_key" not in cut:
            cut.append(action.__name__)
            raise Interrupted
        return done

    return run


def test_somebody_elses_workspace(load):
    workspace = make_workspace("demo")
    make_person(workspace)
    with pytest.raises(CommandError, match="which is not the demo's"):
        load()
    assert not MemoryStore.objects.exists()


def test_somebody_elses_username(load):
    make_person(make_workspace(), username="author")
    with pytest.raises(CommandError, match="The username author is taken"):
        load()
