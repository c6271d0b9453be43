"""The erasure of a Session against what is under way in it (contract S7, R5)."""

from collections.abc import Callable
from typing import Any

import pytest

from jobs.models import Job
from memory.actions.stores import Owner, StoreSettings, create_store
from memory.models import DocumentVersion, MemoryStore, OwnerKind
from sessions.access import open_session
from sessions.actions.erasure import erase_session
from sessions.actions.keys import create_session_key
from sessions.actions.runs import start_run
from sessions.actions.sessions import archive_session
from sessions.models import Checkpoint, Round, Run, Session, SessionInput
from tenancy.models import ApiKey
from tests.agents import (
    SESSIONS,
    at,
    capture,
    checkpoint,
    make_scene,
    mount,
    own_store,
    runner_of,
    settle,
    text,
    working_ref,
)
from tests.agents import start_run as ask_for_run
from tests.client import Answer
from tests.factories import caller_for, make_admin_key, make_workspace, platform
from tests.interleaving import answer_after, answer_when_stopped, without_transaction
from tests.native import at_work, call, finish, native_scene, send_input
from tests.race import outcomes, race
from tests.stores import StoreClient, put_operation
from tests.work import run_to_the_end, work_on_all
from wire.errors import ApiError

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scene():
    return make_scene(make_workspace())


@pytest.fixture
def work(scene):
    """A Session that mounts a personal store and has one of its own, where it wrote; its Run."""
    personal = scene.store()
    own, session = own_store(scene, mount(personal, "read_write", instructions="a secret"))
    working_ref(own, session).ok(201)
    checkpoint(own, session, put_operation("/a.md", "text")).ok()
    run = ask_for_run(scene, session).ok(201)["id"]
    return personal, own, session, run


def _erase(scene: Any, session: str) -> Job:
    return erase_session(access=open_session(platform(scene.workspace), session))


def _finish(session: str) -> None:
    for job in Job.objects.filter(state="queued").exclude(kind="erasure.read_back").order_by("id"):
        run_to_the_end(job)
    assert Session.objects.get(id=session).state == "erased"


WRITES: dict[str, tuple[Callable[..., Answer], str]] = {
    "checkpoint of its own": (
        lambda scene, personal, own, session, run: checkpoint(
            own, session, put_operation("/b.md", "late")
        ),
        "memory_treepage",
    ),
    "checkpoint elsewhere": (
        lambda scene, personal, own, session, run: checkpoint(
            personal, session, put_operation("/b.md", "late")
        ),
        "memory_treepage",
    ),
    "Run": (
        lambda scene, personal, own, session, run: ask_for_run(scene, session),
        "memory_idempotencyreceipt",
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_S7_a_write_under_way_is_refused_by_an_erasure(scene, work, name):
    write, reading = WRITES[name]
    personal, own, session, _ = work
    seen = at(personal, session)

    answer = answer_when_stopped(
        lambda: write(scene, *work),
        reading=reading,
        meanwhile=lambda: _erase(scene, session),
    )

    assert answer.error in {"memory.read_only", "memory.not_found"}
    _finish(session)
    assert at(personal, session) == seen
    assert not DocumentVersion.objects.filter(store=own.id).exists()
    assert Run.objects.filter(session=session).count() == 1


def test_S7_a_settlement_under_way_commits_nothing_and_its_run_stays_stopped(scene, work):
    personal, _, session, run = work
    runner, base = runner_of(scene), at(personal, session)
    body = capture(personal, base, text("/late.md", "late"))

    answer = answer_when_stopped(
        lambda: settle(runner, run, body),
        reading="memory_idempotencyreceipt",
        meanwhile=lambda: _erase(scene, session),
    )

    told = [(one["status"], one["version"]) for one in answer.ok()["results"]]
    assert (told, answer.ok()["state"]) == ([("conflict", None)], "stopped")
    assert Run.objects.get(id=run).state == "stopped"
    _finish(session)
    assert at(personal, session) == base


def test_S7_R5_words_that_were_read_before_are_not_sent_after(scene, work):
    _, _, session, _ = work

    answer = answer_after(
        lambda: scene.api.get(f"{SESSIONS}/{session}"),
        reading="agent_sessions_mount",
        meanwhile=lambda: without_transaction(erase_session)(
            access=open_session(platform(scene.workspace), session)
        ),
        publishing="tenancy_workspace",
    )

    assert (answer.status, answer.error) == (409, "memory.conflict")
    assert "a secret" not in answer.content.decode()


def test_S7_whatever_happens_at_once_leaves_nothing_of_its_own(scene, work):
    personal, own, session, run = work
    person = caller_for(scene.person)
    access = open_session(person, session)
    admin = caller_for(make_admin_key(scene.workspace)[0])
    runner, base = runner_of(scene), at(personal, session)
    seen, sealed = at(own, session), Checkpoint.objects.count()
    settings = StoreSettings(name="Late", owner=Owner(OwnerKind.SESSION, session))

    happened = race(
        lambda: _erase(scene, session),
        lambda: _erase(scene, session),
        lambda: checkpoint(own, session, put_operation("/b.md", "late"), base=seen),
        lambda: settle(runner, run, capture(personal, base, text("/b.md", "late"))),
        lambda: start_run(access=access),
        lambda: create_session_key(access=access, name="Late"),
        lambda: create_store(caller=admin, settings=settings),
        lambda: archive_session(access=access),
    )

    unexpected = [one for one in outcomes(happened, Exception) if not isinstance(one, ApiError)]
    assert unexpected == []
    _finish(session)
    assert {store.lifecycle for store in MemoryStore.objects.filter(owner_kind="session")} == {
        "deleted"
    }
    assert not ApiKey.objects.filter(session_uuid=session, revoked_at=None).exists()
    assert not Run.objects.filter(session=session, ended_at=None).exists()
    assert not DocumentVersion.objects.exclude(store=personal.id).exists()
    assert Checkpoint.objects.count() <= sealed
    assert Job.objects.filter(kind="session.erase").count() == 1


def test_S7_nobody_erases_whose_key_was_revoked_meanwhile(scene, work):
    _, _, session, _ = work
    key, _ = make_admin_key(scene.workspace)
    access = open_session(caller_for(key), session)
    ApiKey.objects.filter(id=key.id).update(revoked_at="2026-01-01T00:00Z")

    with pytest.raises(ApiError) as refused:
        erase_session(access=access)

    assert refused.value.type == "auth.invalid_key"
    assert Session.objects.get(id=session).state == "active"


def test_S7_a_store_of_its_own_that_is_begun_before_goes_with_it(scene, work):
    _, _, session, _ = work
    late = scene.store("read", "write", owner=Owner(OwnerKind.SESSION, session))
    client = StoreClient(scene.api, late.id)
    client.put("/a.md", "text").ok()

    _erase(scene, session)
    _finish(session)

    assert MemoryStore.objects.get(id=late.id).lifecycle == "deleted"


def test_S7_native_work_at_once_is_joined_or_refused_and_leaves_nothing():
    scene = native_scene(make_workspace())
    work = at_work(scene)
    first = work.round()
    put = put_operation("/a.md", "learned")

    happened = race(
        lambda: _erase(scene, work.session),
        lambda: call(scene.api, first, put),
        lambda: send_input(scene, work.session),
        lambda: finish(scene.api, first),
    )

    assert outcomes(happened, Exception) == []
    for entered in Round.objects.filter(state="entered"):
        finish(scene.api, entered.id).ok()
    work_on_all()
    assert Session.objects.get(id=work.session).state == "erased"
    assert not SessionInput.objects.exists()
    sealed = Checkpoint.objects.values_list("version", flat=True).first()
    assert at(work.store, work.session) == (sealed or work.store.canonical)
