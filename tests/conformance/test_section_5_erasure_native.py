"""Contract S7: entered rounds are joined, and nothing of the native state is left."""

from typing import Any

import pytest

from jobs import leases
from jobs.models import Job
from memory.actions.change_sets import Operation
from memory.erasure.readback import look
from memory.models import ErasureReport, IdempotencyReceipt, Sink
from memory.versions import Put
from sessions.access import SessionAccess, open_session
from sessions.actions.calls import NewCall, write_memory
from sessions.actions.inputs import accept_input
from sessions.actions.rounds import enter_round, finish_round
from sessions.erasure import native
from sessions.models import Checkpoint, InputMount, MemoryCall, Round, SessionInput
from sessions.native import open_use
from sessions.queries.rounds import find_input, find_round
from tests.agents import SESSIONS, make_scene, mount
from tests.client import Api, random_id
from tests.factories import caller_for
from tests.kills import work_and_die
from tests.work import take_turns, work_on_all
from wire.errors import ReadOnly
from wire.idempotency import IdempotencyKey

pytestmark = pytest.mark.django_db

NATIVE = (MemoryCall, Round, InputMount, SessionInput)


@pytest.fixture
def scene(workspace):
    return make_scene(workspace, memory_writer="native", can_enumerate=False)


@pytest.fixture
def store(scene):
    return scene.store()


@pytest.fixture
def session(scene, store):
    return scene.session(mount(store, "read_write"))["id"]


@pytest.fixture
def access(scene, session):
    """The Session as its acting principal knows it."""
    return open_session(caller_for(scene.person), session)


def _key() -> IdempotencyKey:
    return IdempotencyKey(random_id("run"), bytes(32))


def _enter(access: SessionAccess, input_id: str | None = None) -> Round:
    """The next round of an input, or the first of a new one."""
    accepted = input_id or accept_input(access=access, key=_key()).require()
    to = find_input(access.caller, accepted)
    entered = enter_round(access=access, to=to, key=_key())
    return find_round(access.caller, entered.round_id)


def _write(access: SessionAccess, entered: Round, path: str = "/a.md") -> MemoryCall:
    put = Operation(path, Put("learned", "text/markdown", None), None)
    use = open_use(access, entered, 1)
    return write_memory(use=use, wanted=NewCall("call-1", (put,)), key=_key()).call


def _erase(api: Api, session: str) -> Any:
    return api.post(f"{SESSIONS}/{session}/erasure", key=None).ok(202)


def _told(api: Api, session: str) -> Any:
    return api.get(f"{SESSIONS}/{session}/erasure").ok()


@pytest.mark.parametrize("batch", [1, 500])
def test_S7_nothing_of_the_native_state_is_left(
    admin_api, scene, store, session, access, monkeypatch, batch
):
    monkeypatch.setattr(native, "BATCH", batch)
    first = _enter(access)
    call = _write(access, first)
    finish_round(access=access, of=first)
    finish_round(access=access, of=_enter(access, first.input_id))
    kept = scene.session(mount(scene.store(), "read_write"))["id"]
    other = _enter(open_session(access.caller, kept))

    _erase(admin_api, session)
    work_on_all()

    assert _told(admin_api, session)["state"] == "erased"
    assert [model.objects.count() for model in NATIVE] == [0, 1, 1, 1]
    assert Round.objects.get().id == other.id
    assert call.checkpoint
    assert Checkpoint.objects.filter(id=call.checkpoint.id).exists()
    written = store.read("/a.md", call.checkpoint.version_id).ok()
    assert written["content"] == "learned"
    told = IdempotencyReceipt.objects.filter(store=None).exclude(fingerprint=None)
    assert {next(iter(receipt.outcome.values())) for receipt in told if receipt.outcome} == {
        kept,
        other.id,
        other.input_id,
    }


def test_S7_an_entered_round_is_joined_and_writes_nothing_meanwhile(admin_api, session, access):
    entered = _enter(access)

    _erase(admin_api, session)
    work_on_all()

    told = _told(admin_api, session)
    assert told["state"] == "pending"
    assert told["pending"] == [{"kind": "round", "id": entered.id, "store": None}]
    assert [model.objects.exists() for model in NATIVE] == [False, True, True, True]
    fresh = open_session(access.caller, session)
    for refused in (
        lambda: _write(access, entered),
        lambda: _write(fresh, entered),
        lambda: accept_input(access=access, key=_key()),
        lambda: enter_round(access=fresh, to=entered.input, key=_key()),
    ):
        with pytest.raises(ReadOnly):
            refused()
    finish_round(access=fresh, of=entered)
    _erase(admin_api, session)
    work_on_all()
    assert _told(admin_api, session)["state"] == "erased"
    assert not SessionInput.objects.exists()


def test_S7_X4_native_state_that_is_left_keeps_its_sink_pending(admin_api, session, access):
    finish_round(access=access, of=_enter(access))
    _erase(admin_api, session)
    report = ErasureReport.objects.get(operation="session_erasure")

    assert Sink.ROWS in look(report)
    assert SessionInput.objects.exists()
    work_on_all()
    assert look(report) == frozenset()


def test_S7_another_obstacle_does_not_hold_up_the_native_state(admin_api, scene, session, access):
    finish_round(access=access, of=_enter(access))
    shared = scene.shared("read", "write")
    shared.api.post(shared.url("working-refs"), {"session": session}).ok(201)
    base = shared.canonical
    change = {
        "base_version": base,
        "operations": [{"kind": "put", "path": "/n.md", "content": "new", "expected_sha256": None}],
    }
    shared.api.post(shared.url(f"working-refs/{session}/checkpoint"), change).ok()

    _erase(admin_api, session)
    take_turns()
    take_turns()
    take_turns()

    assert [one["kind"] for one in _told(admin_api, session)["pending"]] == ["working_ref"]
    assert not SessionInput.objects.exists()
    assert Job.objects.get(kind="session.erase").state == "queued"


def test_S7_stopped_at_any_statement_the_native_state_goes_whole(
    admin_api, session, access, monkeypatch
):
    monkeypatch.setattr(native, "BATCH", 1)
    monkeypatch.setattr(leases, "ATTEMPTS", 10_000)
    first = _enter(access)
    _write(access, first)
    finish_round(access=access, of=first)
    _erase(admin_api, session)

    work_and_die()

    assert _told(admin_api, session)["state"] == "erased"
    assert [model.objects.exists() for model in NATIVE] == [False] * 4
