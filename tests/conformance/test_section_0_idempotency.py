"""Contract §0 "Idempotency-Key" on the writes of stores and documents."""

import json

import pytest

from memory.models import IdempotencyReceipt, MemoryStore, MemoryVersion
from tenancy.models import ApiKey, PermissionAssignment
from tests.client import Api
from tests.factories import make_key
from tests.stores import (
    StoreClient,
    delete_operation,
    personal_store,
    put_operation,
    shared_store,
)

pytestmark = pytest.mark.django_db

REPLAYED = "Checkfu-Replayed"


@pytest.fixture
def store(workspace):
    store = personal_store(workspace)
    store.put("/a.md", "one", key=None).ok()
    return store


# --- the same request again -------------------------------------------------------------------


def test_a_change_set_is_carried_out_once_and_told_as_often_as_asked(store):
    base = store.canonical
    first = store.change(put_operation("/b.md", "two"), base=base, key="k").ok()
    store.put("/c.md", "later").ok()

    again = store.change(put_operation("/b.md", "two"), base=base, key="k")

    assert again.ok() == first | {"replayed": True}
    assert REPLAYED not in again.headers
    assert MemoryVersion.objects.filter(id=first["version"]).count() == 1
    assert MemoryVersion.objects.filter(store=store.id).count() == 4


def test_an_unchanged_outcome_is_told_again_too(store):
    base = store.canonical
    same = put_operation("/a.md", "one", over="one")
    first = store.change(same, base=base, key="k").ok()
    store.put("/a.md", "two", over="one").ok()

    assert store.change(same, base=base, key="k").ok() == first | {"replayed": True}


def test_a_document_write_keeps_its_shape_and_says_so_in_a_header(store):
    first = store.put("/b.md", "two", key="k")
    store.put("/b.md", "three", over="two").ok()

    again = store.put("/b.md", "two", key="k")

    assert again.ok() == first.ok()
    assert again.headers[REPLAYED] == "true"
    assert again.headers["ETag"] == first.headers["ETag"]
    assert store.read("/b.md").ok()["content"] == "three"


def test_a_delete_is_told_again(store):
    first = store.delete("/a.md", over="one", key="k")
    store.put("/a.md", "back").ok()

    again = store.delete("/a.md", over="one", key="k")

    assert again.ok() == first.ok()
    assert again.headers[REPLAYED] == "true"
    assert store.read("/a.md").ok()["content"] == "back"


def test_a_store_is_made_once(workspace, admin_api):
    body = {"name": "Team", "owner": {"kind": "workspace", "id": workspace.id}}
    first = admin_api.post("/v1/memory-stores", body, key="k")

    again = admin_api.post("/v1/memory-stores", body, key="k")

    assert again.ok(201) == first.ok(201)
    assert (REPLAYED in first.headers, again.headers[REPLAYED]) == (False, "true")
    assert MemoryStore.objects.count() == 1


def test_without_a_key_nothing_is_remembered(workspace, admin_api):
    body = {"name": "Team", "owner": {"kind": "workspace", "id": workspace.id}}
    admin_api.post("/v1/memory-stores", body, key=None).ok(201)
    admin_api.post("/v1/memory-stores", body, key=None).ok(201)

    assert MemoryStore.objects.count() == 2
    assert not IdempotencyReceipt.objects.exists()


# --- another request with the same key ---------------------------------------------------------


def test_other_input_with_the_same_key_is_409(store):
    base = store.canonical
    store.change(put_operation("/b.md", "two"), base=base, key="k").ok()

    for other in (
        store.change(put_operation("/b.md", "2"), base=base, key="k"),
        store.change(put_operation("/b.md", "two"), base=base, key="k", message="m"),
        store.put("/b.md", "two", over="two", key="k"),
        store.delete("/b.md", over="two", key="k"),
    ):
        assert (other.status, other.error) == (409, "memory.conflict")
        assert "Idempotency-Key" in other.message


def test_another_target_or_precondition_is_other_input(store):
    store.put("/b.md", "two", key="k").ok()

    assert store.put("/c.md", "two", key="k").error == "memory.conflict"
    assert store.put("/b.md", "two", over="two", key="k").error == "memory.conflict"


def test_spelling_is_not_input(store):
    base = store.canonical
    operation = put_operation("/b.md", "two")
    first = store.change(operation, base=base, key="k").ok()

    reordered = dict(reversed(operation.items()))
    revision = base.replace("memver_", "mrev_")

    assert store.change(reordered, base=revision, key="k").ok() == first | {"replayed": True}


def test_keys_belong_to_their_caller(workspace, store):
    principal = ApiKey.objects.exclude(principal=None).get().principal
    other = StoreClient(Api(make_key(workspace, principal=principal)[1]), store.id)
    store.put("/b.md", "two", key="k").ok()

    other.put("/c.md", "three", key="k").ok()

    assert store.read("/c.md").status == 200


# --- only commits leave a receipt ---------------------------------------------------------------


def test_a_refused_request_may_be_sent_again_with_its_key(store):
    refused = store.put("/a.md", "two", over="zero", key="k")
    assert refused.error == "memory.conflict"
    assert not IdempotencyReceipt.objects.exists()

    store.put("/a.md", "two", over="one", key="k").ok()


@pytest.mark.parametrize("break_it", ["syntax", "grant", "lifecycle", "precondition"])
def test_no_error_leaves_a_receipt(workspace, break_it):
    store = shared_store(workspace, "read", "write")
    path = "/a.md" if break_it != "syntax" else "a.md"
    base = store.canonical
    if break_it == "grant":
        PermissionAssignment.objects.update(permissions=["read"])
    if break_it == "lifecycle":
        MemoryStore.objects.update(lifecycle="archived")
    over = "nothing" if break_it == "precondition" else None

    assert store.change(put_operation(path, "x", over=over), base=base, key="k").status >= 400
    assert not IdempotencyReceipt.objects.exists()


# --- a replay is asked for again ---------------------------------------------------------------


def test_a_replay_needs_the_grant_now(workspace):
    store = shared_store(workspace, "read", "write")
    first = store.put("/a.md", "one", key="k").ok()
    PermissionAssignment.objects.update(permissions=["read"])

    assert store.put("/a.md", "one", key="k").error == "policy.denied"
    PermissionAssignment.objects.all().delete()
    assert store.put("/a.md", "one", key="k").error == "memory.not_found"
    assert first["version"]


def test_a_replay_needs_a_store_that_takes_writes(store):
    store.put("/b.md", "two", key="k").ok()
    store.patch(lifecycle="archived").ok()

    assert store.put("/b.md", "two", key="k").error == "memory.read_only"


def test_a_replayed_creation_needs_the_grant_now(workspace):
    store = personal_store(workspace)
    body = {"name": "Mine", "owner": store.get().ok()["owner"]}
    made = store.api.post("/v1/memory-stores", body, key="k").ok(201)
    PermissionAssignment.objects.filter(target_uuid=made["id"]).delete()

    assert store.api.post("/v1/memory-stores", body, key="k").error == "memory.not_found"


def test_a_replayed_creation_resurrects_nothing(workspace, admin_api):
    body = {"name": "Team", "owner": {"kind": "workspace", "id": workspace.id}}
    admin_api.post("/v1/memory-stores", body, key="k").ok(201)
    MemoryStore.objects.update(lifecycle="deleted")

    assert admin_api.post("/v1/memory-stores", body, key="k").error == "memory.not_found"
    assert MemoryStore.objects.count() == 1


# --- the header and the row ---------------------------------------------------------------------


@pytest.mark.parametrize("key", ["", "k" * 256, "tab\there", "ключ", "line\u2028"])
def test_a_key_of_another_form_is_400(store, key):
    base = store.canonical
    body = {
        "ref": {"kind": "canonical"},
        "base_version": base,
        "operations": [put_operation("/b", "x")],
    }
    raw = json.dumps(body).encode()

    refused = store.api.request(
        "POST", store.url("change-sets"), raw=raw, more={"Idempotency-Key": key}
    )

    assert refused.error == "validation.malformed"
    assert "Idempotency-Key" in refused.message


@pytest.mark.parametrize("key", ["k", " ", "~" * 255, "a b:c/d=?é".replace("é", "e")])
def test_a_key_is_printable_ascii(store, key):
    store.change(put_operation("/b.md", "two"), key=key).ok()


def test_a_change_set_needs_a_key(store):
    refused = store.change(put_operation("/b.md", "two"), key=None)

    assert refused.error == "validation.malformed"
    assert "Idempotency-Key" in refused.message


def test_a_receipt_holds_identifiers_and_neither_paths_nor_texts(store):
    base = store.canonical
    store.change(
        put_operation("/private/path.md", "private text"),
        delete_operation("/a.md", over="one"),
        base=base,
        key="k",
        message="private words",
    ).ok()

    receipt = IdempotencyReceipt.objects.get()

    assert receipt.store_id == store.id
    assert receipt.outcome == {"version": store.canonical, "base": base}
    assert len(bytes(receipt.fingerprint)) == 32
