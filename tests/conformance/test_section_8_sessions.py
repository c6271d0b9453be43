"""Contract X2, X5: what the deletion of a store takes of the Sessions that mounted it."""

import pytest

from jobs.models import Job
from memory.erasure import draining
from memory.models import ErasureReport, MemoryVersion, Sink
from sessions.erasing import SessionEraser
from sessions.models import Checkpoint, Mount
from tests.agents import SESSIONS, agent_of, checkpoint, make_scene, mount, working_ref
from tests.stores import StoreClient, put_operation
from tests.work import run_to_the_end

pytestmark = pytest.mark.django_db

SECRET = "words for the agent alone"


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


def _at_work(scene):
    """A store, and the ID of a Session that wrote it twice."""
    store = scene.store()
    told = {"instructions": SECRET, "mount_path": "/secret-plans"}
    session = scene.session(mount(store, "read_write", **told))["id"]
    working_ref(store, session).ok(201)
    agents = StoreClient(agent_of(scene, session), store.id)
    for path in ("/a.md", "/b.md"):
        checkpoint(agents, session, put_operation(path, SECRET)).ok()
    return store, session


@pytest.mark.parametrize("batch", [1, 2_000])
def test_X2_a_store_takes_along_what_its_mounts_told_and_what_was_sealed(
    scene, admin_api, monkeypatch, batch
):
    monkeypatch.setattr(draining, "BATCH", batch)
    store, session = _at_work(scene)
    kept, other = _at_work(scene)

    job = admin_api.delete(store.url(), key=None).ok(202)
    run_to_the_end(Job.objects.get(id=job["id"]))

    assert scene.api.get(f"{SESSIONS}/{session}").ok()["mounts"][0] | {"store": store.id} == {
        "mount": 1,
        "store": store.id,
        "access": "read_write",
        "effective_access": "read_write",
        "reasons": [],
        "selection": None,
        "mount_path": None,
        "instructions": None,
    }
    assert not Checkpoint.objects.filter(store=store.id).exists()
    assert not MemoryVersion.objects.filter(store=store.id).exists()
    assert Checkpoint.objects.filter(store=kept.id).count() == 2
    assert Mount.objects.get(session=other).instructions == SECRET
    report = ErasureReport.objects.get(job=job["id"])
    assert report.sinks.get(sink=Sink.ROWS).state == "cleared"


def test_X2_events_outlive_the_store_and_name_none_of_its_paths(scene, admin_api):
    store, session = _at_work(scene)
    admin_api.delete(store.url(), key=None).ok(202)

    events = scene.api.pages(f"{SESSIONS}/{session}/events", {"type": "memory.change_checkpointed"})

    assert [event["data"]["changed_paths"] for event in events] == [None, None]


def test_X4_a_deletion_is_not_done_while_words_or_checkpoints_are_left(scene):
    store, _ = _at_work(scene)
    deletion = ErasureReport(store_id=store.id, operation=ErasureReport.Operation.STORE_DELETION)
    redaction = ErasureReport(store_id=store.id, operation=ErasureReport.Operation.REDACTION)
    eraser = SessionEraser()

    assert eraser.sinks_holding(deletion) == (Sink.ROWS,)
    assert eraser.sinks_holding(redaction) == ()
    Checkpoint.objects.all().delete()
    assert eraser.sinks_holding(deletion) == (Sink.ROWS,)
    Mount.objects.update(instructions=None, mount_path=None)
    assert eraser.sinks_holding(deletion) == ()


def test_X1_a_redaction_moves_working_refs_and_leaves_what_mounts_tell(scene, admin_api):
    store, session = _at_work(scene)

    admin_api.post(store.url("redactions"), {"paths": ["/a.md"]}).ok()

    assert Mount.objects.get(session=session).instructions == SECRET
    ref = next(ref for ref in store.pages("refs") if ref["kind"] == "session")
    documents = store.pages("documents", version=ref["version"])
    assert [row["path"] for row in documents] == ["/b.md"]
