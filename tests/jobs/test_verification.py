"""`store.verify` finds rows edited behind our back, and nothing else (contract M3, M8)."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from jobs.models import Job
from jobs.runner import run_slice
from memory.access import open_store
from memory.actions.verifications import request_verification
from memory.management.commands.verify import verify_store
from memory.models import (
    BodyErasure,
    DocumentBody,
    DocumentVersion,
    MemoryVersion,
    Ref,
    RefMove,
    TreePage,
    VersionChange,
    VersionTree,
)
from memory.verification import batches
from tests.factories import caller_for, make_admin_key
from tests.stores import shared_store
from wire.errors import NotFound

pytestmark = pytest.mark.django_db

GUARDED = (
    "memory_documentversion",
    "memory_memoryversion",
    "memory_refmove",
    "memory_treepage",
    "memory_versionchange",
    "memory_versiontree",
)


@pytest.fixture
def store(workspace):
    """A store with a history: documents, a change, a deletion, an erased body."""
    store = shared_store(workspace, "read", "write")
    for number in range(6):
        store.put(f"/notes/{number}.md", f"text {number}").ok()
    store.put("/notes/1.md", "another text", over="text 1").ok()
    store.delete("/notes/2.md", over="text 2").ok()
    gone = DocumentBody.objects.get(document_version__path="/notes/2.md")
    BodyErasure.objects.create(
        document_version_id=gone.document_version_id,
        reason="expired",
        erased_at="2026-01-01T00:00Z",
    )
    gone.delete()
    return store


@contextmanager
def behind_our_back() -> Iterator[None]:
    """What somebody with the database's own rights can do: switch the guards off."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in GUARDED:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        yield
        for table in GUARDED:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL")


def test_a_store_that_nobody_edited_is_as_it_should_be(store):
    report = verify_store(store.id)

    assert report.found == {}
    assert report.checked["versions"] == 9
    assert report.checked["documents"] == 7


def _edit(model: Any, **values: Any) -> Any:
    def edit() -> None:
        row = model.objects.order_by("-pk").first()
        model.objects.filter(pk=row.pk).update(**values)

    return edit


EDITS: dict[str, tuple[Any, set[str]]] = {
    "a body": (_edit(DocumentBody, text="forged"), {"body_content"}),
    "a body's provenance": (_edit(DocumentBody, provenance={}), {"body_provenance"}),
    "a body that vanished": (
        lambda: DocumentBody.objects.filter(document_version__path="/notes/0.md").delete(),
        {"body_missing"},
    ),
    "a content hash": (
        _edit(DocumentVersion, content_sha256=b"\0" * 32),
        {"body_content", "page_entry"},
    ),
    "a page's path": (
        _edit(TreePage, paths=["/forged.md"]),
        {"page_hash", "tree_first_paths", "version_changes"},
    ),
    "a page's size": (_edit(TreePage, sizes=[1]), {"page_hash"}),
    "a page's hash": (_edit(TreePage, page_hash=b"\0" * 32), {"page_hash", "tree_hash"}),
    "a tree": (_edit(VersionTree, pages=[]), {"tree_hash", "version_counts"}),
    "a tree's first paths": (_edit(VersionTree, first_paths=["/a"]), {"tree_first_paths"}),
    "a tree hash": (_edit(MemoryVersion, tree_hash=b"\0" * 32), {"tree_hash"}),
    "a count": (_edit(MemoryVersion, document_count=77), {"version_counts"}),
    "a depth": (_edit(MemoryVersion, depth=2), {"version_ancestry"}),
    "a parent": (_edit(MemoryVersion, parent=None), {"version_ancestry", "version_changes"}),
    "a change": (_edit(VersionChange, path="/forged.md"), {"version_changes"}),
    "a movement": (_edit(RefMove, after=None), {"ref_moved"}),
    "a movement's start": (_edit(RefMove, before=None), {"reflog_order"}),
    "canonical": (
        lambda: Ref.objects.update(version=MemoryVersion.objects.order_by("id").first()),
        {"ref_moved"},
    ),
    "a ref that vanished": (
        lambda: Ref.objects.all().delete(),
        {"ref_moved", "canonical_missing"},
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_behind_our_back_is_found(store, what):
    edit, expected = EDITS[what]
    with behind_our_back():
        edit()

    report = verify_store(store.id)

    assert set(report.found) >= expected
    assert report.differences == sum(entry["count"] for entry in report.found.values())


def test_what_is_told_names_rows_and_no_text(store):
    body = DocumentBody.objects.get(document_version__path="/notes/0.md")
    DocumentBody.objects.filter(pk=body.pk).update(text="forged")

    told = verify_store(store.id).as_json()

    assert told["found"] == {"body_content": {"count": 1, "ids": [body.document_version_id]}}
    assert "notes" not in str(told)


def _job(workspace: Any, store: Any) -> Job:
    caller = caller_for(make_admin_key(workspace)[0])
    return request_verification(access=open_store(caller, store.id))


def test_a_job_does_the_same_batch_by_batch(workspace, store, monkeypatch):
    for name, part in batches.PARTS.items():
        monkeypatch.setitem(batches.PARTS, name, batches.Part(part.rows, part.check, 2))
    job = _job(workspace, store)

    while run_slice(job.id, seconds=0):
        job.refresh_from_db()
        assert (job.state, job.lease_owner) == ("queued", None)

    job.refresh_from_db()
    assert (job.state, job.error) == ("succeeded", None)
    assert job.done == job.total == sum(job.result["checked"].values())
    assert job.result == verify_store(store.id).as_json()
    assert job.epoch > 8


def test_two_requests_at_a_time_are_one_job(workspace, store):
    first, second = _job(workspace, store), _job(workspace, store)
    assert first.id == second.id

    while run_slice(first.id):
        pass
    assert _job(workspace, store).id != first.id


def test_a_store_that_is_being_deleted_ends_its_job(workspace, store):
    from memory.models import MemoryStore

    job = _job(workspace, store)
    MemoryStore.objects.update(lifecycle="deleting")

    assert run_slice(job.id) is False
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "memory.not_found")
    with pytest.raises(NotFound):
        verify_store(store.id)


def test_the_command_says_what_it_found(store):
    out = StringIO()
    call_command("verify", store.id, stdout=out)
    assert out.getvalue().startswith(f"{store.id}: all as it should be (")

    DocumentBody.objects.update(text="forged")
    with pytest.raises(CommandError, match="Stores that differ from what they claim: 1"):
        call_command("verify", "--all", stdout=out)
    assert "body_content: 6 (mdoc_" in out.getvalue()
