"""Deletion, retention and erasure against what is under way (contract X2, X3, R5, P5)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import transaction

from jobs.enqueueing import enqueue
from jobs.models import Job
from jobs.runner import run_slice
from memory import refs
from memory.access import open_store
from memory.actions.deletion import delete_store
from memory.actions.git_imports import import_store
from memory.actions.retention import PolicyChanges, change_retention_policy
from memory.actions.stores import Owner, StoreSettings
from memory.actors import actor_of
from memory.erasure.bodies import count_erasure, erase_bodies
from memory.erasure.retirement import RETIRE
from memory.models import (
    BodyErasure,
    DocumentBody,
    DocumentVersion,
    IdempotencyReceipt,
    MemoryStore,
    MemoryVersion,
    OwnerKind,
    RefKind,
)
from memory.refs import RefName
from memory.stores import hold_store
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from proposals.models import Proposal, ProposalStatus
from tenancy.actions.keys import revoke_key
from tests.client import Answer, Api, random_id
from tests.clock import Clock
from tests.factories import caller_for, make_admin_key, make_workspace, platform
from tests.interleaving import (
    PATIENCE,
    answer_after,
    answer_when_row_is_held,
    answer_when_stopped,
    await_row_waiter,
    in_thread,
    without_transaction,
)
from tests.race import race
from tests.retention import set_policy
from tests.stores import StoreClient, as_person, put_operation, shared_store
from tests.work import run_to_the_end
from wire.errors import Conflict

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def workspace():
    return make_workspace()


@pytest.fixture
def store(workspace):
    store = shared_store(workspace, "read", "write")
    store.put("/a.md", "old").ok()
    store.put("/a.md", "new", over="old").ok()
    return store


def _put(store: StoreClient) -> Answer:
    return store.put("/b.md", "x")


def _change(store: StoreClient) -> Answer:
    return store.change(put_operation("/b.md", "x"))


def _change_nothing(store: StoreClient) -> Answer:
    """It leaves a receipt all the same."""
    return store.change(put_operation("/a.md", "new", over="new"))


def _propose(store: StoreClient) -> Answer:
    body = {"title": "A change", "operations": [put_operation("/b.md", "x")]}
    return store.api.post(store.url("proposals"), body)


def _restore(store: StoreClient) -> Answer:
    first = MemoryVersion.objects.filter(store=store.id, documents__path="/a.md").earliest("depth")
    body = {"title": "As it was", "restore_version": first.id}
    return store.api.post(store.url("proposals"), body)


WRITES: list[Callable[[StoreClient], Answer]] = [_put, _change, _change_nothing, _propose, _restore]


def _delete(workspace: Any, store: StoreClient) -> Job:
    return delete_store(access=open_store(platform(workspace), store.id))


@pytest.mark.parametrize("write", WRITES)
def test_X2_a_write_under_way_is_refused_by_a_deletion(workspace, store, write):
    answer = answer_when_stopped(
        lambda: write(store),
        reading="memory_treepage",
        meanwhile=lambda: _delete(workspace, store),
    )

    assert answer.error == "memory.not_found"
    job = Job.objects.get()
    run_to_the_end(job)
    assert MemoryVersion.objects.count() == 0
    assert Proposal.objects.count() == 0
    assert not IdempotencyReceipt.objects.filter(store=store.id).exists()


@pytest.mark.parametrize(
    ("what", "query", "reading"),
    [
        ("document", {"path": "/a.md"}, "memory_treepage"),
        ("documents", {}, "memory_treepage"),
        ("history", {"path": "/a.md"}, "memory_versionchange"),
        ("versions", {}, "memory_versionnote"),
    ],
)
def test_X2_a_read_under_way_releases_nothing_after_a_deletion(
    workspace, store, what, query, reading
):
    delete = without_transaction(delete_store)
    access = open_store(platform(workspace), store.id)

    answer = answer_after(
        lambda: store.get(what, query), reading=reading, meanwhile=lambda: delete(access=access)
    )

    assert answer.error == "memory.not_found"


def test_X2_writers_and_a_deletion_at_once_leave_nothing(workspace, store):
    others = [as_person(workspace, store.id, "read", "write") for _ in range(3)]
    writes = [lambda other=other: other.put("/b.md", "x") for other in others]

    results = race(*writes, lambda: _delete(workspace, store))

    answers = [result for result in results if isinstance(result, Answer)]
    assert {answer.status for answer in answers} <= {200, 201, 404, 409}
    run_to_the_end(Job.objects.get())
    assert MemoryVersion.objects.count() == DocumentVersion.objects.count() == 0
    assert DocumentBody.objects.count() == 0


def test_X2_nobody_deletes_a_store_whose_key_was_revoked_meanwhile(workspace, store):
    key, secret = make_admin_key(workspace)

    answer = answer_when_row_is_held(
        lambda: Api(secret).delete(store.url(), key=None),
        row=MemoryStore.objects.get(),
        meanwhile=lambda: revoke_key(caller=platform(workspace), key_id=key.id),
    )

    assert answer.error == "auth.invalid_key"
    store.get().ok()


def test_X2_two_deletions_at_once_are_one_job(workspace, store):
    made = race(*(lambda: _delete(workspace, store) for _ in range(3)))

    assert len({job.id for job in made if isinstance(job, Job)}) == 1
    assert Job.objects.count() == 1


@pytest.mark.parametrize("write", WRITES)
def test_X3_a_write_under_way_keeps_nothing_once_nothing_is_kept(workspace, store, write):
    bodies = DocumentBody.objects.count()

    answer = answer_when_stopped(
        lambda: write(store),
        reading="memory_treepage",
        meanwhile=lambda: set_policy(workspace, zero_data_retention=True),
    )

    assert answer.error == "policy.denied"
    assert "zero data retention" in answer.message
    assert DocumentBody.objects.count() == bodies


def test_X3_a_change_of_policy_waits_for_a_write_that_has_passed_its_last_look(workspace, store):
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            hold_store(store.id)
            changing = pool.submit(in_thread, lambda: _keep_nothing(workspace))
            await_row_waiter()
            assert not changing.done()
        assert changing.result(PATIENCE).zero_data_retention


def _keep_nothing(workspace: Any) -> Any:
    return change_retention_policy(
        caller=platform(workspace),
        version=1,
        changes=PolicyChanges({"zero_data_retention": True}),
    )


def test_P5_a_body_that_goes_while_it_is_approved_keeps_canonical_where_it_is(workspace):
    store = shared_store(workspace, "read", "write", writes="review")
    proposal = Proposal.objects.get(id=_propose(store).ok(201)["id"])
    reviewer = as_person(workspace, store.id, "read", "review")
    respond = f"{store.url('proposals')}/{proposal.id}/respond"
    canonical = store.canonical

    answer = answer_when_stopped(
        lambda: reviewer.api.post(respond, {"response": "approve"}),
        reading="memory_refmove",
        meanwhile=lambda: _erase(store),
    )

    assert answer.error == "memory.conflict"
    assert "/b.md (retired)" in answer.message
    assert store.canonical == canonical
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.OPEN


@transaction.atomic
def _erase(store: StoreClient) -> None:
    """Erase every body of a store, as a sweep does."""
    hold_store(store.id)
    documents = DocumentVersion.objects.filter(store=store.id).values_list("id", flat=True)
    erase_bodies(documents=list(documents), reason=BodyErasure.Reason.RETIRED)
    count_erasure(store.id)


def test_F1_a_text_that_goes_while_it_is_copied_is_not_copied(store):
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            _erase(store)
            restoring = pool.submit(in_thread, lambda: _restore(store))
            await_row_waiter()
        answer = restoring.result(PATIENCE)

    assert answer.error == "memory.conflict"
    assert "erased" in answer.message
    assert DocumentBody.objects.count() == 0


def test_X3_a_ref_that_is_made_while_a_body_retires_keeps_it(workspace, store, clock: Clock):
    set_policy(workspace, retire_superseded_after_days=1)
    old = MemoryVersion.objects.get(store=store.id, depth=1)
    clock.move(days=2)
    job = _retirement(workspace)
    name = RefName(RefKind.SESSION, random_id("session"))
    actor = actor_of(caller_for(make_admin_key(workspace)[0]))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            refs.create(store_id=store.id, name=name, at=old.id, actor=actor)
            hold_store(store.id)
            retiring = pool.submit(in_thread, lambda: run_slice(job.id))
            await_row_waiter()
        retiring.result(PATIENCE)

    assert store.read("/a.md", old.id).ok()["content"] == "old"
    assert MemoryStore.objects.get(id=store.id).erasure_epoch == 0


@transaction.atomic
def _retirement(workspace: Any) -> Job:
    return enqueue(caller=platform(workspace), kind=RETIRE)


def test_X3_no_import_ends_under_a_policy_that_it_did_not_begin_with(workspace):
    def versions() -> Any:
        yield NextVersion({"/a.md": Put("a")}, Note())
        with ThreadPoolExecutor(1) as pool:
            pool.submit(in_thread, lambda: set_policy(workspace, body_lifetime_days=1)).result()

    with pytest.raises(Conflict, match="retention policy changed"):
        import_store(
            caller=platform(workspace),
            settings=StoreSettings("Imported", Owner(OwnerKind.WORKSPACE, workspace.id)),
            versions=versions(),
        )
    assert DocumentBody.objects.count() == 0
