"""Contract X4: erased text leaves the database's files, and statistics never had it."""

from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from jobs.models import Job
from memory.access import open_store
from memory.actions.deletion import delete_store
from memory.erasure import storage
from memory.models import ErasureReport, ErasureSink, MemoryStore
from proposals.models import Proposal
from tenancy.models import AuditEntry
from tests.factories import make_workspace, platform
from tests.retention import set_policy
from tests.stores import put_operation, shared_store
from tests.work import run_to_the_end

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def workspace():
    return make_workspace()


def _secret() -> str:
    return f"canary{uuid4().hex}"


def _fill(store, secret: str) -> None:
    """A store in which a secret stands wherever customer text may."""
    path = f"/{secret}.md"
    provenance = {
        "source_event_ids": [],
        "source_version_ids": [],
        "source_refs": [secret],
        "confidence": "observed",
        "valid_from": "2026-01-01T00:00:00.000Z",
    }
    put = put_operation(path, secret, provenance=provenance)
    store.change(put, message=secret).ok()
    proposed = {"title": secret, "description": secret, "operations": [_over(put)]}
    store.api.post(store.url("proposals"), proposed).ok(201)
    MemoryStore.objects.filter(id=store.id).update(
        name=secret, description=secret, metadata={secret: secret}
    )


def _over(put: dict[str, Any]) -> dict[str, Any]:
    return put_operation(put["path"], f"{put['content']} again", over=put["content"])


def _sink(report: ErasureReport) -> ErasureSink:
    return report.sinks.get(sink="table_pages")


def _files_with(text: str) -> list[str]:
    """The database's own files that hold a text, read behind its back."""
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute("SHOW data_directory")
        folder = Path(cursor.fetchone()[0])
        cursor.execute("SELECT oid FROM pg_database WHERE datname = current_database()")
        database = folder / "base" / str(cursor.fetchone()[0])
    return [file.name for file in database.iterdir() if text.encode() in file.read_bytes()]


def _scrub() -> str:
    out = StringIO()
    call_command("scrub_storage", stdout=out)
    return out.getvalue()


def test_X4_a_deleted_store_is_gone_from_the_files_once_they_are_rewritten(workspace):
    secret, kept = _secret(), _secret()
    store, other = shared_store(workspace), shared_store(workspace)
    _fill(store, secret)
    _fill(other, kept)
    job = delete_store(access=open_store(platform(workspace), store.id))
    run_to_the_end(job)
    report = ErasureReport.objects.get(job=job)
    assert _files_with(secret), "a deleted row leaves its bytes"
    assert _sink(report).state == "pending"

    told = _scrub()

    assert _files_with(secret) == []
    assert _files_with(kept)
    sink = _sink(report)
    assert (sink.state, sink.evidence) == ("cleared", "scrubbed")
    assert "table pages cleared: 1." in told
    assert AuditEntry.objects.filter(event="erasure_sink.scrubbed").count() == 1
    for elsewhere in ("wal", "backups", "replicas", "native_continuation_state"):
        assert report.sinks.get(sink=elsewhere).state == "pending"
    assert Proposal.objects.count() == 1


def test_X4_an_erasure_that_has_not_ended_is_not_cleared(workspace):
    store = shared_store(workspace)
    job = delete_store(access=open_store(platform(workspace), store.id))

    assert "table pages cleared: 0." in _scrub()

    run_to_the_end(job)
    assert _sink(ErasureReport.objects.get()).state == "pending"
    assert "table pages cleared: 1." in _scrub()
    assert "table pages cleared: 0." in _scrub()


def test_X4_it_refuses_while_others_are_connected(workspace):
    store = shared_store(workspace)
    run_to_the_end(delete_store(access=open_store(platform(workspace), store.id)))
    other = connection.copy()
    try:
        other.ensure_connection()
        with pytest.raises(CommandError, match="stop web processes and workers"):
            _scrub()
    finally:
        other.close()
    assert _sink(ErasureReport.objects.get()).state == "pending"


def test_X4_rows_that_somebody_still_sees_are_not_called_gone(workspace, monkeypatch):
    """Somebody connects behind the command's back, with an older view of the rows."""
    secret = _secret()
    store = shared_store(workspace)
    _fill(store, secret)
    monkeypatch.setattr("memory.management.commands.scrub_storage.other_sessions", lambda: 0)
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("SELECT 1 FROM pg_class LIMIT 1")
            run_to_the_end(delete_store(access=open_store(platform(workspace), store.id)))
            with pytest.raises(CommandError, match="memory_documentbody"):
                _scrub()
    finally:
        other.rollback()
        other.close()
    assert _sink(ErasureReport.objects.get()).state == "pending"
    assert _files_with(secret)


def test_X4_every_table_is_rewritten():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
            " WHERE relkind = 'r' AND nspname = 'public' AND relname <> 'django_migrations'"
        )
        assert {row[0] for row in cursor.fetchall()} == set(storage.tables())


def test_X4_statistics_have_no_word_of_what_erasing_takes(workspace):
    secret = _secret()
    store = shared_store(workspace)
    for _ in range(5):
        _fill(shared_store(workspace), secret)
    _fill(store, secret)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("SELECT pg_stats::text FROM pg_stats")
        told = [row[0] for row in cursor.fetchall() if secret in row[0]]
    assert told == []


def test_X4_retention_marks_its_own_table_pages_pending_until_then(workspace):
    secret = _secret()
    store = shared_store(workspace)
    _fill(store, secret)
    set_policy(workspace, zero_data_retention=True, erase_existing=True)
    run_to_the_end(Job.objects.get(kind="retention.erase"))
    report = ErasureReport.objects.get()
    states = {sink.sink: sink.state for sink in report.sinks.all()}
    assert states["rows"] == states["search_index"] == "cleared"
    assert states["table_pages"] == states["wal"] == "pending"
    _scrub()
    assert _sink(report).evidence == "scrubbed"
