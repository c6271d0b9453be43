"""Contract R1 and R2: one document, read at an exact version and written to canonical."""

import pytest

from memory.models import DocumentVersion
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.stores import hash_of, personal_store, put_operation, tag

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return personal_store(workspace)


# --- R1 --------------------------------------------------------------------------------------


def test_R1_a_read_tells_its_exact_version_and_all_of_the_document(store):
    written = store.put("/notes/today.md", "# Today\n").ok()

    read = store.read("/notes/today.md")

    assert read.ok() == {
        "store": store.id,
        "path": "/notes/today.md",
        "version": written["version"],
        "content": "# Today\n",
        "content_sha256": hash_of("# Today\n"),
        "media_type": "text/markdown",
        "bytes": 8,
        "provenance": None,
        "expires_at": None,
    }
    assert read.headers["ETag"] == tag("# Today\n")
    assert read.headers["Cache-Control"] == "no-store"
    assert written["version"] == store.canonical


def test_R1_an_exact_version_stays_what_it_was(store):
    first = store.put("/a.md", "one").ok()["version"]
    second = store.put("/a.md", "two", over="one").ok()["version"]
    third = store.delete("/a.md", over="two").ok()["version"]

    assert store.read("/a.md", first).ok()["content"] == "one"
    assert store.read("/a.md", second).ok()["content"] == "two"
    assert store.read("/a.md", third).error == "memory.not_found"
    assert store.read("/a.md").error == "memory.not_found"


def test_R1_a_document_is_read_at_versions_that_did_not_touch_it(store):
    store.put("/a.md", "one").ok()
    later = store.put("/b.md", "other").ok()["version"]

    assert store.read("/a.md", later).ok()["version"] == later


def test_R1_a_version_that_the_store_has_not_refuses_and_never_falls_back(workspace, store):
    store.put("/a.md", "text").ok()
    other = personal_store(workspace)
    foreign = other.put("/a.md", "foreign").ok()["version"]

    assert store.read("/a.md", random_id("version")).error == "memory.not_found"
    assert store.read("/a.md", foreign).error == "memory.not_found"


def test_R1_an_erased_body_is_404_and_says_why(store):
    first = store.put("/a.md", "secret").ok()["version"]
    store.put("/a.md", "clean", over="secret").ok()
    erase_bodies(store.id, [DocumentVersion.objects.get(introduced_by=first).id])

    refused = store.read("/a.md", first)

    assert (refused.status, refused.error) == (404, "memory.not_found")
    assert "erased (redacted)" in refused.message
    assert "secret" not in refused.message
    assert store.read("/a.md").ok()["content"] == "clean"


@pytest.mark.parametrize(
    "known",
    [tag("text"), f"W/{tag('text')}", "*", f'"other", {tag("text")}', f"{tag('text')},{tag('x')}"],
)
def test_R1_what_the_client_has_already_is_not_sent_again(store, known):
    store.put("/a.md", "text").ok()

    answer = store.read("/a.md", If_None_Match=known)

    assert (answer.status, answer.content) == (304, b"")
    assert answer.headers["ETag"] == tag("text")
    assert answer.headers["Checkfu-Workspace-Id"].startswith("wrkspc_")


@pytest.mark.parametrize("known", [tag("other"), "", "nonsense", hash_of("text"), '"'])
def test_R1_what_it_has_not_is_sent(store, known):
    store.put("/a.md", "text").ok()

    assert store.read("/a.md", If_None_Match=known).ok()["content"] == "text"


def test_R1_an_erased_body_is_404_even_to_who_has_it(store):
    store.put("/a.md", "secret").ok()
    erase_bodies(store.id, [DocumentVersion.objects.get().id])

    assert store.read("/a.md", If_None_Match=tag("secret")).status == 404
    assert store.read("/a.md", If_None_Match="*").status == 404


def test_R1_head_is_the_read_without_its_body(store):
    store.put("/a.md", "text").ok()

    answer = store.api.request("HEAD", store.url("document"), query={"path": "/a.md"})

    assert (answer.status, answer.content) == (200, b"")
    assert answer.headers["ETag"] == tag("text")


@pytest.mark.parametrize("exact", [False, True])
def test_R1_an_exact_read_is_four_queries(store, exact, django_assert_max_num_queries):
    version = store.change(
        *(put_operation(f"/d/{number}.md", str(number)) for number in range(150))
    ).ok()["version"]

    with django_assert_max_num_queries(4):
        store.read("/d/75.md", version if exact else None).ok()


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"path": "a.md"},
        {"path": "/a.md", "version": "latest"},
        {"path": "/a.md", "version": "memver_1"},
        {"path": "/a.md", "version": ""},
        {"path": "/a.md", "ref": "canonical"},
        {"path": ["/a.md", "/b.md"]},
    ],
    ids=str,
)
def test_R1_a_malformed_read_is_400(store, query):
    assert store.get("document", query).error == "validation.malformed"


# --- R2 --------------------------------------------------------------------------------------


def test_R2_a_write_tells_the_new_state_and_the_version_that_holds_it(store):
    created = store.put("/a.txt", "one")

    assert created.ok() == {
        "store": store.id,
        "path": "/a.txt",
        "version": store.canonical,
        "unchanged": False,
        "content_sha256": hash_of("one"),
        "media_type": "text/plain",
        "bytes": 3,
    }
    assert created.headers["ETag"] == tag("one")
    assert "Checkfu-Replayed" not in created.headers


def test_R2_a_delete_tells_the_version_without_it(store):
    store.put("/a.txt", "one").ok()

    deleted = store.delete("/a.txt", over="one").ok()

    assert deleted == {"store": store.id, "path": "/a.txt", "version": store.canonical}
    assert store.pages("documents") == []


def test_R2_writing_the_same_again_makes_no_version(store):
    version = store.put("/a.txt", "one").ok()["version"]

    again = store.put("/a.txt", "one", over="one").ok()

    assert again["unchanged"] is True
    assert again["version"] == version == store.canonical
    assert len(store.pages("versions")) == 2


def test_R2_another_media_type_is_another_state(store):
    store.put("/a.txt", "one").ok()

    changed = store.put("/a.txt", "one", over="one", media_type="text/csv").ok()

    assert changed["unchanged"] is False
    assert store.read("/a.txt").ok()["media_type"] == "text/csv"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"If_Match": tag("one"), "If_None_Match": "*"},
        {"If_None_Match": tag("one")},
        {"If_None_Match": ""},
        {"If_Match": ""},
        {"If_Match": "*"},
        {"If_Match": hash_of("one")},
        {"If_Match": f"W/{tag('one')}"},
        {"If_Match": f"{tag('one')}, {tag('two')}"},
        {"If_Match": tag("one").upper()},
        {"If_Match": '"sha256:1"'},
        {"If_Match": f'"md5:{"0" * 64}"'},
    ],
    ids=str,
)
def test_R2_a_put_without_one_clear_precondition_is_400(store, headers):
    store.put("/a.txt", "one").ok()

    refused = store.api.put(store.url("document") + "?path=/a.txt", {"content": "two"}, **headers)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert "If-Match" in refused.message
    assert store.read("/a.txt").ok()["content"] == "one"


@pytest.mark.parametrize("headers", [{}, {"If_None_Match": "*"}, {"If_Match": "*"}], ids=str)
def test_R2_a_delete_needs_the_hash(store, headers):
    store.put("/a.txt", "one").ok()

    refused = store.api.delete(store.url("document") + "?path=/a.txt", **headers)

    assert refused.error == "validation.malformed"
    assert store.read("/a.txt").ok()["content"] == "one"


def test_R2_a_precondition_that_misses_is_409_never_412(store):
    store.put("/a.txt", "one").ok()

    for missed in (store.put("/a.txt", "two"), store.put("/a.txt", "two", over="zero")):
        assert (missed.status, missed.error) == (409, "memory.conflict")
        assert "/a.txt" in missed.message


@pytest.mark.parametrize(
    "body",
    [{}, {"content": "a", "more": 1}, {"content": "a", "path": "/b"}, [], "text", None],
    ids=repr,
)
def test_R2_a_malformed_body_is_400(store, body):
    refused = store.api.put(store.url("document") + "?path=/a.txt", body, If_None_Match="*")

    assert refused.error == "validation.malformed"


def test_R2_a_write_takes_no_version(store):
    refused = store.api.put(
        store.url("document") + f"?path=/a.txt&version={store.canonical}",
        {"content": "a"},
        If_None_Match="*",
    )

    assert refused.error == "validation.malformed"


def test_R2_unrelated_writes_do_not_touch_a_content_hash(store):
    store.put("/a.txt", "one").ok()
    store.put("/b.txt", "other").ok()

    store.put("/a.txt", "two", over="one").ok()


def test_the_fence_closes_exact_versions_and_nothing_else_of_a_document(store, settings):
    version = store.put("/a.txt", "one").ok()["version"]
    settings.VERSIONED_SURFACE = False

    assert store.read("/a.txt").ok()["version"] == version
    store.put("/a.txt", "two", over="one").ok()
    store.delete("/a.txt", over="two").ok()
    refused = store.read("/a.txt", version)
    assert (refused.status, refused.error) == (503, "memory.backend_unavailable")
    assert refused.headers["Retry-After"] == "1"


FENCED = (
    "documents",
    "versions",
    "versions/memver_" + "0" * 32,
    "diff",
    "history",
    "refs",
    "reflog",
)


@pytest.mark.parametrize("route", FENCED)
def test_the_fence_is_decided_before_anything_is_looked_up(store, settings, route):
    settings.VERSIONED_SURFACE = False

    assert store.get(route).error == "memory.backend_unavailable"
    assert store.api.get(f"/v1/memory-stores/nonsense/{route}").status == 503


def test_the_fence_leaves_stores_open_and_closes_change_sets(store, settings):
    settings.VERSIONED_SURFACE = False

    assert store.get().status == 200
    assert store.api.get("/v1/memory-stores").status == 200
    store.patch(name="Renamed").ok()
    assert store.change(put_operation("/a", ""), base=random_id("version")).status == 503
    assert store.api.post(store.url("change-sets"), key=None).status == 503
