"""Tags: names for versions that never move, retain nothing, and go with an erasure (M3, M4, X1)."""

import pytest
from django.db import IntegrityError, transaction

from memory.models import MemoryStore, Tag
from tenancy.models import AuditEntry
from tests.agents import agent_of, make_scene, mount
from tests.client import Api, random_id
from tests.factories import make_admin_key
from tests.stores import StoreClient, as_person, put_operation, shared_store

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    found = shared_store(workspace)
    found.change(put_operation("/a.md", "one"), message="First").ok()
    return found


def _tag(store, name, version, **more):
    return store.api.post(store.url("tags"), {"name": name, "version": version}, key=None, **more)


def _untag(store, name):
    return store.api.request("DELETE", store.url("tags"), query={"name": name})


def test_M3_a_version_is_named_once_and_the_name_stays(store):
    first = store.canonical
    made = _tag(store, "before the move", first).ok(201)
    assert (made["name"], made["version"], made["store"]) == ("before the move", first, store.id)
    assert made["actor"]["kind"] == "api_key"

    assert _tag(store, "before the move", first).ok() == made
    store.put("/a.md", "two", over="one").ok()
    refused = _tag(store, "before the move", store.canonical)

    assert refused.error == "memory.conflict"
    assert first in refused.message
    assert store.get("tags").ok()["data"] == [made]
    with pytest.raises(IntegrityError), transaction.atomic():
        Tag.objects.update(name="moved")


def test_M4_a_tag_is_no_ref(store):
    _tag(store, "release 1", store.canonical).ok(201)
    before = MemoryStore.objects.get(id=store.id).generation

    assert [ref["kind"] for ref in store.pages("refs")] == ["canonical"]
    assert "release 1" not in store.get("export").content.decode()
    _untag(store, "release 1").ok(204)
    assert MemoryStore.objects.get(id=store.id).generation == before


def test_the_tags_of_one_version_are_asked_for(store):
    first = store.canonical
    store.put("/b.md", "two").ok()
    for name in ("one", "uno"):
        _tag(store, name, first).ok(201)
    _tag(store, "two", store.canonical).ok(201)

    assert [tag["name"] for tag in store.pages("tags", limit=1)] == ["two", "uno", "one"]
    assert [tag["name"] for tag in store.pages("tags", version=first)] == ["uno", "one"]


@pytest.mark.parametrize("name", ["", " x", "x\n", "two\nlines", "n" * 201, 7])
def test_a_name_is_one_line(store, name):
    assert _tag(store, name, store.canonical).error == "validation.malformed"


def test_only_versions_of_the_store_are_named(workspace, store):
    other = shared_store(workspace)
    for version in (other.canonical, random_id("version")):
        assert _tag(store, "x", version).error == "memory.not_found"
    assert _untag(store, "x").error == "memory.not_found"


def test_a_name_needs_write_and_goes_by_who_gave_it_or_admin(workspace, store):
    reader = as_person(workspace, store.id, "read")
    assert _tag(reader, "x", store.canonical).error == "policy.denied"
    assert as_person(workspace, store.id).get("tags").error == "memory.not_found"
    _tag(store, "mine", store.canonical).ok(201)
    other = as_person(workspace, store.id, "read", "write")

    assert _untag(other, "mine").error == "policy.denied"
    assert _untag(reader, "mine").error == "policy.denied"
    admin = as_person(workspace, store.id, "read", "write", "admin")
    _untag(admin, "mine").ok(204)
    _tag(other, "mine", store.canonical).ok(201)
    _untag(other, "mine").ok(204)


def test_a_store_under_review_is_named_with_write_too(workspace):
    reviewed = shared_store(workspace, writes="review")
    _tag(reviewed, "empty", reviewed.canonical).ok(201)


def test_an_archived_store_takes_no_names(workspace, store):
    _tag(store, "x", store.canonical).ok(201)
    MemoryStore.objects.filter(id=store.id).update(lifecycle="archived")
    assert _tag(store, "y", store.canonical).error == "memory.read_only"
    assert _untag(store, "x").error == "memory.read_only"
    assert len(store.pages("tags")) == 1


def test_X5_the_audit_trail_has_the_version_and_not_the_name(store):
    version = store.canonical
    _tag(store, "secret name", version).ok(201)
    _untag(store, "secret name").ok(204)
    rows = AuditEntry.objects.filter(event__in=["store.tagged", "store.untagged"]).order_by("id")
    assert [(row.event, row.detail) for row in rows] == [
        ("store.tagged", {"version": version}),
        ("store.untagged", {"version": version}),
    ]


def test_X1_a_redaction_takes_the_tags_of_versions_that_touched_the_path(workspace, store):
    first = store.canonical
    _tag(store, "with a secret", first).ok(201)
    store.put("/b.md", "two").ok()
    _tag(store, "without", store.canonical).ok(201)
    admin = StoreClient(Api(make_admin_key(workspace)[1]), store.id)
    admin.api.post(store.url("redactions"), {"paths": ["/a.md"]}).ok()

    assert [tag["name"] for tag in store.pages("tags")] == ["without"]


def test_C6_the_agent_of_a_session_names_nothing(workspace):
    scene = make_scene(workspace)
    store = scene.store()
    session = scene.session(mount(store, "read_write"))["id"]
    agent = StoreClient(agent_of(scene, session), store.id)
    agent.get("tags").ok()

    assert _tag(agent, "x", store.canonical).error == "policy.denied"
