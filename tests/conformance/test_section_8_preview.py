"""Contract X1: the preview of a redaction tells what the redaction then does."""

import pytest
from django.db import transaction

from memory import refs
from memory.access import open_store
from memory.actions.redactions import redact
from memory.actors import IMPORTER
from memory.models import MemoryVersion, PathFence, RefKind, VersionNote
from memory.queries.redactions import PathPreview, preview_redaction
from memory.refs import RefName
from proposals.queries.touching import open_touching
from tests.client import random_id
from tests.factories import caller_for, make_person, platform
from tests.stores import put_operation, shared_store

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    store = shared_store(workspace, "read", "write")
    store.change(put_operation("/a.md", "one"), put_operation("/b.md", "b"), message="m").ok()
    store.change(put_operation("/a.md", "two", over="one")).ok()
    store.change(put_operation("/copy.md", "two"), message="a copy").ok()
    return store


def _session_ref(store, at):
    name = RefName(RefKind.SESSION, random_id("session"))
    with transaction.atomic():
        refs.create(store_id=store.id, name=name, at=at, actor=IMPORTER)


def test_X1_each_path_is_told(workspace, store):
    PathFence.objects.create(store_id=store.id, path="/old.md", fenced_at="2026-01-01T00:00Z")
    store.delete("/b.md", over="b").ok()

    told = preview_redaction(
        open_store(platform(workspace), store.id), ["/old.md", "/a.md", "/b.md"]
    )

    assert told.paths == (
        PathPreview("/a.md", True, True, versions=4, bodies=2, is_fenced=False),
        PathPreview("/b.md", False, True, versions=3, bodies=1, is_fenced=False),
        PathPreview("/old.md", False, False, versions=0, bodies=0, is_fenced=True),
    )


def test_X1_the_preview_and_the_redaction_agree(workspace, store):
    _session_ref(store, store.canonical)
    _session_ref(store, MemoryVersion.objects.filter(store=store.id).earliest("id").id)
    body = {"title": "T", "operations": [put_operation("/a.md", "three", over="two")]}
    proposal = store.api.post(store.url("proposals"), body).ok(201)["id"]
    access = open_store(platform(workspace), store.id)

    told = preview_redaction(access, ["/a.md", "/never.md"])
    superseded = [row.id for row in open_touching(store.id, ["/a.md"])]
    before = VersionNote.objects.filter(message=None).count()
    done = redact(access=access, paths=["/a.md", "/never.md"]).counts

    assert (told.version_count, told.hash_count) == (done.version_count, done.hash_count)
    assert sum(path.was_ever for path in told.paths) == done.path_count
    assert told.messages == VersionNote.objects.filter(message=None).count() - before
    assert [ref.kind for ref in told.refs] == ["canonical", "session"]
    assert superseded == [proposal]
    moved = MemoryVersion.objects.filter(kind="redaction", refs__in=[ref.id for ref in told.refs])
    assert moved.count() == 2


def test_X1_copies_are_named_to_readers_alone(workspace, store):
    reader = open_store(caller_for(make_person(workspace, is_admin=True)), store.id)
    owner = open_store(caller_for(_owner(store)), store.id)

    assert preview_redaction(reader, ["/a.md"]).copies is None
    assert preview_redaction(reader, ["/a.md"]).copy_count == 1
    assert preview_redaction(owner, ["/a.md"]).copies == ("/copy.md",)
    assert preview_redaction(owner, ["/a.md", "/copy.md"]).copies == ()


def _owner(store):
    from tenancy.models import PermissionAssignment, Principal

    held = PermissionAssignment.objects.get(target_uuid=store.id)
    return Principal.objects.get(id=held.subject_uuid)
