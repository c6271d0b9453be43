"""Contract S6, R5: what two calls, a lost answer, or a change in between make of native work."""

import pytest

from memory.models import MemoryStore, RefMove
from sessions.actions import calls
from sessions.models import Checkpoint, MemoryCall, Round, Session
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.agents import checkpoint, runner_of
from tests.client import Answer
from tests.factories import grant, platform
from tests.interleaving import answer_after, answer_when_row_is_held, without_transaction
from tests.native import AtWork, at_work, call, enter, finish, native_scene, read, recover
from tests.race import outcomes, race
from tests.stores import put_operation
from wire.times import now

pytestmark = pytest.mark.django_db(transaction=True)

PUT = put_operation("/a.md", "text")
OTHER = put_operation("/b.md", "other")


@pytest.fixture
def work(workspace) -> AtWork:
    return at_work(native_scene(workspace))


def _assignment(work, subject):
    return PermissionAssignment.objects.get(subject_uuid=subject.id, target_uuid=work.store.id)


def _revoke_inside(work, subject):
    """Take all grants of somebody on the store back, in a transaction that is open."""
    without_transaction(revoke)(
        caller=platform(work.scene.workspace), assignment_id=_assignment(work, subject).id
    )


def _revoke(work, subject):
    revoke(caller=platform(work.scene.workspace), assignment_id=_assignment(work, subject).id)


# --- two at once --------------------------------------------------------------------------------


def test_S6_of_two_different_calls_in_one_round_one_writes(work):
    entered = work.round()

    answers = race(
        lambda: call(work.agent, entered, PUT, name="call-1"),
        lambda: call(runner_of(work.scene), entered, OTHER, name="call-2"),
    )

    assert sorted(answer.status for answer in outcomes(answers, Answer)) == [201, 409]
    assert Checkpoint.objects.count() == MemoryCall.objects.count() == 1


@pytest.mark.parametrize("key", ["once", ""])
def test_S6_of_two_same_calls_in_one_round_one_writes_and_one_is_told(work, key):
    entered = work.round()

    answers = race(*[lambda: call(work.agent, entered, PUT, key=key)] * 2)

    first, second = outcomes(answers, Answer)
    assert first.ok(201) == second.ok(201)
    assert sum("Checkfu-Replayed" in answer.headers for answer in (first, second)) == 1
    assert Checkpoint.objects.count() == MemoryCall.objects.count() == 1


def test_S6_of_two_inputs_on_one_base_one_writes(work):
    first, second = work.round(), work.round()

    answers = race(lambda: call(work.agent, first, PUT), lambda: call(work.agent, second, OTHER))

    assert sorted(answer.status for answer in outcomes(answers, Answer)) == [201, 409]
    assert Checkpoint.objects.count() == 1


def test_S6_a_call_and_the_end_of_its_round_agree(work):
    entered = work.round()

    answers = race(lambda: call(work.agent, entered, PUT), lambda: finish(work.agent, entered))
    wrote, finished = outcomes(answers, Answer)

    assert finished.ok()["state"] == "finished"
    assert wrote.status in {201, 409}
    assert Checkpoint.objects.count() == (wrote.status == 201)


def test_S6_a_call_and_a_checkpoint_of_the_same_turn_seal_one_version(work):
    entered = work.round()

    answers = race(
        lambda: call(work.agent, entered, PUT).status,
        lambda: checkpoint(work.store, work.session, OTHER, turn=entered).status,
    )

    assert len(outcomes(answers, int)) == 2
    assert Checkpoint.objects.filter(turn=entered).count() == 1
    assert 409 in answers


# --- what happens before it commits --------------------------------------------------------------


@pytest.mark.parametrize("loser", ["agent", "person"])
def test_S6_a_grant_that_is_revoked_before_the_commit_undoes_the_write(work, loser):
    entered = work.round()

    answer = answer_when_row_is_held(
        lambda: call(work.agent, entered, PUT),
        row=Session.objects.get(id=work.session),
        meanwhile=lambda: _revoke(work, getattr(work.scene, loser)),
    )

    assert answer.status in {403, 404}
    assert not Checkpoint.objects.exists()
    assert not MemoryCall.objects.exists()
    moves = RefMove.objects.filter(store=work.store.id, kind="session")
    assert moves.count() == 1  # its making


def test_S6_a_store_that_is_deleted_before_the_commit_takes_no_write(work):
    entered = work.round()
    stores = MemoryStore.objects.filter(id=work.store.id)

    answer = answer_when_row_is_held(
        lambda: call(work.agent, entered, PUT),
        row=Session.objects.get(id=work.session),
        meanwhile=lambda: stores.update(lifecycle="deleting"),
    )

    assert answer.status == 404
    assert not Checkpoint.objects.exists()


def test_S6_a_session_that_is_archived_before_the_commit_takes_no_write(work):
    entered = work.round()
    sessions = Session.objects.filter(id=work.session)

    answer = answer_when_row_is_held(
        lambda: call(runner_of(work.scene), entered, PUT),
        row=Round.objects.get(id=entered),
        meanwhile=lambda: sessions.update(state="archived", archived_at=now()),
    )

    assert answer.error == "memory.read_only"
    assert not Checkpoint.objects.exists()


# --- what happens after it committed -------------------------------------------------------------


@pytest.mark.parametrize("loser", ["agent", "person"])
def test_S6_a_refused_result_leaves_the_write_committed(work, loser, monkeypatch):
    entered = work.round()
    write = calls.write_memory

    def write_and_lose(**given):
        outcome = write(**given)
        _revoke(work, getattr(work.scene, loser))
        return outcome

    monkeypatch.setattr("sessions.api.memorycalls.write_memory", write_and_lose)
    refused = call(work.agent, entered, PUT, key="once")
    monkeypatch.undo()

    assert refused.error == "policy.denied"
    sealed = Checkpoint.objects.get()
    assert MemoryCall.objects.get().checkpoint_id == sealed.id
    assert recover(work.agent, entered).error == "policy.denied"
    grant(getattr(work.scene, loser), work.store.id, "read")
    assert recover(work.agent, entered).ok()["version"] == sealed.version_id
    assert call(work.agent, entered, PUT, key="once").error == "policy.denied"
    grant(getattr(work.scene, loser), work.store.id, "write")
    assert call(work.agent, entered, PUT, key="once").ok(201)["version"] == sealed.version_id
    assert Checkpoint.objects.count() == 1


def test_S6_a_lost_answer_is_recovered_and_replayed_wherever_everything_is(work):
    accepted = work.input()
    entered = work.round(accepted)
    call(work.agent, entered, PUT, key="once")  # its answer never arrives
    work.store.put("/canonical.md", "moves").ok()
    checkpoint(work.store, work.session, OTHER).ok()

    recovered = recover(work.agent, entered).ok()

    assert call(work.agent, entered, PUT, key="once").ok(201) == recovered
    finish(work.agent, entered).ok()
    (shown,) = enter(work.agent, accepted).ok(201)["mounts"]
    assert shown["version"] == recovered["version"]
    assert Checkpoint.objects.count() == 2


@pytest.mark.parametrize("loser", ["agent", "person"])
def test_R5_a_read_is_refused_when_a_read_grant_is_lost_before_it_is_published(work, loser):
    work.store.put("/a.md", "text").ok()
    entered = work.round()

    answer = answer_after(
        lambda: read(work.scene.api, entered, "/a.md"),
        reading="memory_versiontree",
        publishing="tenancy_workspace",
        meanwhile=lambda: _revoke_inside(work, getattr(work.scene, loser)),
    )

    assert (answer.status, answer.error) == (403, "policy.denied")
