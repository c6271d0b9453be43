"""Leases, the fence, and what becomes of batches that fail."""

import time
from datetime import timedelta

import pytest
from celery import Celery
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.functions import Now

from database.transactions import durable
from jobs import leases, messages, registry, sweeping
from jobs.enqueueing import enqueue, enqueue_again
from jobs.leases import ATTEMPTS, Lease, LeaseLost
from jobs.models import Job
from jobs.registry import JobKind, Progress, Work
from jobs.runner import run_batch, run_slice
from jobs.signins import KIND as CLEAR
from tenancy.models import AuditEntry
from tests.factories import platform
from tests.jobs import kinds
from wire.errors import NotFound
from wire.times import now

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def traced():
    kinds.register()


@durable
def _enqueue(workspace, kind: str = kinds.TRACE, **more) -> Job:
    return enqueue(caller=platform(workspace), kind=kind, **more)


@pytest.fixture
def job(workspace):
    return _enqueue(workspace)


def _take(job: Job, owner: str) -> Lease:
    lease = leases.take(job.id, owner=owner)
    assert lease
    return lease


def _let_the_lease_run_out(job: Job) -> None:
    Job.objects.filter(id=job.id).update(lease_until=Now() - timedelta(seconds=1))


def test_one_worker_takes_a_job(job):
    assert leases.take(job.id, owner="a")
    assert leases.take(job.id, owner="b") is None


def test_a_silent_worker_loses_its_job_and_writes_nothing_afterwards(job):
    old = _take(job, "a")
    run_batch(old)
    _let_the_lease_run_out(job)
    new = _take(job, "b")

    with pytest.raises(LeaseLost):
        run_batch(old)
    assert not leases.put_back(old)
    leases.give_up(old, "Late", is_final=True)

    job.refresh_from_db()
    assert (job.state, job.done, job.lease_owner, job.epoch) == ("running", 1, "b", new.epoch)
    assert AuditEntry.objects.filter(event="tests.traced").count() == 1


def test_a_batch_that_fails_leaves_nothing_and_is_tried_later(job, monkeypatch):
    def fail(work: Work) -> Progress:
        kinds.trace(work)
        raise RuntimeError("customer text")

    monkeypatch.setitem(registry._kinds, kinds.TRACE, JobKind(kinds.TRACE, fail))
    assert run_slice(job.id) is False
    job.refresh_from_db()
    assert (job.state, job.error, job.done, job.lease_owner) == ("queued", "RuntimeError", 0, None)
    assert not AuditEntry.objects.filter(event="tests.traced").exists()
    assert leases.take(job.id, owner="a") is None  # not before its pause is over

    for _ in range(ATTEMPTS):
        Job.objects.filter(id=job.id).update(not_before=Now())
        run_slice(job.id)
    job.refresh_from_db()
    assert (job.state, job.error, job.attempts) == ("failed", "RuntimeError", ATTEMPTS)


def test_what_the_catalogue_refuses_is_not_tried_again(job, monkeypatch):
    def refuse(_: Work) -> Progress:
        raise NotFound("gone")

    monkeypatch.setitem(registry._kinds, kinds.TRACE, JobKind(kinds.TRACE, refuse))
    run_slice(job.id)

    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "memory.not_found")


def test_a_job_that_kills_its_workers_fails_at_last(job):
    for _ in range(ATTEMPTS):
        _take(job, "a")
        _let_the_lease_run_out(job)

    assert leases.take(job.id, owner="a") is None
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "WorkerLost")


def test_getting_on_forgives_earlier_failures(job):
    for _ in range(3):
        lease = _take(job, "a")
        _let_the_lease_run_out(job)
    run_batch(lease)

    job.refresh_from_db()
    assert job.attempts == 0


def test_a_job_is_enqueued_with_its_change_or_not_at_all(workspace):
    with transaction.atomic():
        enqueue(caller=platform(workspace), kind=kinds.TRACE)
        transaction.set_rollback(True)

    assert not Job.objects.exists()
    assert not AuditEntry.objects.filter(event="job.enqueued").exists()


def test_enqueueing_needs_a_transaction_a_kind_and_closed_parameters(workspace):
    caller = platform(workspace)
    with pytest.raises(KeyError):
        _enqueue(workspace, kind="no.such")
    for text in ("/a/path.md", "Some words", {"deep": ["Ünïcode"]}):
        with pytest.raises(ValueError, match="closed words"):
            _enqueue(workspace, parameters={"text": text})
    _enqueue(workspace, parameters={"version": f"memver_{'0' * 32}", "counts": [1, None, True]})
    assert caller.kind == "platform"


def test_the_sweep_offers_what_was_lost_once(job):
    assert sweeping.overdue() == []
    Job.objects.update(offered_at=Now() - timedelta(minutes=5))

    assert sweeping.overdue() == [job.id]
    assert sweeping.overdue() == []


def test_the_sweep_offers_jobs_of_silent_workers(job):
    leases.take(job.id, owner="a")
    Job.objects.update(offered_at=Now() - timedelta(minutes=5))
    assert sweeping.overdue() == []
    _let_the_lease_run_out(job)

    assert sweeping.overdue() == [job.id]


def test_expired_sign_ins_are_cleared_once_a_day():
    for number in range(5):
        Session.objects.create(
            session_key=f"k{number}",
            session_data="",
            expire_date=now() + timedelta(days=1 if number == 4 else -1),
        )
    sweeping.enqueue_chores()
    sweeping.enqueue_chores()
    (chore,) = Job.objects.filter(kind=CLEAR)

    assert run_slice(chore.id) is False
    chore.refresh_from_db()
    assert (chore.state, chore.result) == ("succeeded", {"cleared": 4})
    assert list(Session.objects.values_list("session_key", flat=True)) == ["k4"]
    sweeping.enqueue_chores()
    assert Job.objects.filter(kind=CLEAR).count() == 1

    Job.objects.update(created_at=Now() - timedelta(days=2))
    sweeping.enqueue_chores()
    assert Job.objects.filter(kind=CLEAR).count() == 2


def test_a_broker_that_is_not_there_delays_a_job_and_nobody_else(job, monkeypatch, caplog):
    nobody_there = Celery("nobody-there", broker="redis://127.0.0.1:1/0")
    nobody_there.config_from_object("django.conf:settings", namespace="CELERY")
    nobody_there.conf.broker_url = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(messages, "app", nobody_there)

    began = time.monotonic()
    messages.wake(job.id)

    assert time.monotonic() - began < 2, "a request waits for it"
    assert "the sweep will offer" in caplog.text


def test_a_job_that_can_do_nothing_pauses_until_it_is_due_or_asked_for(job, monkeypatch):
    def pause(work: Work) -> Progress:
        return Progress(finished=False, done=work.done + 1, pause=timedelta(hours=1))

    monkeypatch.setitem(registry._kinds, kinds.TRACE, JobKind(kinds.TRACE, pause))

    assert run_slice(job.id) is False
    job.refresh_from_db()
    assert (job.state, job.done, job.error, job.lease_owner) == ("queued", 1, None, None)
    assert leases.take(job.id, owner="a") is None
    with transaction.atomic():
        enqueue_again(job.id)
    run_slice(job.id)
    job.refresh_from_db()
    assert job.done == 2
