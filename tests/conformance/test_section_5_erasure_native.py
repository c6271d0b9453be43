"""Contract S7: entered rounds are joined, and nothing of the native state is left."""

from typing import Any

import pytest

from jobs import leases
from jobs.models import Job
from memory.erasure.readback import look
from memory.models import ErasureReport, IdempotencyReceipt, Sink
from sessions.erasure import native
from sessions.models import Checkpoint, InputMount, MemoryCall, Round, SessionInput
from tests.agents import SESSIONS, checkpoint, working_ref
from tests.client import Api
from tests.kills import work_and_die
from tests.native import AtWork, at_work, call, enter, finish, native_scene, send_input
from tests.stores import put_operation
from tests.work import work_on_all

pytestmark = pytest.mark.django_db

PUT = put_operation("/a.md", "learned")
NATIVE = (MemoryCall, Round, InputMount, SessionInput)


@pytest.fixture
def work(workspace) -> AtWork:
    """A Session that mounts a store for writing."""
    return at_work(native_scene(workspace))


def _erase(api: Api, session: str) -> Any:
    return api.post(f"{SESSIONS}/{session}/erasure", key=None).ok(202)


def _told(api: Api, session: str) -> Any:
    return api.get(f"{SESSIONS}/{session}/erasure").ok()


@pytest.mark.parametrize("batch", [1, 500])
def test_S7_nothing_of_the_native_state_is_left(admin_api, work, monkeypatch, batch):
    monkeypatch.setattr(native, "BATCH", batch)
    accepted = work.input()
    first = work.round(accepted)
    sealed = call(work.agent, first, PUT).ok(201)["version"]
    finish(work.agent, first).ok()
    finish(work.agent, work.round(accepted)).ok()
    other = at_work(work.scene)
    kept = other.round()

    _erase(admin_api, work.session)
    work_on_all()

    assert _told(admin_api, work.session)["state"] == "erased"
    assert [model.objects.count() for model in NATIVE] == [0, 1, 1, 1]
    assert Round.objects.get().id == kept
    assert Checkpoint.objects.filter(version=sealed).exists()
    assert work.store.read("/a.md", sealed).ok()["content"] == "learned"
    told = IdempotencyReceipt.objects.filter(store=None).exclude(fingerprint=None)
    assert {next(iter(receipt.outcome.values())) for receipt in told if receipt.outcome} == {
        other.session,
        kept,
        SessionInput.objects.get().id,
    }


def test_X1_what_a_call_was_sent_with_is_forgotten_after_its_session_went(admin_api, work):
    work.store.put("/a.md", "learned").ok()
    entered = work.round()
    same = put_operation("/a.md", "learned", over="learned")
    assert call(work.agent, entered, same, key="same").ok(201)["version"] is None
    finish(work.agent, entered).ok()
    _erase(admin_api, work.session)
    work_on_all()

    admin_api.post(work.store.url("redactions"), {"paths": ["/a.md"]}).ok()

    assert IdempotencyReceipt.objects.get(key="same").fingerprint is None


def test_S7_an_entered_round_is_joined_and_writes_nothing_meanwhile(admin_api, work):
    entered, api = work.round(), work.scene.api

    _erase(admin_api, work.session)
    work_on_all()

    told = _told(admin_api, work.session)
    assert told["state"] == "pending"
    assert told["pending"] == [{"kind": "round", "id": entered, "store": None}]
    assert [model.objects.exists() for model in NATIVE] == [False, True, True, True]
    accepted = SessionInput.objects.get().id
    for refused in (
        call(api, entered, PUT),
        send_input(work.scene, work.session),
        enter(api, accepted),
    ):
        assert (refused.status, refused.error) == (403, "memory.read_only")
    finish(api, entered).ok()
    _erase(admin_api, work.session)
    work_on_all()
    assert _told(admin_api, work.session)["state"] == "erased"
    assert not SessionInput.objects.exists()


def test_S7_X4_native_state_that_is_left_keeps_its_sink_pending(admin_api, work):
    finish(work.agent, work.round()).ok()
    _erase(admin_api, work.session)
    report = ErasureReport.objects.get(operation="session_erasure")

    assert Sink.ROWS in look(report)
    assert SessionInput.objects.exists()
    work_on_all()
    assert look(report) == frozenset()


def test_S7_another_obstacle_does_not_hold_up_the_native_state(admin_api, work):
    finish(work.agent, work.round()).ok()
    shared = work.scene.shared("read", "write")
    working_ref(shared, work.session).ok(201)
    checkpoint(shared, work.session, PUT).ok()

    _erase(admin_api, work.session)
    work_on_all()

    assert [one["kind"] for one in _told(admin_api, work.session)["pending"]] == ["working_ref"]
    assert not SessionInput.objects.exists()
    assert Job.objects.get(kind="session.erase").state == "queued"


def test_S7_stopped_at_any_statement_the_native_state_goes_whole(admin_api, work, monkeypatch):
    monkeypatch.setattr(native, "BATCH", 1)
    monkeypatch.setattr(leases, "ATTEMPTS", 10_000)
    first = work.round()
    call(work.agent, first, PUT).ok(201)
    finish(work.agent, first).ok()
    _erase(admin_api, work.session)

    work_and_die()

    assert _told(admin_api, work.session)["state"] == "erased"
    assert [model.objects.exists() for model in NATIVE] == [False] * 4
