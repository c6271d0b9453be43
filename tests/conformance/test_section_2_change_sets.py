"""Contract R4: change sets on one ref, all or nothing."""

import pytest
from django.db import transaction

from memory import refs
from memory.actors import IMPORTER
from memory.models import DocumentVersion, MemoryVersion, RefKind, TreePage, VersionNote
from memory.refs import RefName
from tenancy.models import AuditEntry
from tests.client import random_id
from tests.stores import delete_operation, hash_of, personal_store, put_operation

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return personal_store(workspace)


def test_R4_a_change_set_tells_what_it_did(store):
    store.put("/gone.md", "gone").ok()
    store.put("/kept.md", "kept").ok()

    outcome = store.change(
        put_operation("/new.md", "new"),
        put_operation("/kept.md", "changed", over="kept"),
        delete_operation("/gone.md", over="gone"),
    ).ok()

    version = store.get(f"versions/{outcome['version']}").ok()
    assert outcome == {
        "version": store.canonical,
        "unchanged": False,
        "changed_paths": ["/gone.md", "/kept.md", "/new.md"],
        "tree_hash": version["tree_hash"],
        "replayed": False,
    }
    assert [row["path"] for row in store.pages("documents")] == ["/kept.md", "/new.md"]


def test_R4_it_is_all_or_nothing(store):
    store.put("/a.md", "one").ok()
    before = store.canonical

    refused = store.change(
        put_operation("/new.md", "new"),
        put_operation("/a.md", "two", over="not one"),
        put_operation("/other.md", "x", over="y"),
    )

    assert refused.error == "memory.conflict"
    assert "/a.md, /other.md" in refused.message
    assert "/new.md" not in refused.message
    assert store.canonical == before
    assert MemoryVersion.objects.filter(store=store.id).count() == 2
    assert not DocumentVersion.objects.filter(path="/new.md").exists()


def test_R4_twenty_paths_are_named_and_the_rest_counted(store):
    operations = [put_operation(f"/{number:03}", "x", over="y") for number in range(25)]

    refused = store.change(*operations)

    assert "/019" in refused.message
    assert "/020" not in refused.message
    assert "and 5 more" in refused.message


def test_R4_what_alters_nothing_makes_no_version(store):
    version = store.put("/a.md", "one").ok()["version"]
    tree_hash = store.get(f"versions/{version}").ok()["tree_hash"]

    outcome = store.change(put_operation("/a.md", "one", over="one"), message="again").ok()

    assert outcome == {
        "version": None,
        "unchanged": True,
        "changed_paths": [],
        "tree_hash": tree_hash,
        "replayed": False,
    }
    assert store.canonical == version
    assert not VersionNote.objects.exists()


def test_R4_what_stays_the_same_is_no_changed_path(store):
    store.put("/a.md", "one").ok()

    outcome = store.change(
        put_operation("/a.md", "one", over="one"), put_operation("/b.md", "two")
    ).ok()

    assert outcome["changed_paths"] == ["/b.md"]
    assert DocumentVersion.objects.filter(path="/a.md").count() == 1


def test_R4_from_one_to_two_hundred_operations(store):
    assert store.change().error == "validation.malformed"
    many = [put_operation(f"/{number}", "x") for number in range(201)]
    assert store.change(*many).error == "validation.malformed"

    assert len(store.change(*many[:200]).ok()["changed_paths"]) == 200


def test_R4_a_path_is_changed_once(store):
    store.put("/a.md", "one").ok()

    refused = store.change(
        put_operation("/a.md", "two", over="one"), delete_operation("/a.md", over="one")
    )

    assert refused.error == "validation.malformed"
    assert "operations" in refused.message
    assert "/a.md" in refused.message


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"kind": "move"}, "kind"),
        ({"kind": None}, "kind"),
        ({"path": "a.md"}, "path"),
        ({"content": None}, "content"),
        ({"content": "x" * 102_401}, "content"),
        ({"expected_sha256": ""}, "expected_sha256"),
        ({"expected_sha256": "0" * 64}, "expected_sha256"),
        ({"expected_sha256": "sha256:" + "A" * 64}, "expected_sha256"),
        ({"media_type": "text"}, "media_type"),
        ({"provenance": {}}, "provenance"),
        ({"surprise": 1}, "surprise"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_R4_a_malformed_operation_is_400_and_named(store, wrong, named):
    refused = store.change(put_operation("/fine", "x"), put_operation("/a.md", "x") | wrong)

    assert refused.error == "validation.malformed"
    assert "operations[1]" in refused.message
    assert named in refused.message


@pytest.mark.parametrize("operation", [put_operation("/a", "x"), delete_operation("/a", over="x")])
def test_R4_the_expected_hash_must_be_said(store, operation):
    refused = store.change({k: v for k, v in operation.items() if k != "expected_sha256"})

    assert refused.error == "validation.malformed"
    assert "expected_sha256" in refused.message


def test_R4_null_is_no_precondition_of_a_delete(store):
    refused = store.change({"kind": "delete", "path": "/a", "expected_sha256": None})

    assert refused.error == "validation.malformed"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"base_version": None},
        {"base_version": "latest"},
        {"ref": "canonical"},
        {"operations": {}},
        {"message": ""},
        {"message": "m" * 4097},
        {"message": 1},
        {"turn": 1},
    ],
    ids=lambda body: str(body)[:30],
)
def test_R4_a_malformed_change_set_is_400(store, body):
    whole = {
        "ref": {"kind": "canonical"},
        "base_version": store.canonical,
        "operations": [put_operation("/a", "x")],
    }

    refused = store.api.post(store.url("change-sets"), (whole | body) if body else {})

    assert refused.error == "validation.malformed"


def test_R4_a_body_over_eight_mebibytes_is_400(store):
    operations = [put_operation(f"/{number}", "x" * 102_400) for number in range(82)]

    refused = store.change(*operations)

    assert refused.error == "validation.malformed"
    assert "8,388,608" in refused.message
    assert store.pages("documents") == []


def test_R4_eight_mebibytes_of_texts_fit(store):
    operations = [put_operation(f"/{number}", "x" * 102_400) for number in range(81)]

    outcome = store.change(*operations).ok()

    assert store.get(f"versions/{outcome['version']}").ok()["total_bytes"] == 81 * 102_400


def test_R4_a_session_ref_moves_and_canonical_stays(store):
    base = store.put("/a.md", "shared").ok()["version"]
    session = random_id("session")
    with transaction.atomic():
        refs.create(
            store_id=store.id, name=RefName(RefKind.SESSION, session), at=base, actor=IMPORTER
        )

    outcome = store.change(
        put_operation("/a.md", "mine", over="shared"),
        ref={"kind": "session", "session": session},
        base=base,
    ).ok()

    assert store.canonical == base
    assert store.read("/a.md").ok()["content"] == "shared"
    assert store.read("/a.md", outcome["version"]).ok()["content"] == "mine"


def test_R4_a_ref_that_the_store_has_not_is_404(store):
    refused = store.change(
        put_operation("/a.md", "x"), ref={"kind": "session", "session": random_id("session")}
    )

    assert refused.error == "memory.not_found"


def test_R4_a_message_stands_beside_the_version(store):
    version = store.change(put_operation("/a.md", "x"), message="Why\nand how").ok()["version"]

    assert VersionNote.objects.get().version_id == version
    assert store.get(f"versions/{version}").ok()["message"] == "Why\nand how"


def test_R4_provenance_comes_along(store):
    provenance = {
        "source_event_ids": [],
        "source_version_ids": [store.canonical],
        "source_refs": [],
        "confidence": "observed",
        "valid_from": "2026-08-27T09:30:00.000Z",
    }
    store.change(put_operation("/a.md", "x", provenance=provenance)).ok()

    assert store.read("/a.md").ok()["provenance"] == provenance


def test_R4_a_write_leaves_one_audit_row_without_customer_text(store):
    outcome = store.change(put_operation("/secret/path.md", "text"), message="words").ok()

    entry = AuditEntry.objects.get(event="store.written")

    assert entry.target_id == store.id
    assert entry.detail == {
        "ref": "canonical",
        "version": outcome["version"],
        "paths": 1,
        "tree_hash": outcome["tree_hash"],
    }


def test_R4_one_document_among_many_costs_one_page(store):
    store.change(*(put_operation(f"/d/{number}", "x") for number in range(200))).ok()
    before = TreePage.objects.count()

    store.put("/d/100", "y", over="x").ok()

    assert before > 2
    assert TreePage.objects.count() == before + 1


@pytest.mark.parametrize("documents", [1, 200])
def test_R4_its_queries_do_not_grow_with_the_tree(store, documents, django_assert_max_num_queries):
    store.change(*(put_operation(f"/d/{number}", "x") for number in range(documents))).ok()
    base = store.canonical

    with django_assert_max_num_queries(22):  # savepoints of the test's own transaction included
        store.change(put_operation("/d/0", "y", over="x"), base=base).ok()


def test_R4_its_queries_do_not_grow_with_the_operations(store, django_assert_max_num_queries):
    base = store.canonical

    with django_assert_max_num_queries(23):
        store.change(*(put_operation(f"/{number}", "x") for number in range(200)), base=base).ok()


def test_R4_hash_and_content_agree(store):
    outcome = store.change(put_operation("/a.md", "text")).ok()

    assert store.read("/a.md", outcome["version"]).ok()["content_sha256"] == hash_of("text")
