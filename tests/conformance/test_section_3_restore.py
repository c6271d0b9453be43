"""Contract C3: restoring an earlier version opens a Proposal, and nothing moves before approval."""

import pytest

from memory.models import DocumentVersion
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.stores import as_person, delete_operation, put_operation, shared_store

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return shared_store(workspace)


@pytest.fixture
def first(store):
    """A version that canonical has left since: /a.md changed, /b.md gone, /c.md new."""
    version = store.change(
        put_operation("/a.md", "one"), put_operation("/b.md", "b"), put_operation("/same.md", "s")
    ).ok()["version"]
    store.change(
        put_operation("/a.md", "two", over="one"),
        delete_operation("/b.md", over="b"),
        put_operation("/c.md", "c"),
    ).ok()
    return version


def _restore(store, version, **more):
    body = {"title": "As it was", "restore_version": version, **more}
    return store.api.post(store.url("proposals"), body)


def test_C3_a_restore_proposes_the_whole_tree_of_the_version(store, first):
    before = store.canonical

    proposal = _restore(store, first).ok(201)

    assert (proposal["status"], proposal["base_version"]) == ("open", before)
    assert store.canonical == before
    head = store.get(f"versions/{proposal['head_version']}").ok()
    old = store.get(f"versions/{first}").ok()
    assert (head["kind"], head["parent_version"]) == ("proposal", before)
    assert head["tree_hash"] == old["tree_hash"]
    diff = store.get("diff", {"base": before, "head": head["id"]}).ok()
    assert [(row["path"], row["status"]) for row in diff["data"]] == [
        ("/a.md", "modified"),
        ("/b.md", "added"),
        ("/c.md", "deleted"),
    ]


def test_C3_restoring_what_canonical_holds_is_refused(store, first):
    refused = _restore(store, store.canonical)

    assert (refused.status, refused.error) == (400, "validation.malformed")


def test_C3_an_erased_text_is_not_restored(store, first):
    erased = DocumentVersion.objects.get(path="/b.md").id
    erase_bodies(store.id, [erased])

    refused = _restore(store, first)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert "/b.md" in refused.message


def test_C3_a_restore_needs_write_and_a_version_of_the_store(workspace, store, first):
    assert _restore(as_person(workspace, store.id, "read"), first).error == "policy.denied"
    assert _restore(as_person(workspace, store.id), first).status == 404
    assert _restore(store, random_id("version")).status == 404


def test_C3_a_proposal_has_one_head_only(store, first):
    assert _restore(store, first, head_version=first).status == 400
    assert _restore(store, first, operations=[put_operation("/d.md", "d")]).status == 400
