"""Contract X3: the retention policy of a Workspace, and what it refuses, sets and erases."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from jobs.models import Job
from memory import refs
from memory.actions.git_imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.actors import actor_of
from memory.erasure import retirement, zero_retention
from memory.management.commands.verify import verify_store
from memory.models import (
    BodyErasure,
    DocumentBody,
    DocumentVersion,
    ErasureReport,
    MemoryStore,
    OwnerKind,
    RefKind,
)
from memory.refs import RefName
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from tenancy.models import ApiKey, AuditEntry, Workspace
from tests.client import Api, random_id
from tests.clock import Clock
from tests.factories import caller_for, make_admin_key, make_key, make_person, make_workspace
from tests.retention import set_policy, sweep
from tests.stores import StoreClient, delete_operation, put_operation, shared_store
from tests.work import run_to_the_end
from wire.errors import PolicyDenied
from wire.ids import uuid_from_id
from wire.times import now, render_time

pytestmark = pytest.mark.django_db

POLICY = "/v1/retention-policy"
KEEPS_ALL = {
    "body_lifetime_days": None,
    "retire_superseded_after_days": None,
    "zero_data_retention": False,
    "version": 1,
    "updated_at": None,
    "erasure_job": None,
}


@pytest.fixture
def store(workspace):
    return shared_store(workspace, "read", "write")


def _change(api: Api, **values: Any) -> Any:
    values.setdefault("version", api.get(POLICY).ok()["version"])
    return api.patch(POLICY, values, key=None)


def test_X3_a_workspace_without_a_policy_keeps_all_for_ever(admin_api, standard_api):
    assert admin_api.get(POLICY).ok() == standard_api.get(POLICY).ok() == KEEPS_ALL


def test_X3_an_admin_changes_the_policy_and_everybody_reads_it(workspace, admin_api, standard_api):
    changed = _change(admin_api, body_lifetime_days=30, retire_superseded_after_days=7).ok()

    assert (changed["body_lifetime_days"], changed["retire_superseded_after_days"]) == (30, 7)
    assert (changed["zero_data_retention"], changed["version"]) == (False, 2)
    assert standard_api.get(POLICY).ok() == changed
    assert _change(admin_api, body_lifetime_days=None).ok()["retire_superseded_after_days"] == 7
    assert Api(make_admin_key(make_workspace())[1]).get(POLICY).ok() == KEEPS_ALL
    entry = AuditEntry.objects.filter(event="retention_policy.changed").earliest("id")
    assert entry.target_id == workspace.id
    assert entry.detail["body_lifetime_days"] == 30


def test_X3_others_change_nothing(workspace, admin_api, standard_api):
    admin = make_person(workspace, is_admin=True)
    named = make_key(workspace, may_act_for=[admin], key_class=ApiKey.Class.ADMIN)[1]

    assert _change(standard_api, body_lifetime_days=1).error == "policy.denied"
    assert _change(Api(named, acting=admin.id), body_lifetime_days=1).error == "policy.denied"
    assert admin_api.get(POLICY).ok() == KEEPS_ALL


def test_M9_a_change_names_the_version_it_was_made_from(admin_api):
    _change(admin_api, version=1, body_lifetime_days=30).ok()

    late = _change(admin_api, version=1, body_lifetime_days=60)

    assert late.error == "memory.conflict"
    assert "version is 2" in late.message


@pytest.mark.parametrize(
    "values",
    [
        {"body_lifetime_days": 0},
        {"body_lifetime_days": 36_501},
        {"body_lifetime_days": True},
        {"retire_superseded_after_days": -1},
        {"zero_data_retention": None},
        {"zero_data_retention": "on"},
        {"erase_existing": True},
        {"body_lifetime": 3},
    ],
)
def test_X3_a_malformed_policy_is_refused(admin_api, values):
    answer = _change(admin_api, **values)

    assert answer.error == "validation.malformed"
    assert next(iter(values)) in answer.message
    assert admin_api.get(POLICY).ok() == KEEPS_ALL


def test_X3_the_lifetime_sets_a_ceiling_when_a_body_is_written(workspace, store, clock: Clock):
    store.put("/before.md", "before").ok()
    set_policy(workspace, body_lifetime_days=30)
    store.put("/put.md", "put").ok()
    store.change(put_operation("/change-set.md", "changed")).ok()
    _propose(store, operations=[put_operation("/proposed.md", "proposed")]).ok(201)
    first = now()
    clock.move(days=1)
    set_policy(workspace, body_lifetime_days=10)
    store.put("/after.md", "after").ok()

    assert {row.path: row.expires_at for row in DocumentVersion.objects.all()} == {
        "/before.md": None,
        "/put.md": first + timedelta(days=30),
        "/change-set.md": first + timedelta(days=30),
        "/proposed.md": first + timedelta(days=30),
        "/after.md": now() + timedelta(days=10),
    }
    assert store.read("/put.md").ok()["expires_at"] == render_time(first + timedelta(days=30))


def _propose(store: StoreClient, *, key: str = "", **head: Any) -> Any:
    return store.api.post(store.url("proposals"), {"title": "A change", **head}, key=key)


def test_X3_a_copy_keeps_the_earlier_ceiling(workspace, store, clock: Clock):
    set_policy(workspace, body_lifetime_days=30)
    old = store.change(put_operation("/a.md", "old")).ok()["version"]
    ceiling = store.read("/a.md").ok()["expires_at"]
    clock.move(days=1)
    store.put("/a.md", "new", over="old").ok()

    for lifetime, expected in (
        (60, ceiling),
        (None, ceiling),
        (2, render_time(now() + timedelta(days=2))),
    ):
        set_policy(workspace, body_lifetime_days=lifetime)
        _propose(store, restore_version=old).ok(201)
        copy = DocumentVersion.objects.latest("id")
        assert copy.expires_at is not None
        assert render_time(copy.expires_at) == expected


# Zero data retention


@pytest.fixture
def doors(store):
    """Every door by which a body comes, with keys that were used before."""
    old = store.change(put_operation("/a.md", "a"), key="change").ok()["version"]
    store.put("/b.md", "b", key="put").ok()
    operations = [put_operation("/c.md", "c")]
    proposal = _propose(store, operations=operations, key="propose").ok(201)["id"]
    _propose(store, restore_version=old, key="restore").ok(201)
    store.put("/d.md", "makes the Proposal stale").ok()
    again = f"{store.url('proposals')}/{proposal}/repropose"
    store.api.post(again, key="repropose").ok(201)
    put_a = {"ref": {"kind": "canonical"}, "base_version": old}
    return {
        "a document PUT": lambda key: store.put("/b.md", "b", key=key),
        "a change set": lambda key: _send_change(store, put_a, key),
        "an inline Proposal": lambda key: _propose(store, operations=operations, key=key),
        "a restore": lambda key: _propose(store, restore_version=old, key=key),
        "a re-proposal": lambda key: store.api.post(again, key=key),
    }


def _send_change(store: StoreClient, change: dict[str, Any], key: str) -> Any:
    body = {**change, "operations": [put_operation("/a.md", "a")]}
    return store.api.post(store.url("change-sets"), body, key=key)


KEYS = {
    "a document PUT": "put",
    "an inline Proposal": "propose",
    "a restore": "restore",
    "a re-proposal": "repropose",
}


@pytest.mark.parametrize("replayed", [False, True])
def test_X3_zero_data_retention_refuses_every_new_body_and_its_replay(workspace, doors, replayed):
    set_policy(workspace, zero_data_retention=True)
    bodies = DocumentBody.objects.count()

    for door, send in doors.items():
        answer = send(KEYS.get(door, "change") if replayed else "")
        assert answer.error == "policy.denied", door
        assert "zero data retention" in answer.message, door
    assert DocumentBody.objects.count() == bodies

    set_policy(workspace, zero_data_retention=False)
    if replayed:
        assert doors["a document PUT"]("put").headers["Checkfu-Replayed"] == "true"


def test_X3_under_zero_data_retention_the_rest_goes_on(workspace, store):
    store.put("/a.md", "a").ok()
    store.put("/b.md", "b").ok()
    head = _propose(store, operations=[delete_operation("/b.md", over="b")]).ok(201)
    set_policy(workspace, zero_data_retention=True)

    assert store.read("/a.md").ok()["content"] == "a"
    store.delete("/a.md", over="a").ok()
    store.change(delete_operation("/b.md", over="b")).ok()
    existing = _propose(store, head_version=head["head_version"])
    assert existing.status in {201, 400}, "a head that is there makes no body"


def test_X3_no_history_is_imported_under_zero_data_retention(workspace):
    set_policy(workspace, zero_data_retention=True)

    with pytest.raises(PolicyDenied, match="zero data retention"):
        _import(workspace, "one")
    set_policy(workspace, zero_data_retention=False, body_lifetime_days=3)
    _import(workspace, "one")
    assert DocumentVersion.objects.get().expires_at is not None


def _import(workspace: Workspace, *texts: str) -> None:
    import_store(
        caller=caller_for(make_admin_key(workspace)[0]),
        settings=StoreSettings("Imported", Owner(OwnerKind.WORKSPACE, workspace.id)),
        versions=[NextVersion({"/a.md": Put(text)}, Note()) for text in texts],
    )


def test_X3_the_switch_erases_what_there_is_by_a_job(workspace, store, admin_api, monkeypatch):
    monkeypatch.setattr(zero_retention, "BATCH", 2)
    other = shared_store(workspace)
    for number in range(5):
        store.put(f"/{number}.md", f"text {number}").ok()
    other.put("/other.md", "other").ok()
    foreign = shared_store(make_workspace())
    foreign.put("/kept.md", "kept").ok()

    changed = _change(admin_api, zero_data_retention=True, erase_existing=True).ok()
    job = Job.objects.get(id=changed["erasure_job"])
    assert (job.kind, job.state) == ("retention.erase", "queued")
    assert store.read("/1.md").ok()["content"] == "text 1"
    run_to_the_end(job)

    gone = store.read("/1.md")
    assert gone.error == "memory.not_found"
    assert "erased (retired)" in gone.message
    assert other.read("/other.md").error == "memory.not_found"
    assert foreign.read("/kept.md").ok()["content"] == "kept"
    assert job.result == {"erased": 6}
    assert {erasure.job_uuid for erasure in BodyErasure.objects.all()} == {_uuid(job)}
    report = ErasureReport.objects.get(job=job)
    assert (report.operation, report.hash_count) == ("retention", 6)
    assert verify_store(store.id).found == {}


def _uuid(job: Job) -> Any:
    return uuid_from_id(job.id)


def test_X3_switching_it_off_ends_that_job(workspace, store):
    store.put("/a.md", "a").ok()
    set_policy(workspace, zero_data_retention=True, erase_existing=True)
    set_policy(workspace, zero_data_retention=False)
    store.put("/b.md", "b").ok()

    run_to_the_end(Job.objects.get(kind="retention.erase"))

    assert store.read("/a.md").ok()["content"] == "a"
    assert store.read("/b.md").ok()["content"] == "b"


def test_X3_what_was_received_of_an_import_goes_too(workspace, admin_api):
    owner = {"kind": "workspace", "id": workspace.id}
    begun = admin_api.post("/v1/memory-store-imports", {"name": "Half", "owner": owner}).ok(201)

    _change(admin_api, zero_data_retention=True, erase_existing=True).ok()

    (store,) = MemoryStore.objects.all()
    assert store.lifecycle == "deleting"
    assert begun["store"] == store.id
    run_to_the_end(Job.objects.get(kind="store.delete"))


# Ceilings that have passed


def test_X3_a_sweep_takes_away_what_has_expired(workspace, store, clock: Clock, monkeypatch):
    monkeypatch.setattr("memory.erasure.expiry.BATCH", 2)
    store.put("/kept.md", "kept").ok()
    set_policy(workspace, body_lifetime_days=30)
    for number in range(5):
        store.put(f"/{number}.md", f"text {number}").ok()
        clock.move(seconds=1)
    assert sweep() == []
    clock.move(days=30)
    told = store.read("/0.md").message

    (job,) = sweep()

    assert (job.kind, job.workspace_id, job.result) == (
        "retention.expire",
        workspace.id,
        {"erased": 5},
    )
    assert DocumentBody.objects.count() == 1
    assert store.read("/0.md").message == told
    assert "erased (expired)" in told
    erasures = BodyErasure.objects.select_related("document_version")
    assert all(each.erased_at == each.document_version.expires_at for each in erasures)
    assert {each.job_uuid for each in erasures} == {_uuid(job)}
    assert verify_store(store.id).found == {}
    assert sweep() == []


def test_X3_a_sweep_misses_nothing_that_came_late(workspace, store, clock: Clock):
    """A copy may bring a ceiling along that an earlier sweep had gone beyond."""
    set_policy(workspace, body_lifetime_days=30)
    store.put("/a.md", "a").ok()
    clock.move(days=31)
    assert len(sweep()) == 1
    late = DocumentVersion.objects.get()
    DocumentBody.objects.create(document_version=late, text="a", search_vector="")
    BodyErasure.objects.all().delete()

    assert len(sweep()) == 1
    assert DocumentBody.objects.count() == 0


# Superseded bodies


@pytest.fixture
def retiring(workspace):
    set_policy(workspace, retire_superseded_after_days=7)


def _texts() -> set[str]:
    return set(DocumentBody.objects.values_list("text", flat=True))


def test_X3_superseded_bodies_are_kept_unless_somebody_says_otherwise(store, clock: Clock):
    store.put("/a.md", "old").ok()
    store.put("/a.md", "new", over="old").ok()
    clock.move(days=10_000)

    assert sweep() == []
    assert _texts() == {"old", "new"}


def test_X3_a_superseded_body_goes_after_its_days(store, retiring, clock: Clock):
    version = store.change(put_operation("/a.md", "old"), put_operation("/b.md", "b")).ok()
    clock.move(days=100)
    store.put("/a.md", "new", over="old").ok()
    clock.move(days=6, hours=23)
    sweep()
    assert _texts() == {"old", "new", "b"}

    Job.objects.all().delete()
    clock.move(hours=2)
    (job,) = sweep()

    assert (job.kind, job.result) == ("retention.retire", {"erased": 1})
    assert _texts() == {"new", "b"}
    gone = store.read("/a.md", version["version"])
    assert "erased (retired)" in gone.message
    erasure = BodyErasure.objects.get()
    assert (erasure.reason, erasure.job_uuid) == ("retired", _uuid(job))
    assert store.read("/b.md", version["version"]).ok()["content"] == "b"
    assert ErasureReport.objects.get(job=job).hash_count == 1
    assert verify_store(store.id).found == {}


def test_X3_a_deleted_document_is_superseded(store, retiring, clock: Clock):
    store.put("/a.md", "a").ok()
    store.delete("/a.md", over="a").ok()
    clock.move(days=8)
    sweep()

    assert _texts() == set()


@pytest.mark.parametrize("kind", [RefKind.SESSION, RefKind.PROPOSAL, RefKind.CURATION])
def test_X3_a_live_ref_keeps_what_it_reaches(workspace, store, retiring, clock: Clock, kind):
    version = store.change(put_operation("/a.md", "old")).ok()["version"]
    actor = actor_of(caller_for(make_admin_key(workspace)[0]))
    name = RefName(kind, random_id(kind))
    with transaction.atomic():
        refs.create(store_id=store.id, name=name, at=version, actor=actor)
    store.put("/a.md", "new", over="old").ok()
    clock.move(days=100)
    sweep()
    assert _texts() == {"old", "new"}

    with transaction.atomic():
        refs.release(store_id=store.id, name=name, actor=actor)
    for days, expected in ((6, {"old", "new"}), (2, {"new"})):
        Job.objects.all().delete() if days == 6 else _forget_sweeps()
        clock.move(days=days)
        sweep()
        assert _texts() == expected


def _forget_sweeps() -> None:
    """As if the last looks were longer ago; the database keeps a clock of its own."""
    ErasureReport.objects.all().delete()
    Job.objects.all().delete()


def test_X3_what_an_open_proposal_shows_stays(workspace, retiring, clock: Clock):
    store = shared_store(workspace, "read", "write", writes="review")
    proposal = _propose(store, operations=[put_operation("/a.md", "proposed")]).ok(201)
    clock.move(days=100)
    sweep()
    assert _texts() == {"proposed"}

    assert store.read("/a.md", proposal["head_version"]).ok()["content"] == "proposed"


def test_X3_a_version_that_no_ref_was_ever_at_counts_from_its_sealing(
    workspace, retiring, clock: Clock
):
    _import(workspace, "one", "two", "three")
    clock.move(days=6)
    sweep()
    assert _texts() == {"one", "two", "three"}
    _forget_sweeps()
    clock.move(days=2)
    sweep()
    assert _texts() == {"three"}


@pytest.mark.parametrize("batch", [1, 2, 3, 1_000])
def test_X3_retiring_goes_on_where_it_was(store, retiring, clock: Clock, monkeypatch, batch):
    monkeypatch.setattr(retirement, "BATCH", batch)
    for edition in range(4):
        for path in ("/a.md", "/b.md", "/z/c.md"):
            over = f"{path} {edition - 1}" if edition else None
            store.put(path, f"{path} {edition}", over=over).ok()
    store.delete("/b.md", over="/b.md 3").ok()
    clock.move(days=8)

    sweep()

    assert _texts() == {"/a.md 3", "/z/c.md 3"}


def test_X3_the_policy_of_the_moment_decides(workspace, store, retiring, clock: Clock):
    store.put("/a.md", "old").ok()
    store.put("/a.md", "new", over="old").ok()
    clock.move(days=8)
    set_policy(workspace, retire_superseded_after_days=None)

    sweep()

    assert _texts() == {"old", "new"}
