"""Contract M2 and M7: documents, their paths and texts, and where they come from."""

import hashlib
import json

import pytest

from memory.models import BodyErasure, DocumentBody, DocumentVersion
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.stores import delete_operation, hash_of, personal_store, put_operation

pytestmark = pytest.mark.django_db

LARGEST = 102_400


@pytest.fixture
def store(workspace):
    return personal_store(workspace)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no newline",
        "\n",
        "\r\nwindows\r\n",
        "\ufeffwith a byte order mark",
        "e\u0301 stays decomposed, \u00e9 stays composed",
        "tabs\tand trailing blanks  \n\n\n",
        "\u2028\u2029\x0b\x0c\x1b",
        "😀" * 100,
        "a" * LARGEST,
        "é" * (LARGEST // 2),
    ],
    ids=lambda content: repr(content[:12]),
)
def test_M2_exact_bytes_are_kept(store, content):
    store.put("/a.txt", content).ok()

    read = store.read("/a.txt").ok()

    assert read["content"] == content
    assert read["bytes"] == len(content.encode())
    assert read["content_sha256"] == "sha256:" + hashlib.sha256(content.encode()).hexdigest()


@pytest.mark.parametrize(
    "content",
    ["a" * (LARGEST + 1), "é" * (LARGEST // 2) + "a", "nul \0", 7, None, ["text"]],
    ids=lambda content: repr(content)[:12],
)
def test_M2_a_text_that_cannot_be_kept_is_400(store, content):
    refused = store.put("/a.txt", content)

    assert refused.error == "validation.malformed"
    assert "content" in refused.message
    assert store.read("/a.txt").error == "memory.not_found"


def test_M2_a_lone_surrogate_is_400(store):
    raw = rb'{"content": "\ud800"}'
    refused = store.api.request(
        "PUT", store.url("document") + "?path=/a", raw=raw, more={"If_None_Match": "*"}
    )

    assert refused.error == "validation.malformed"


@pytest.mark.parametrize(
    "path",
    [
        "/a",
        "/notes/today.md",
        "/" + "/".join("d" * 29 for _ in range(32)),
        "/" + "s" * 255,
        "/é/日本語/😀.md",
        "/with blank/and+plus&amp%25.md",
        "/..hidden/...",
        "/~tilde/:colon/*star/?question/#hash",
    ],
)
def test_M2_paths_that_are_fine(store, path):
    store.put(path, "text").ok()

    assert store.read(path).ok()["path"] == path


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("", ""),
        ("/", ""),
        ("notes.md", "the normalized form is /notes.md"),
        ("/notes/", "the normalized form is /notes"),
        ("/a//b", "the normalized form is /a/b"),
        ("/a/./b", "the normalized form is /a/b"),
        ("/a/../b", "the normalized form is /b"),
        ("//a", "the normalized form is /a"),
        ("/e\u0301", "the normalized form is /\u00e9"),
        ("/a\\b", "backslash"),
        ("/a\x01b", "control"),
        ("/a\u202eb", "bidi"),
        ("/a\u200bb", "zero-width"),
        ("/" + "s" * 256, "255"),
        ("/" + "/".join("d" * 40 for _ in range(26)), "1,024"),
        ("/" + "/".join("d" for _ in range(33)), "32"),
    ],
)
def test_M2_a_path_is_refused_with_its_normalized_form_never_changed(store, path, hint):
    refused = store.put(path, "text")

    assert refused.error == "validation.malformed"
    assert "path" in refused.message
    assert hint in refused.message
    assert store.pages("documents") == []


def test_M2_a_media_type_is_by_the_ending_unless_given(store):
    store.put("/a.md", "1").ok()
    store.put("/a.csv", "1").ok()
    store.put("/b.md", "1", media_type="application/x.own+json").ok()

    found = {row["path"]: row["media_type"] for row in store.pages("documents")}

    assert found == {
        "/a.md": "text/markdown",
        "/a.csv": "text/plain",
        "/b.md": "application/x.own+json",
    }


@pytest.mark.parametrize(
    "media_type",
    ["", "text", "text/", "/plain", "text/plain; charset=utf-8", "text/pl ain", "a/" + "b" * 254],
)
def test_M2_a_media_type_of_another_form_is_400(store, media_type):
    refused = store.put("/a", "text", media_type=media_type)

    assert refused.error == "validation.malformed"
    assert "media_type" in refused.message


@pytest.mark.parametrize(("first", "second"), [("/a", "/a/b"), ("/a/b", "/a"), ("/a/b/c", "/a")])
def test_M2_a_document_cannot_also_be_a_directory(store, first, second):
    store.put(first, "text").ok()

    refused = store.put(second, "text")

    assert refused.error == "memory.conflict"
    assert first in refused.message
    assert second in refused.message


def test_M2_nor_within_one_change_set(store):
    refused = store.change(put_operation("/a", "1"), put_operation("/a/b", "2"))

    assert refused.error == "memory.conflict"


def test_M2_a_document_may_become_a_directory_in_one_change_set(store):
    store.put("/a", "text").ok()

    store.change(delete_operation("/a", over="text"), put_operation("/a/b", "text")).ok()

    assert [row["path"] for row in store.pages("documents")] == ["/a/b"]


def test_M2_neighbours_of_a_directory_do_not_clash(store):
    for path in ("/a-b", "/a/b", "/a.b", "/ab"):
        store.put(path, "text").ok()

    assert store.put("/a", "text").error == "memory.conflict"


def test_M2_a_store_holds_so_many_documents_and_no_more(store, settings):
    settings.MAX_DOCUMENTS = 2
    store.put("/a", "1").ok()
    store.put("/b", "2").ok()

    refused = store.put("/c", "3")

    assert (refused.status, refused.error) == (422, "validation.range_too_large")
    store.change(delete_operation("/a", over="1"), put_operation("/c", "3")).ok()


PROVENANCE = {
    "source_event_ids": [random_id("event")],
    "source_version_ids": [random_id("version")],
    "source_refs": ["https://example.com/a#b", "ticket 7"],
    "confidence": "inferred",
    "valid_from": "2026-08-27T09:30:00.000Z",
    "curation_run": random_id("curation"),
    "supersedes": {"path": "/old.md", "version": random_id("version")},
}


def _exported(provenance):
    """What exports spell, worked out by hand."""
    exported = dict(provenance)
    versions = exported.pop("source_version_ids")
    exported["source_revision_ids"] = [one.replace("memver_", "mrev_") for one in versions]
    if "supersedes" in exported:
        replaced = exported["supersedes"]
        revision = replaced["version"].replace("memver_", "mrev_")
        exported["supersedes"] = {"path": replaced["path"], "revision": revision}
    return exported


def test_M7_provenance_is_told_again(store):
    store.put("/a.md", "text", provenance=PROVENANCE).ok()

    assert store.read("/a.md").ok()["provenance"] == PROVENANCE


def test_M7_provenance_takes_either_spelling_of_a_snapshot(store):
    revision = random_id("version").replace("memver_", "mrev_")
    store.put("/a.md", "text", provenance=PROVENANCE | {"source_version_ids": [revision]}).ok()

    told = store.read("/a.md").ok()["provenance"]["source_version_ids"]

    assert told == [revision.replace("mrev_", "memver_")]


@pytest.mark.parametrize("provenance", [PROVENANCE, PROVENANCE | {"source_refs": ["é\u2028<"]}])
def test_M7_its_digest_is_of_the_exports_spelling_as_canonical_json(store, provenance):
    store.put("/a.md", "text", provenance=provenance).ok()

    row = DocumentVersion.objects.select_related("body").get()
    spelled = json.dumps(
        _exported(provenance), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert row.body.provenance == _exported(provenance)
    assert row.provenance_sha256 == hashlib.sha256(spelled.encode()).digest()


def test_M7_no_provenance_has_no_digest(store):
    store.put("/a.md", "text").ok()

    assert DocumentVersion.objects.get().provenance_sha256 is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence": "sure"},
        {"valid_from": "yesterday"},
        {"source_refs": [""]},
        {"source_refs": ["r" * 1025]},
        {"source_refs": ["r"] * 257},
        {"source_event_ids": ["evt_1"]},
        {"source_version_ids": [random_id("event")]},
        {"curation_run": random_id("run")},
        {"supersedes": {"path": "old.md", "version": random_id("version")}},
        {"supersedes": {"path": "/old.md"}},
        {"more": 1},
    ],
    ids=lambda wrong: f"{next(iter(wrong))}-{len(str(wrong))}",
)
def test_M7_provenance_is_closed(store, wrong):
    refused = store.put("/a.md", "text", provenance=PROVENANCE | wrong)

    assert refused.error == "validation.malformed"
    assert f"provenance.{next(iter(wrong))}" in refused.message


@pytest.mark.parametrize("reference", ["\U00010000", "\u0001"])
def test_M7_provenance_is_bounded_as_exports_spell_it(store, reference):
    refs = [reference * 1024] * 256

    refused = store.put("/a.md", "text", provenance=PROVENANCE | {"source_refs": refs})

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert "provenance" in refused.message
    assert "409,600" in refused.message


def test_M7_a_document_version_is_one_write(store):
    first = store.put("/a.md", "one").ok()["version"]
    store.put("/b.md", "one").ok()
    second = store.put("/a.md", "two", over="one").ok()["version"]

    rows = DocumentVersion.objects.filter(path="/a.md").order_by("id")

    assert [row.introduced_by_id for row in rows] == [first, second]
    assert DocumentVersion.objects.count() == 3


@pytest.mark.parametrize("reason", BodyErasure.Reason.values)
def test_M7_erasing_takes_the_body_and_leaves_the_structure(store, reason):
    written = store.put("/a.md", "secret", provenance=PROVENANCE).ok()
    row = DocumentVersion.objects.get()
    erase_bodies(store.id, [row.id], reason)

    refused = store.read("/a.md")
    entry = store.pages("documents")[0]

    assert refused.error == "memory.not_found"
    assert f"erased ({reason})" in refused.message
    assert entry["content_sha256"] == hash_of("secret")
    assert entry["erased"]["reason"] == reason
    assert entry["introduced_version"] == written["version"]
    assert not DocumentBody.objects.exists()
    assert DocumentVersion.objects.get().provenance_sha256 == row.provenance_sha256
