"""Workers killed at random end in the same state as workers that nobody killed; a real broker."""

import os
import random
import signal
import time
from typing import Any

import pytest

from database.transactions import durable
from jobs import heartbeats
from jobs.enqueueing import enqueue
from jobs.models import Job, JobState
from jobs.runner import run_slice
from memory.access import open_store
from memory.actions.deletion import delete_store
from memory.actions.verifications import request_verification
from memory.management.commands.verify import verify_store
from memory.models import DocumentVersion, MemoryStore, MemoryVersion
from tenancy.models import AuditEntry
from tests.factories import caller_for, make_admin_key, make_workspace, platform
from tests.jobs import kinds
from tests.jobs.workers import forget_messages, wait_until, working
from tests.stores import StoreClient, put_operation, shared_store

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def broker():
    """An empty broker, and the kind of job that is watched."""
    kinds.register()
    forget_messages()
    yield
    forget_messages()


@durable
def _enqueue(workspace) -> Job:
    return enqueue(caller=platform(workspace), kind=kinds.TRACE)


def _state(job: Job) -> str:
    return Job.objects.values_list("state", flat=True).get(id=job.id)


def _are_done(jobs: list[Job]) -> bool:
    return (
        not Job.objects.filter(id__in=[job.id for job in jobs])
        .exclude(state=JobState.SUCCEEDED)
        .exists()
    )


def _traces(job: Job) -> list[Any]:
    entries = AuditEntry.objects.filter(target_uuid=job.id, event="tests.traced").order_by("id")
    return [entry.detail["batch"] for entry in entries]


def _kill_at_work(kills: int, jobs: list[Job], moments: random.Random) -> int:
    """Kill processes that hold a lease, at random moments; Celery forks new ones."""
    killed: set[str] = set()
    while len(killed) < kills and not _are_done(jobs):
        for owner in _owners() - killed:
            time.sleep(moments.uniform(0.0, 0.05))
            os.kill(int(owner.rpartition(":")[2]), signal.SIGKILL)
            killed.add(owner)
    return len(killed)


def _owners() -> set[str]:
    """Who holds a lease, dead or alive."""
    held = Job.objects.filter(state=JobState.RUNNING)
    return {owner for owner in held.values_list("lease_owner", flat=True) if owner}


@pytest.mark.parametrize(
    ("kills", "count"), [(8, 4), pytest.param(100, 60, marks=pytest.mark.soak)]
)
def test_killed_workers_end_where_unkilled_ones_do(tmp_path, kills, count):
    workspace = make_workspace()
    store = shared_store(workspace, "read", "write")
    for number in range(10):
        store.put(f"/{number}.md", f"text {number}").ok()
    admin = caller_for(make_admin_key(workspace)[0])
    jobs = [_enqueue(workspace) for _ in range(count)]
    verification = request_verification(access=open_store(admin, store.id))

    with working(tmp_path / "killed.log") as worker:
        killed = _kill_at_work(kills, jobs, random.Random(1))
        worker.kill()
    with working(tmp_path / "last.log"):
        wait_until(lambda: _are_done([*jobs, verification]), patience=60 + 2 * count)

    assert killed >= kills
    for job in jobs:
        job.refresh_from_db()
        assert _traces(job) == list(range(kinds.BATCHES))
        assert (job.done, job.total, job.result) == (40, 40, {"batches": 40})
        assert (job.lease_owner, job.error) == (None, None)
    verification.refresh_from_db()
    assert verification.result == verify_store(store.id).as_json()


def test_killed_workers_delete_a_store_as_unkilled_ones_do(tmp_path):
    workspace = make_workspace()
    admin = caller_for(make_admin_key(workspace)[0])
    stores = [_full_store(workspace) for _ in range(2)]
    unkilled, job = (delete_store(access=open_store(admin, store.id)) for store in stores)
    while run_slice(unkilled.id):
        pass

    with working(tmp_path / "killed.log") as worker:
        killed = _kill_at_work(4, [job], random.Random(2))
        worker.kill()
    with working(tmp_path / "last.log"):
        wait_until(lambda: _are_done([job]))

    assert killed >= 1
    unkilled.refresh_from_db()
    job.refresh_from_db()
    assert (job.done, job.result) == (unkilled.done, unkilled.result)
    assert [store.lifecycle for store in MemoryStore.objects.all()] == ["deleted", "deleted"]
    assert DocumentVersion.objects.count() == MemoryVersion.objects.count() == 0


def _full_store(workspace) -> StoreClient:
    store = shared_store(workspace, "read", "write")
    for edition in range(3):
        over = None if edition == 0 else f"text {edition - 1}"
        puts = [put_operation(f"/{n}.md", f"text {edition}", over=over) for n in range(100)]
        store.change(*puts).ok()
    return store


def test_a_worker_says_when_it_begins_and_ends(tmp_path):
    job = _enqueue(make_workspace())
    assert not heartbeats.is_anybody_working()

    with working(tmp_path / "worker.log") as worker:
        wait_until(heartbeats.is_anybody_working)
        wait_until(lambda: _are_done([job]))
        worker.stop()

    assert not heartbeats.is_anybody_working()


def test_a_lost_message_is_made_up_for(tmp_path):
    job = _enqueue(make_workspace())
    forget_messages()

    with working(tmp_path / "worker.log"):
        wait_until(lambda: _are_done([job]))

    assert _traces(job) == list(range(kinds.BATCHES))
