"""Contract F1: a version as a store of its own."""

from datetime import timedelta

import pytest
from django.db import connection

from memory.management.commands.verify import verify_store
from memory.models import (
    BodyErasure,
    DocumentBody,
    DocumentVersion,
    MemoryStore,
    RefMove,
    RetentionPolicy,
    VersionChange,
)
from tenancy.models import ApiKey, AuditEntry, PermissionAssignment
from tests.client import Api, random_id
from tests.erasure import erase_bodies
from tests.exports import PROVENANCE, generation, rich_store, seal_expiring
from tests.factories import make_admin_key, make_key, make_person, make_workspace
from tests.stores import (
    StoreClient,
    as_person,
    delete_operation,
    personal_store,
    put_operation,
    shared_store,
)
from wire.times import now, render_time

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(workspace):
    store = personal_store(workspace)
    store.change(
        put_operation("/a.md", "one\n"),
        put_operation("/b/ünï.md", "getUserName in 東京都庁", provenance=PROVENANCE),
        put_operation("/c.bin", "", media_type="application/x-none"),
    ).ok()
    return store


def _owner(store):
    return store.get().ok()["owner"]


def _body(store, **more):
    return {
        "source_version": store.canonical,
        "name": "A fork",
        "owner": _owner(store),
        **more,
    }


def _fork(store, *, key="", **more):
    return store.api.post(store.url("fork"), _body(store, **more), key=key)


def _forked(store, **more):
    """The fork, with the key of the source."""
    return StoreClient(store.api, _fork(store, **more).ok(201)["store"])


# --- what it is -----------------------------------------------------------------------------------


def test_F1_a_fork_has_the_sources_tree_in_one_initial_version(source):
    answer = _fork(source, description="Where it goes on").ok(201)

    assert set(answer) == {"store", "version", "tree_hash", "replayed"}
    assert answer["replayed"] is False
    fork = StoreClient(source.api, answer["store"])
    (version,) = fork.pages("versions")
    expected = source.get(f"versions/{source.canonical}").ok()
    assert version["id"] == answer["version"] == fork.canonical
    assert (version["kind"], version["parent_version"]) == ("initial", None)
    assert version["tree_hash"] == answer["tree_hash"] == expected["tree_hash"]
    assert version["document_count"] == expected["document_count"]
    assert version["total_bytes"] == expected["total_bytes"]
    settings = fork.get().ok()
    assert (settings["name"], settings["description"]) == ("A fork", "Where it goes on")
    assert (settings["lifecycle"], settings["owner"]) == ("active", _owner(source))


def test_F1_every_text_is_copied_with_all_that_belongs_to_it(source):
    fork = _forked(source)

    for path in ("/a.md", "/b/ünï.md", "/c.bin"):
        mine, theirs = fork.read(path).ok(), source.read(path).ok()
        same = {"path", "content", "content_sha256", "media_type", "bytes", "provenance"}
        assert {name: mine[name] for name in same} == {name: theirs[name] for name in same}
        assert mine["store"] == fork.id
    digests = DocumentVersion.objects.filter(path="/b/ünï.md").values_list("provenance_sha256")
    assert len(digests) == 2
    assert len(set(digests)) == 1


def test_F1_an_older_version_is_forked_as_it_was(source):
    old = source.canonical
    source.change(put_operation("/a.md", "two", over="one\n")).ok()

    fork = _forked(source, source_version=old.replace("memver_", "mrev_"))

    assert fork.read("/a.md").ok()["content"] == "one\n"


def test_F1_an_empty_version_is_forked(workspace):
    assert _forked(personal_store(workspace)).pages("documents") == []


def test_F1_source_and_fork_evolve_alone(source):
    fork = _forked(source)
    before = generation(source)

    fork.change(put_operation("/a.md", "mine", over="one\n")).ok()
    source.change(delete_operation("/a.md", over="one\n")).ok()
    erase_bodies(source.id, [_document(source, "/b/ünï.md")])

    assert fork.read("/a.md").ok()["content"] == "mine"
    assert "東京" in fork.read("/b/ünï.md").ok()["content"]
    assert generation(source) == before + 2


def _document(store, path):
    return DocumentVersion.objects.get(store=store.id, path=path).id


def test_F1_no_row_of_the_source_is_shared(source):
    fork = _forked(source)

    mine, theirs = (
        set(DocumentVersion.objects.filter(store=store.id).values_list("id", flat=True))
        for store in (fork, source)
    )
    assert len(mine) == len(theirs) == 3
    assert mine.isdisjoint(theirs)
    changes = VersionChange.objects.filter(store=fork.id)
    assert {change.after_id for change in changes} == mine
    assert {change.before_id for change in changes} == {None}


def test_F1_a_fork_passes_verification(source):
    assert verify_store(_forked(source).id).found == {}


@pytest.mark.parametrize(
    "query", ["one", "user name", "getUserName", "東京", "ünï", '"in 東京都庁"']
)
def test_F1_Q1_copied_texts_are_found_in_the_fork_as_in_the_source(source, query):
    fork = _forked(source)

    mine, theirs = (
        store.api.post(store.url("search"), {"query": query}, key=None).ok()["results"]
        for store in (fork, source)
    )

    assert mine == theirs
    assert mine


def test_F1_words_of_a_fork_are_those_that_a_write_would_have_made(source):
    fork = _forked(source)
    fork.change(delete_operation("/a.md", over="one\n")).ok()
    fork.change(put_operation("/a.md", "one\n")).ok()

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(DISTINCT search_vector::text) FROM memory_documentbody b"
            " JOIN memory_documentversion d ON d.id = b.document_version_id"
            " JOIN memory_memorystore s ON s.id = d.store_id"
            " WHERE d.path = '/a.md' AND s.name = 'A fork'"
        )
        assert cursor.fetchone() == (2, 1)


def test_F1_the_owner_is_granted_read_and_write_and_the_reflog_begins(source):
    fork = _forked(source)

    (assignment,) = PermissionAssignment.objects.filter(target_uuid=fork.id)
    assert sorted(assignment.permissions) == ["read", "write"]
    (move,) = RefMove.objects.filter(store=fork.id)
    assert not move.before_id
    assert move.after_id == fork.canonical


def test_F1_a_fork_of_a_shared_owner_is_under_review(workspace):
    source = shared_store(workspace, "read", writes="direct")
    owner = {"kind": "workspace", "id": workspace.id}
    member = as_person(workspace, workspace.id, "read", "write")
    forked = member.api.post(source.url("fork"), _body(source, owner=owner)).ok(201)

    settings = StoreClient(member.api, forked["store"]).get().ok()

    assert (settings["canonical_writes"], settings["self_approval"]) == ("review", "denied")


def test_F1_fences_messages_and_refs_of_the_source_stay_there(workspace):
    source = rich_store(workspace)
    source.change(delete_operation("/gone.md", over="late")).ok()
    owner = {"kind": "principal", "id": _me(source)}
    fork = StoreClient(source.api, _fork(source, owner=owner).ok(201)["store"])

    export = fork.get("export").ok()

    assert export["path_fences"] == []
    assert [ref["kind"] for ref in export["refs"]] == ["canonical"]
    assert [row["message"] for row in fork.pages("versions")] == [None]


def _me(store):
    """The principal that the newest key is bound to, which is the store client's own."""
    principal = ApiKey.objects.exclude(principal=None).latest("id").principal
    assert principal
    return principal.id


def test_F1_the_audit_trail_names_both(source):
    forked = _fork(source).ok(201)

    entry = AuditEntry.objects.get(event="store.forked")
    assert entry.detail["source_store"] == source.id
    assert entry.detail["version"] == forked["version"]


# --- ceilings and policies ------------------------------------------------------------------------


def test_F1_a_copy_keeps_the_earlier_of_its_expiry_and_the_policys(source, workspace):
    soon, late = now() + timedelta(hours=1), now() + timedelta(days=90)
    seal_expiring(source, {"/soon.md": soon, "/late.md": late})
    RetentionPolicy.objects.create(workspace=workspace, body_lifetime_days=30, updated_at=now())

    fork = _forked(source)

    assert fork.read("/soon.md").ok()["expires_at"] == render_time(soon)
    for path in ("/late.md", "/a.md"):
        expires_at = fork.read(path).ok()["expires_at"]
        assert expires_at < render_time(now() + timedelta(days=30, seconds=1))
        assert expires_at > render_time(now() + timedelta(days=29))


def test_F1_zero_data_retention_forbids_it_and_its_replay(source, workspace):
    _fork(source, key="before").ok(201)
    RetentionPolicy.objects.create(workspace=workspace, zero_data_retention=True, updated_at=now())

    for key in ("before", "after"):
        refused = _fork(source, key=key)
        assert (refused.status, refused.error) == (403, "policy.denied")
        assert "zero data retention" in refused.message
    assert MemoryStore.objects.filter(name="A fork").count() == 1


def test_F1_a_version_with_an_erased_text_is_refused_by_name(workspace):
    source = personal_store(workspace)
    source.change(*(put_operation(f"/{number:02}.md", str(number)) for number in range(23))).ok()
    erase_bodies(source.id, list(DocumentVersion.objects.values_list("id", flat=True)))

    refused = _fork(source)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert "/00.md, " in refused.message
    assert "/19.md and 3 more" in refused.message
    assert _stores() == {source.id}


@pytest.mark.parametrize("reason", BodyErasure.Reason)
def test_F1_whatever_the_reason(source, reason):
    erase_bodies(source.id, [_document(source, "/a.md")], reason)

    assert _fork(source).error == "memory.conflict"


def test_F1_an_expired_text_is_refused_though_its_row_is_there(source):
    seal_expiring(source, {"/gone.md": now()})

    refused = _fork(source)

    assert refused.error == "memory.conflict"
    assert "/gone.md" in refused.message


def _stores():
    return set(MemoryStore.objects.values_list("id", flat=True))


# --- replays --------------------------------------------------------------------------------------


def test_F1_the_same_key_forks_once(source):
    first = _fork(source, key="once").ok(201)
    source.change(put_operation("/later.md", "x")).ok()

    again = source.api.post(
        source.url("fork"), _body(source, source_version=_base(source)), key="once"
    )

    assert again.ok(201) == {**first, "replayed": True}
    assert DocumentBody.objects.count() == 3 + 3 + 1


def _base(store):
    return store.pages("versions")[1]["id"]


def test_F1_the_same_key_with_other_input_is_refused(source):
    _fork(source, key="once").ok(201)

    assert _fork(source, key="once", name="Another").error == "memory.conflict"


def test_F1_a_refused_fork_leaves_no_receipt(source):
    refused = _fork(source, key="once", source_version=random_id("version"))

    assert (refused.status, refused.error) == (404, "memory.not_found")
    _fork(source, key="once").ok(201)


def test_F1_a_replay_tells_nothing_of_a_store_that_is_gone(source):
    forked = _fork(source, key="once").ok(201)
    MemoryStore.objects.filter(id=forked["store"]).update(lifecycle="deleting")

    assert _fork(source, key="once").error == "memory.not_found"


def test_F1_the_key_is_required(source):
    assert _fork(source, key=None).error == "validation.malformed"


# --- who may --------------------------------------------------------------------------------------


def test_F1_it_takes_read_of_the_source(source, workspace):
    stranger = as_person(workspace, source.id)
    admin = StoreClient(Api(make_admin_key(workspace)[1]), source.id)
    body = _body(source)

    assert stranger.api.post(source.url("fork"), body).error == "memory.not_found"
    assert admin.api.post(source.url("fork"), body).error == "policy.denied"


def test_F1_a_reader_forks_for_themselves_and_for_nobody_else(source, workspace):
    reader = as_person(workspace, source.id, "read")

    refused = reader.api.post(source.url("fork"), _body(source))
    assert (refused.status, refused.error) == (403, "policy.denied")
    mine = _body(source, owner={"kind": "principal", "id": _me(reader)})
    reader.api.post(source.url("fork"), mine).ok(201)


def test_F1_nothing_is_forked_into_another_workspace(source):
    other = make_workspace()
    elsewhere = {"kind": "principal", "id": make_person(other).id}
    key = make_key(other, principal=make_person(other))[1]

    assert _fork(source, owner=elsewhere).status in {400, 403}
    assert Api(key).post(source.url("fork"), _body(source)).error == "memory.not_found"


def test_F1_a_version_of_another_store_is_not_found(source, workspace):
    other = personal_store(workspace)

    assert _fork(source, source_version=other.canonical).error == "memory.not_found"


@pytest.mark.parametrize("lifecycle", ["pending", "deleting", "deleted"])
def test_F1_a_source_that_is_not_there_is_404(source, lifecycle):
    body = _body(source)
    MemoryStore.objects.filter(id=source.id).update(lifecycle=lifecycle)

    assert source.api.post(source.url("fork"), body).error == "memory.not_found"


def test_F1_an_archived_store_is_forked(source):
    source.patch(lifecycle="archived").ok()

    assert _forked(source).get().ok()["lifecycle"] == "active"


def test_F1_the_fence_closes_it(source, settings):
    body = _body(source)
    settings.VERSIONED_SURFACE = False

    assert source.api.post(source.url("fork"), body).error == "memory.backend_unavailable"


@pytest.mark.parametrize(
    "wrong",
    [
        {"source_version": "x"},
        {"name": ""},
        {"owner": {"kind": "principal", "id": "x"}},
        {"canonical_writes": "direct"},
        {"description": 1},
    ],
)
def test_F1_input_is_strict(source, wrong):
    refused = _fork(source, **wrong)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert next(iter(wrong)) in refused.message


def test_M2_a_fork_has_as_many_documents_as_a_store_may(source, settings):
    settings.MAX_DOCUMENTS = 2

    assert _fork(source).error == "validation.range_too_large"


def test_F1_rows_that_somebody_edited_are_not_copied(source):
    DocumentBody.objects.filter(document_version=_document(source, "/a.md")).update(text="edited")

    assert _fork(source).error == "runtime.internal"
    assert _stores() == {source.id}
