"""Contract X2: a store that is deleted closes at once, is drained, leaves a tombstone."""

from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from jobs import leases
from jobs.models import Job
from memory.erasure import draining
from memory.models import (
    DocumentBody,
    ErasureReport,
    IdempotencyReceipt,
    Lifecycle,
    MemoryStore,
    Sink,
    SinkState,
)
from proposals.models import Proposal
from sessions.models import MemoryCall
from tenancy.models import ApiKey, AuditEntry, PermissionAssignment
from tests.client import Api
from tests.factories import grant, make_admin_key, make_key, make_person
from tests.kills import work_and_die
from tests.native import at_work, call, finish, native_scene
from tests.stores import StoreClient, personal_store, put_operation, shared_store
from tests.work import run_to_the_end
from wire.ids import uuid_from_id

pytestmark = pytest.mark.django_db

SECRET = "a text that has to go"


@pytest.fixture
def store(workspace):
    """A store with a history, a message, a receipt, a reader, Proposals and a refused attempt."""
    store = shared_store(workspace, "read", "write", "admin")
    for number in range(4):
        store.put(f"/{number}.md", f"{SECRET} {number}").ok()
    store.change(put_operation("/0.md", "another", over=f"{SECRET} 0"), message=SECRET).ok()
    store.delete("/3.md", over=f"{SECRET} 3").ok()
    first = _propose(store, "/new.md")
    store.put("/between.md", "moves canonical").ok()
    store.api.post(f"{store.url('proposals')}/{first}/repropose").ok(201)
    refused = f"{store.url('proposals')}/{first}/respond"
    assert store.api.post(refused, {"response": "approve"}).error == "policy.denied"
    return store


def _propose(store: StoreClient, path: str) -> str:
    body = {"title": SECRET, "operations": [put_operation(path, SECRET)]}
    return str(store.api.post(store.url("proposals"), body).ok(201)["id"])


def _delete(api: Api, store: StoreClient) -> Any:
    return api.delete(store.url(), key=None)


def _drain(job: dict[str, Any]) -> None:
    run_to_the_end(Job.objects.get(id=job["id"]))


def test_X2_deleting_closes_a_store_at_once(store, admin_api):
    job = _delete(admin_api, store).ok(202)

    assert (job["kind"], job["state"]) == ("store.delete", "queued")
    assert job["target"] == {"kind": "store", "id": store.id}
    assert MemoryStore.objects.get(id=store.id).lifecycle == Lifecycle.DELETING
    for answer in (
        store.get(),
        store.read("/1.md"),
        store.get("documents"),
        store.get("versions"),
        store.get("history", {"path": "/1.md"}),
        store.get("blame", {"path": "/1.md"}),
        store.get("refs"),
        store.get("reflog"),
        store.get("proposals"),
        store.api.post(store.url("search"), {"query": "text"}, key=None),
        store.put("/late.md", "late"),
        store.delete("/1.md", over=f"{SECRET} 1"),
        store.api.post(store.url("proposals"), _late_proposal()),
        store.api.post(store.url("verifications"), key=None),
        store.api.patch(store.url(), {"version": 1, "name": "x"}),
        admin_api.get(store.url()),
    ):
        assert answer.error == "memory.not_found"
    assert store.api.pages("/v1/memory-stores") == []
    assert admin_api.pages("/v1/memory-stores") == []


def test_X2_a_store_goes_that_was_written_in_rounds(workspace, admin_api):
    """The calls refer to receipts of the store, and have to go before them."""
    work = at_work(native_scene(workspace))
    accepted = work.input()
    first = work.round(accepted)
    call(work.agent, first, put_operation("/a.md", SECRET)).ok(201)
    finish(work.agent, first).ok()
    again = put_operation("/a.md", SECRET, over=SECRET)
    assert call(work.agent, work.round(accepted), again).ok(201)["version"] is None

    _drain(_delete(admin_api, work.store).ok(202))

    assert MemoryStore.objects.get(id=work.store.id).lifecycle == Lifecycle.DELETED
    assert not MemoryCall.objects.exists()
    assert not IdempotencyReceipt.objects.filter(store=work.store.id).exists()


def _late_proposal() -> dict[str, Any]:
    return {"title": "late", "operations": [put_operation("/late.md", "late")]}


def test_X2_a_store_is_deleted_by_admins_that_nobody_only_named(store, workspace, admin_api):
    admin = make_person(workspace, is_admin=True)
    named = make_key(workspace, may_act_for=[admin], key_class=ApiKey.Class.ADMIN)[1]
    grant(make_person(workspace), store.id, "read", "write", "admin")

    assert _delete(store.api, store).error == "policy.denied"
    assert _delete(Api(named, acting=admin.id), store).error == "policy.denied"
    stranger = Api(make_key(workspace, principal=make_person(workspace))[1])
    assert _delete(stranger, store).error == "memory.not_found"
    assert MemoryStore.objects.get(id=store.id).lifecycle == Lifecycle.ACTIVE
    _delete(admin_api, store).ok(202)


def test_X2_asked_again_it_tells_the_same_job(store, admin_api):
    job = _delete(admin_api, store).ok(202)

    assert _delete(admin_api, store).ok(202)["id"] == job["id"]
    _drain(job)
    again = _delete(admin_api, store).ok(202)
    assert (again["id"], again["state"]) == (job["id"], "succeeded")
    assert Job.objects.filter(kind="store.delete").count() == 1


def test_X2_one_that_had_given_up_goes_on(store, admin_api):
    job = _delete(admin_api, store).ok(202)
    Job.objects.update(state="failed", finished_at="2026-01-01T00:00Z", error="WorkerLost")

    assert _delete(admin_api, store).ok(202)["state"] == "queued"
    _drain(job)
    assert MemoryStore.objects.get(id=store.id).lifecycle == Lifecycle.DELETED


def _tables_of_a_store() -> list[str]:
    """The tables with a store's ID in each row, and those that hang on its rows."""
    return [
        model._meta.db_table
        for model in apps.get_models()
        if any(field.column == "store_id" for field in model._meta.concrete_fields)
        and model is not ErasureReport
    ]


def _rows(table: str, store_id: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM {table} WHERE store_id = %s", [uuid_from_id(store_id)]
        )
        return int(cursor.fetchone()[0])


@pytest.mark.parametrize("batch", [2, 3, 2_000])
def test_X2_nothing_of_it_is_left_but_the_tombstone(
    store, workspace, admin_api, monkeypatch, batch
):
    monkeypatch.setattr(draining, "BATCH", batch)
    monkeypatch.setitem(
        draining.PARTS, "documents", draining._of_documents("memory_documentversion", "id")
    )
    other = personal_store(workspace)
    other.put("/kept.md", "kept").ok()
    job = _delete(admin_api, store).ok(202)

    _drain(job)

    assert {table: _rows(table, store.id) for table in _tables_of_a_store()} == dict.fromkeys(
        _tables_of_a_store(), 0
    )
    tombstone = MemoryStore.objects.get(id=store.id)
    assert tombstone.lifecycle == Lifecycle.DELETED
    assert (tombstone.name, tombstone.description, tombstone.metadata) == ("", "", {})
    assert not PermissionAssignment.objects.filter(target_uuid=store.id).exists()
    assert other.read("/kept.md").ok()["content"] == "kept"
    assert DocumentBody.objects.count() == 1
    assert Proposal.objects.count() == 0
    assert admin_api.get(store.url()).error == "memory.not_found"


def test_X2_the_job_tells_how_far_it_is_and_what_went(store, admin_api):
    job = _delete(admin_api, store).ok(202)
    _drain(job)

    told = admin_api.get(f"/v1/jobs/{job['id']}").ok()
    assert told["state"] == "succeeded"
    assert told["progress"]["done"] == told["progress"]["total"] > 0
    assert told["result"]["bodies"] == told["result"]["documents"] == 8
    assert told["result"]["versions"] == 10
    report = ErasureReport.objects.get(job=job["id"])
    assert (report.operation, report.store_id) == ("store_deletion", store.id)
    assert (report.version_count, report.path_count, report.hash_count) == (10, 6, 8)
    assert _sinks(report) == {
        "cleared": {"rows", "search_index", "receipts", "caches"},
        "pending": set(Sink.values) - {"rows", "search_index", "receipts", "caches"},
    }
    events = AuditEntry.objects.filter(target_uuid=store.id).values_list("event", flat=True)
    assert {"store.deletion_requested", "store.deleted"} <= set(events)
    assert SECRET not in str(list(AuditEntry.objects.values())) + str(list(Job.objects.values()))


def _sinks(report: ErasureReport) -> dict[str, set[str]]:
    sinks = list(report.sinks.all())
    return {state: {each.sink for each in sinks if each.state == state} for state in SinkState}


def test_X2_delayed_retries_recreate_nothing(workspace):
    admin = Api(make_admin_key(workspace)[1])
    settings = {"name": "Team", "owner": {"kind": "workspace", "id": workspace.id}}
    made = admin.post("/v1/memory-stores", settings, key="make").ok(201)
    person = make_person(workspace)
    grant(person, made["id"], "read", "write")
    MemoryStore.objects.update(canonical_writes="direct")
    store = StoreClient(Api(make_key(workspace, principal=person)[1]), made["id"])
    store.put("/a.md", "text", key="write").ok()

    for drain in (False, True):
        job = _delete(admin, store).ok(202)
        if drain:
            _drain(job)
        assert store.put("/a.md", "text", key="write").error == "memory.not_found"
        again = admin.post("/v1/memory-stores", settings, key="make")
        assert again.error == "memory.not_found"
    assert MemoryStore.objects.count() == 1
    assert not IdempotencyReceipt.objects.filter(store=store.id).exists()


def test_X2_deleting_is_fenced_with_the_versioned_surface(store, admin_api, settings):
    settings.VERSIONED_SURFACE = False

    assert _delete(admin_api, store).status == 503
    assert MemoryStore.objects.get(id=store.id).lifecycle == Lifecycle.ACTIVE


def test_X2_stopped_at_any_statement_it_goes_on_to_the_same_end(store, admin_api, monkeypatch):
    monkeypatch.setattr(draining, "BATCH", 3)
    monkeypatch.setattr(leases, "ATTEMPTS", 1_000)
    job = Job.objects.get(id=_delete(admin_api, store).ok(202)["id"])

    work_and_die()

    job.refresh_from_db()
    assert job.state == "succeeded"
    assert (job.result["versions"], job.result["bodies"], job.result["paths"]) == (10, 8, 6)
    assert job.done == job.total
    assert MemoryStore.objects.get(id=store.id).lifecycle == Lifecycle.DELETED
    assert {_rows(table, store.id) for table in _tables_of_a_store()} == {0}
