"""Contract M1 and M6: stores, their owners, settings and lifecycle."""

import pytest
from django.db import IntegrityError, transaction

from memory.models import MemoryStore
from tenancy.models import AuditEntry, PermissionAssignment
from tests.client import Api, random_id
from tests.factories import (
    grant,
    make_admin_key,
    make_agent,
    make_key,
    make_person,
    make_workspace,
)
from tests.stores import StoreClient, as_person, personal_store, shared_store

pytestmark = pytest.mark.django_db

URL = "/v1/memory-stores"
CONTENT_ROUTES = (
    "document?path=/a.md",
    "documents",
    "versions",
    "history?path=/a.md",
    "refs",
    "reflog",
)


def _new(workspace, **more):
    owner = {"kind": "workspace", "id": workspace.id}
    return {"name": "Team memory", "owner": owner, **more}


def test_M1_a_new_store_tells_all_of_itself(admin_api, workspace):
    made = admin_api.post(URL, _new(workspace, description="What we know", metadata={"a": "b"}))

    body = made.ok(201)
    times = {name: body.pop(name) for name in ("created_at", "updated_at")}
    assert body.pop("id").startswith("memstore_")
    assert body.pop("canonical_version").startswith("memver_")
    assert times["created_at"] == times["updated_at"]
    assert body == {
        "workspace": workspace.id,
        "name": "Team memory",
        "description": "What we know",
        "owner": {"kind": "workspace", "id": workspace.id},
        "canonical_writes": "review",
        "self_approval": "denied",
        "metadata": {"a": "b"},
        "version": 1,
        "generation": 0,
        "lifecycle": "active",
        "document_count": 0,
        "total_bytes": 0,
    }


def test_M1_what_was_made_is_what_is_got(admin_api, workspace):
    made = admin_api.post(URL, _new(workspace)).ok(201)

    assert admin_api.get(f"{URL}/{made['id']}").ok() == made


def test_M1_counts_are_canonicals(workspace):
    store = personal_store(workspace)
    store.put("/a.md", "four").ok()
    store.put("/b.md", "sixsix").ok()

    body = store.get().ok()

    assert (body["document_count"], body["total_bytes"]) == (2, 10)


def test_M1_canonical_writes_is_null_unless_shared(workspace):
    assert personal_store(workspace).get().ok()["canonical_writes"] is None


def test_M1_canonical_writes_on_a_personal_store_is_400(admin_api, workspace):
    owner = {"kind": "principal", "id": make_person(workspace).id}
    refused = admin_api.post(URL, _new(workspace, owner=owner, canonical_writes="direct"))

    assert refused.error == "validation.malformed"
    assert "canonical_writes" in refused.message
    assert personal_store(workspace).patch(canonical_writes="review").status == 400


@pytest.mark.parametrize(
    "wrong",
    [
        {"owner": None},
        {"owner": {"kind": "workspace"}},
        {"owner": {"kind": "somebody", "id": "prin_" + "0" * 32}},
        {"owner": {"kind": "principal", "id": "wrkspc_" + "0" * 32}},
        {"name": ""},
        {"name": " spaced "},
        {"name": "two\nlines"},
        {"name": "n" * 201},
        {"name": 7},
        {"description": "d" * 4097},
        {"canonical_writes": "never"},
        {"self_approval": True},
        {"metadata": {"a": 1}},
        {"metadata": {"": "b"}},
        {"metadata": {"k" * 129: "b"}},
        {"metadata": {"a": "v" * 1025}},
        {"metadata": {str(number): "" for number in range(65)}},
        {"metadata": []},
        {"surprise": 1},
    ],
    ids=str,
)
def test_M1_a_malformed_store_is_400_and_named(admin_api, workspace, wrong):
    refused = admin_api.post(URL, _new(workspace) | wrong)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert next(iter(wrong)) in refused.message
    assert not MemoryStore.objects.exists()


def test_M1_patch_changes_what_it_names_and_counts_up(workspace):
    store = personal_store(workspace)
    before = store.get().ok()

    after = store.patch(name="Renamed", metadata={"kept": "no"}).ok()

    assert after["version"] == before["version"] + 1
    assert (after["name"], after["metadata"]) == ("Renamed", {"kept": "no"})
    assert after["description"] == before["description"]
    assert after["updated_at"] >= before["updated_at"]
    assert after == store.get().ok()


def test_M1_patch_needs_the_version(workspace):
    store = personal_store(workspace)

    refused = store.api.patch(store.url(), {"name": "Renamed"})

    assert refused.error == "validation.malformed"
    assert "version" in refused.message


def test_M1_each_mutation_of_a_store_leaves_one_audit_row_without_customer_text(workspace):
    store = personal_store(workspace)
    store.patch(name="Private", metadata={"private": "words"}, lifecycle="archived").ok()

    rows = AuditEntry.objects.filter(target_kind="store").order_by("id")

    assert [(row.event, row.target_id, row.detail) for row in rows] == [
        ("store.created", store.id, {"owner_kind": "principal"}),
        (
            "store.changed",
            store.id,
            {"changed": ["lifecycle", "metadata", "name"], "lifecycle": "archived"},
        ),
    ]


def test_M1_document_writes_do_not_count_the_stores_version(workspace):
    store = personal_store(workspace)
    store.put("/a.md", "text").ok()

    body = store.get().ok()

    assert (body["version"], body["generation"]) == (1, 1)


def test_M1_the_owning_principal_governs_all_but_review(workspace):
    store = personal_store(workspace)

    store.patch(name="N", description="D", metadata={}).ok()
    store.patch(lifecycle="archived").ok()
    assert store.patch(self_approval="allowed").error == "policy.denied"


@pytest.mark.parametrize(
    "change",
    [{"name": "N"}, {"lifecycle": "archived"}, {"canonical_writes": "direct"}],
    ids=str,
)
def test_M1_settings_need_admin_and_never_write(workspace, change):
    store = shared_store(workspace, "read", "write", "review", "act_as")
    admin = as_person(workspace, store.id, "read", "admin")

    refused = store.patch(**change)

    assert refused.error == "policy.denied"
    assert "`admin`" in refused.message
    admin.patch(**change).ok()


def test_M1_an_admin_key_needs_the_grant_too(admin_api, workspace):
    store = StoreClient(admin_api, shared_store(workspace).id)

    assert store.patch(name="N").error == "policy.denied"


def test_M1_lifting_review_from_the_start_needs_admin(workspace):
    person = make_person(workspace)
    grant(person, workspace, "read", "write")
    api = Api(make_key(workspace, principal=person)[1])

    api.post(URL, _new(workspace)).ok(201)
    assert api.post(URL, _new(workspace, canonical_writes="direct")).error == "policy.denied"
    assert api.post(URL, _new(workspace, self_approval="allowed")).error == "policy.denied"
    grant(person, workspace, "admin")
    api.post(URL, _new(workspace, canonical_writes="direct")).ok(201)


def test_M1_an_archived_store_is_read_and_not_written(workspace):
    store = personal_store(workspace)
    version = store.put("/a.md", "kept").ok()["version"]
    store.patch(lifecycle="archived").ok()

    assert store.read("/a.md").ok()["content"] == "kept"
    assert store.pages("versions")
    for refused in (
        store.put("/b.md", "new"),
        store.delete("/a.md", over="kept"),
        store.change({"kind": "delete", "path": "/a.md", "expected_sha256": "sha256:" + "0" * 64}),
    ):
        assert (refused.status, refused.error) == (403, "memory.read_only")
    assert store.canonical == version


def test_M1_an_archived_store_may_be_taken_back(workspace):
    store = personal_store(workspace)
    store.patch(lifecycle="archived").ok()
    store.patch(lifecycle="active").ok()

    store.put("/a.md", "again").ok()


@pytest.mark.parametrize("lifecycle", ["pending", "deleting", "deleted"])
def test_M1_content_of_a_store_that_is_not_there_answers_404(workspace, lifecycle):
    store = personal_store(workspace)
    version = store.canonical
    MemoryStore.objects.filter(id=store.id).update(lifecycle=lifecycle)

    answers = [store.get(route) for route in CONTENT_ROUTES]
    answers.append(store.get("diff", {"base": version, "head": version}))
    answers.append(store.get(f"versions/{version}"))
    answers.append(store.put("/a.md", "text"))
    answers.append(
        store.change(
            {"kind": "put", "path": "/a", "content": "", "expected_sha256": None}, base=version
        )
    )
    answers.append(store.patch(version=1, name="N"))

    assert {answer.error for answer in answers} == {"memory.not_found"}


def test_M1_a_deleted_store_is_not_told_of(workspace):
    store = personal_store(workspace)
    assert store.get().status == 200
    MemoryStore.objects.filter(id=store.id).update(lifecycle="deleted")

    assert store.get().error == "memory.not_found"
    assert store.api.pages(URL) == []


def test_M1_generation_counts_structure_and_lifecycle(workspace):
    store = personal_store(workspace)
    store.put("/a.md", "text").ok()
    store.patch(name="N").ok()
    assert store.get().ok()["generation"] == 1

    store.patch(lifecycle="archived").ok()
    assert store.get().ok()["generation"] == 2


def test_M1_the_owner_decides_never_who_has_access(workspace):
    store = personal_store(workspace)
    store.put("/a.md", "text").ok()
    PermissionAssignment.objects.all().delete()

    assert store.read("/a.md").error == "memory.not_found"
    assert store.get().error == "memory.not_found"


def test_M1_lists_hold_what_the_caller_may_read(workspace, admin_api):
    own, other = personal_store(workspace), personal_store(workspace)

    assert [row["id"] for row in own.api.pages(URL)] == [own.id]
    assert [row["id"] for row in admin_api.pages(URL)] == [other.id, own.id]
    everywhere = make_person(workspace)
    grant(everywhere, workspace, "read")
    assert len(Api(make_key(workspace, principal=everywhere)[1]).pages(URL)) == 2


def test_M1_stores_are_found_by_owner_and_lifecycle(workspace, admin_api):
    own = personal_store(workspace)
    shared = shared_store(workspace)
    own.patch(lifecycle="archived").ok()
    owner = own.get().ok()["owner"]["id"]

    def found(**query):
        return [row["id"] for row in admin_api.pages(URL, query)]

    assert found(owner=owner) == [own.id]
    assert found(owner=workspace.id) == [shared.id]
    assert found(lifecycle="archived") == [own.id]
    assert found(lifecycle="active") == [shared.id]
    assert found(owner=random_id("agent")) == []


def test_M1_stores_are_listed_page_by_page(workspace, admin_api):
    made = [shared_store(workspace).id for _ in range(5)]

    assert [row["id"] for row in admin_api.pages(URL, {"limit": 2})] == made[::-1]


def test_M1_another_workspaces_store_answers_like_a_random_id(workspace):
    store = personal_store(workspace)
    elsewhere = Api(make_admin_key(make_workspace())[1])
    stranger = as_person(workspace, store.id)

    for api in (elsewhere, stranger.api):
        foreign, random = StoreClient(api, store.id), StoreClient(api, random_id("store"))
        for route in ("", *CONTENT_ROUTES):
            assert foreign.get(route).body == random.get(route).body
            assert foreign.get(route).status == 404
        assert foreign.put("/a", "b").body == random.put("/a", "b").body
        assert foreign.patch(version=1).body == random.patch(version=1).body


OWNERS = {
    "principal": lambda workspace: make_person(workspace).id,
    "agent_definition": lambda workspace: make_agent(workspace).id,
    "workspace": lambda workspace: workspace.id,
}


@pytest.mark.parametrize("kind", OWNERS)
def test_M6_creation_grants_the_owner_read_and_write_except_a_workspace(admin_api, workspace, kind):
    owner = {"kind": kind, "id": OWNERS[kind](workspace)}
    store = admin_api.post(URL, _new(workspace, owner=owner)).ok(201)

    granted = PermissionAssignment.objects.filter(target_uuid=store["id"])

    assert store["owner"] == owner
    assert store["canonical_writes"] == (None if kind == "principal" else "review")
    if kind == "workspace":
        assert not granted
    else:
        assert granted.get().permissions == ["read", "write"]
        assert granted.get().subject_id == owner["id"]


@pytest.mark.parametrize(
    "kind", ["principal", "agent_definition", "session", "collaboration_space"]
)
def test_M6_an_owner_that_does_not_exist_is_400(admin_api, workspace, kind):
    owner = {"kind": kind, "id": random_id(kind)}

    refused = admin_api.post(URL, _new(workspace, owner=owner))

    assert refused.error == "validation.malformed"
    assert "owner" in refused.message


def test_M6_an_owner_of_another_workspace_does_not_exist(admin_api, workspace):
    owner = {"kind": "principal", "id": make_person(make_workspace()).id}

    assert admin_api.post(URL, _new(workspace, owner=owner)).status == 400


def test_M6_anybody_makes_stores_for_themselves_only(workspace, standard_api):
    other = {"kind": "principal", "id": make_person(workspace).id}

    assert standard_api.post(URL, _new(workspace, owner=other)).error == "policy.denied"
    assert standard_api.post(URL, _new(workspace)).error == "policy.denied"
    assert standard_api.get(URL).ok()["data"] == []


@pytest.mark.parametrize(
    ("kind", "writes"),
    [("workspace", None), ("principal", "direct"), ("session", "review"), ("nobody", None)],
)
def test_M6_the_database_refuses_an_owner_of_no_known_form(workspace, kind, writes):
    store = personal_store(workspace)

    with pytest.raises(IntegrityError), transaction.atomic():
        MemoryStore.objects.filter(id=store.id).update(owner_kind=kind, canonical_writes=writes)
