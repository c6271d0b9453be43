"""Contract R3: the tree, versions, differences, histories, refs; each page by page."""

from typing import Any

import pytest
from django.db import transaction

from memory import refs
from memory.actors import IMPORTER
from memory.models import DocumentVersion, RefKind
from memory.refs import RefName
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.stores import delete_operation, hash_of, personal_store, put_operation

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return personal_store(workspace)


def _put_all(store, *paths):
    return store.change(*(put_operation(path, path) for path in paths)).ok()["version"]


def _paths(store, **query):
    return [row["path"] for row in store.pages("documents", **query)]


# --- the tree --------------------------------------------------------------------------------


def test_R3_a_tree_is_listed_in_the_order_of_its_bytes(store):
    paths = [
        "/Z.md",
        "/a-b.md",
        "/a.md",
        "/a/b.md",
        "/a_b.md",
        "/z.md",
        "/é.md",
        "/日.md",
        "/😀.md",
    ]
    _put_all(store, *reversed(paths))

    assert _paths(store) == sorted(paths, key=str.encode) == _paths(store, limit=2)


def test_R3_a_row_says_who_wrote_it_and_what_it_is(store):
    first = store.put("/a.md", "text").ok()["version"]
    later = store.put("/b.md", "other").ok()["version"]

    listing = store.get("documents").ok()

    assert (listing["store"], listing["version"]) == (store.id, later)
    row = listing["data"][0]
    assert row.pop("introduced_at").endswith("Z")
    assert row == {
        "path": "/a.md",
        "document_version": DocumentVersion.objects.get(path="/a.md").id,
        "content_sha256": hash_of("text"),
        "media_type": "text/markdown",
        "bytes": 4,
        "introduced_version": first,
        "expires_at": None,
        "erased": None,
    }


TREE = ("/a-b/c", "/a.md", "/a/b", "/a/c/d", "/ab/c", "/b", "/é/f")


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("/", list(TREE)),
        ("/a", ["/a/b", "/a/c/d"]),
        ("/a/", ["/a/b", "/a/c/d"]),
        ("/a/c", ["/a/c/d"]),
        ("/a/b", ["/a/b"]),
        ("/a/b/", []),
        ("/b", ["/b"]),
        ("/a.md", ["/a.md"]),
        ("/a-", []),
        ("/zzz", []),
        ("/é", ["/é/f"]),
    ],
)
@pytest.mark.parametrize("limit", [1, 50])
def test_R3_a_prefix_ends_with_a_segment(store, prefix, found, limit):
    _put_all(store, *TREE)

    assert _paths(store, prefix=prefix, limit=limit) == found


@pytest.mark.parametrize("prefix", ["", "a", "/a//", "/a/../b/", "/e\u0301"])
def test_R3_a_prefix_of_no_path_is_400(store, prefix):
    assert store.get("documents", {"prefix": prefix}).error == "validation.malformed"


def test_R3_a_list_goes_on_in_the_tree_it_began_in(store):
    version = _put_all(store, "/a", "/b", "/c", "/d")
    first = store.get("documents", {"limit": 2}).ok()
    store.delete("/c", over="/c").ok()
    store.put("/bb", "new").ok()

    second = store.get("documents", {"limit": 2, "page": first["next_page"]}).ok()

    assert first["version"] == second["version"] == version
    assert [row["path"] for row in second["data"]] == ["/c", "/d"]
    assert second["next_page"] is None


def test_R3_a_page_belongs_to_one_version(store):
    old = _put_all(store, "/a", "/b")
    page = store.get("documents", {"limit": 1}).ok()["next_page"]
    new = store.put("/c", "c").ok()["version"]

    assert store.get("documents", {"page": page, "version": old}).status == 200
    assert store.get("documents", {"page": page, "version": new}).error == "validation.malformed"


@pytest.mark.parametrize("route", ["documents", "history", "versions", "refs", "reflog", "diff"])
@pytest.mark.parametrize("page", ["x", "W10", "WyJhIl0", "WzFd", "W251bGwsbnVsbF0", "é", "W" * 99])
def test_R3_a_page_that_no_list_made_is_400(store, route, page):
    at = store.canonical
    query = {"history": {"path": "/a"}, "diff": {"base": at, "head": at}}.get(route, {})

    answer = store.get(route, {**query, "page": page})

    # A number or a text may be a position of that list; then the page is only empty.
    assert answer.status == 400 or answer.ok()["data"] in ([], store.pages(route, **query))


def test_R3_a_page_of_another_stores_version_is_404(workspace, store):
    other = personal_store(workspace)
    _put_all(other, "/a", "/b")
    page = other.get("documents", {"limit": 1}).ok()["next_page"]

    assert store.get("documents", {"page": page}).error == "memory.not_found"


@pytest.mark.parametrize("limit", [0, 201, -1, "", "ten", "1.0", "٣"])
def test_R3_a_limit_out_of_bounds_is_400(store, limit):
    assert store.get("documents", {"limit": limit}).error == "validation.malformed"


def test_R3_listing_costs_what_is_shown_and_not_the_tree(store, django_assert_max_num_queries):
    _put_all(store, *(f"/d{number % 10}/{number}" for number in range(200)))
    for batch in range(4):
        _put_all(store, *(f"/more{batch}/{number}" for number in range(200)))

    with django_assert_max_num_queries(8):
        store.get("documents", {"limit": 200}).ok()


def test_R3_an_erased_document_stays_listed_and_says_so(store):
    store.put("/a.md", "secret").ok()
    erase_bodies(store.id, [DocumentVersion.objects.get().id])

    row = store.pages("documents")[0]

    assert row["erased"].pop("at").endswith("Z")
    assert row["erased"] == {"reason": "redacted"}


# --- versions --------------------------------------------------------------------------------


def test_R3_versions_are_listed_newest_first(store):
    made = [store.canonical, *(store.put(f"/{one}", "x").ok()["version"] for one in "abcd")]

    assert [row["id"] for row in store.pages("versions", limit=2)] == made[::-1]


def test_R3_versions_sealed_meanwhile_neither_hide_nor_repeat_any(store):
    made = [store.canonical, *(store.put(f"/{one}", "x").ok()["version"] for one in "abc")]
    first = store.get("versions", {"limit": 2}).ok()
    store.put("/d", "x").ok()

    second = store.get("versions", {"limit": 2, "page": first["next_page"]}).ok()

    assert [row["id"] for row in first["data"] + second["data"]] == made[::-1]


def test_R3_a_version_that_the_store_has_not_is_404(workspace, store):
    other = personal_store(workspace)

    assert store.get(f"versions/{random_id('version')}").error == "memory.not_found"
    assert store.get(f"versions/{other.canonical}").error == "memory.not_found"
    assert store.get("versions/latest").error == "validation.malformed"


# --- differences -----------------------------------------------------------------------------


@pytest.fixture
def compared(store):
    """Two versions, and a change of every kind between them."""
    base = store.change(
        put_operation("/gone.md", "gone\n"),
        put_operation("/kept.md", "kept\n"),
        put_operation("/changed.md", "one\ntwo\nthree\n"),
        put_operation("/old/name.md", "moves\n"),
        put_operation("/typed.md", "typed\n"),
    ).ok()["version"]
    head = store.change(
        delete_operation("/gone.md", over="gone\n"),
        put_operation("/changed.md", "one\n2\nthree\nfour\n", over="one\ntwo\nthree\n"),
        delete_operation("/old/name.md", over="moves\n"),
        put_operation("/new/name.md", "moves\n"),
        put_operation("/typed.md", "typed\n", over="typed\n", media_type="text/plain"),
        put_operation("/new.md", "a\nb\n"),
    ).ok()["version"]
    return store, {"base": base, "head": head}


def test_R3_a_difference_tells_what_happened_to_each_path(compared):
    store, ends = compared

    diff = store.get("diff", ends).ok()

    assert {name: diff[name] for name in ("store", "base", "head")} == {"store": store.id, **ends}
    assert diff["totals"] == {"added": 1, "modified": 2, "deleted": 1, "renamed": 1}
    told = [
        (row["path"], row["status"], row["old_path"], tuple(row["lines"].values()))
        for row in diff["data"]
    ]
    assert told == [
        ("/changed.md", "modified", None, (2, 1)),
        ("/gone.md", "deleted", None, (0, 1)),
        ("/new.md", "added", None, (2, 0)),
        ("/new/name.md", "renamed", "/old/name.md", (0, 0)),
        ("/typed.md", "modified", None, (0, 0)),
    ]


def test_R3_its_sides_have_hashes_and_sizes(compared):
    store, ends = compared
    rows = {row["path"]: row for row in store.get("diff", ends).ok()["data"]}

    assert rows["/new.md"]["before"] is None
    assert rows["/gone.md"]["after"] is None
    assert rows["/typed.md"]["before"] == {
        "content_sha256": hash_of("typed\n"),
        "media_type": "text/markdown",
        "bytes": 6,
        "erased": None,
    }
    assert rows["/typed.md"]["after"]["media_type"] == "text/plain"


def test_R3_hunks_come_on_request(compared):
    store, ends = compared
    plain = store.get("diff", ends).ok()["data"]
    rows = {row["path"]: row for row in store.get("diff", {**ends, "hunks": "true"}).ok()["data"]}

    assert {row["hunks"] for row in plain} == {None}
    assert rows["/changed.md"]["hunks"] == {
        "text": (
            "--- a/changed.md\n+++ b/changed.md\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n"
        ),
        "omitted_lines": 0,
        "omitted_bytes": 0,
    }
    assert rows["/new.md"]["hunks"]["text"].startswith("--- /dev/null\n+++ b/new.md\n")
    assert rows["/gone.md"]["hunks"]["text"].startswith("--- a/gone.md\n+++ /dev/null\n")
    assert rows["/new/name.md"]["hunks"]["text"] == ""


def test_R3_a_difference_may_be_asked_for_one_path(compared):
    store, ends = compared

    def at(path):
        return [row["path"] for row in store.get("diff", {**ends, "path": path}).ok()["data"]]

    assert at("/changed.md") == ["/changed.md"]
    assert at("/old/name.md") == at("/new/name.md") == ["/new/name.md"]
    assert at("/kept.md") == []


def test_R3_its_hash_and_totals_are_of_the_whole_on_every_page(compared):
    store, ends = compared
    whole = store.get("diff", ends).ok()

    pages: list[Any] = []
    page = None
    while page or not pages:
        pages.append(
            store.get("diff", {**ends, "limit": 2} | ({"page": page} if page else {})).ok()
        )
        page = pages[-1]["next_page"]

    assert len(pages) == 3
    assert [row for one in pages for row in one["data"]] == whole["data"]
    assert {one["diff_hash"] for one in pages} == {whole["diff_hash"]}
    assert all(one["totals"] == whole["totals"] for one in pages)


def test_R3_backwards_it_is_the_opposite(compared):
    store, ends = compared

    totals = store.get("diff", {"base": ends["head"], "head": ends["base"]}).ok()["totals"]

    assert totals == {"added": 1, "modified": 2, "deleted": 1, "renamed": 1}


def test_R3_versions_on_different_refs_are_compared_alike(store):
    base = store.put("/a.md", "base").ok()["version"]
    session = random_id("session")
    with transaction.atomic():
        refs.create(
            store_id=store.id, name=RefName(RefKind.SESSION, session), at=base, actor=IMPORTER
        )
    ours = store.put("/a.md", "ours", over="base").ok()["version"]
    theirs = store.change(
        put_operation("/a.md", "theirs", over="base"),
        ref={"kind": "session", "session": session},
        base=base,
    ).ok()["version"]

    diff = store.get("diff", {"base": ours, "head": theirs}).ok()

    assert diff["data"][0]["before"]["content_sha256"] == hash_of("ours")
    assert diff["data"][0]["after"]["content_sha256"] == hash_of("theirs")


def test_R3_no_difference_is_no_rows(store):
    at = store.put("/a.md", "text").ok()["version"]

    diff = store.get("diff", {"base": at, "head": at}).ok()

    assert (diff["data"], diff["next_page"]) == ([], None)
    assert set(diff["totals"].values()) == {0}


def test_R3_an_erased_side_is_no_empty_document(compared):
    store, ends = compared
    row = DocumentVersion.objects.get(path="/changed.md", introduced_by=ends["base"])
    erase_bodies(store.id, [row.id])

    rows = store.get("diff", {**ends, "hunks": "true", "path": "/changed.md"}).ok()["data"]

    assert rows[0]["status"] == "modified"
    assert (rows[0]["lines"], rows[0]["hunks"]) == (None, None)
    assert rows[0]["before"]["erased"]["reason"] == "redacted"
    assert rows[0]["after"]["erased"] is None


def test_R3_hunks_that_do_not_fit_are_counted(store, monkeypatch):
    monkeypatch.setattr("memory.api.diffs.PAGE_LINES", 5)
    base = store.canonical
    head = store.change(
        put_operation("/a", "1\n2\n3\n"),
        put_operation("/b", "1\n2\n3\n"),
        put_operation("/c", "1\n"),
    ).ok()["version"]

    rows = store.get("diff", {"base": base, "head": head, "hunks": "true"}).ok()["data"]

    assert [row["hunks"]["omitted_lines"] for row in rows] == [0, 1, 1]
    assert [row["lines"]["added"] for row in rows] == [3, 3, 1]


@pytest.mark.parametrize("missing", ["base", "head"])
def test_R3_a_difference_needs_both_ends(compared, missing):
    store, ends = compared

    without = {name: end for name, end in ends.items() if name != missing}
    assert store.get("diff", without).error == "validation.malformed"
    unknown = store.get("diff", ends | {missing: random_id("version")})
    assert unknown.error == "memory.not_found"


def test_R3_a_difference_costs_few_queries(compared, django_assert_max_num_queries):
    store, ends = compared

    with django_assert_max_num_queries(7):
        store.get("diff", {**ends, "hunks": "true"}).ok()


# --- histories -------------------------------------------------------------------------------


def test_R3_a_paths_history_is_told_newest_first(store):
    added = store.change(put_operation("/a.md", "one"), message="first").ok()["version"]
    store.put("/b.md", "other").ok()
    modified = store.put("/a.md", "two", over="one").ok()["version"]
    deleted = store.delete("/a.md", over="two").ok()["version"]
    again = store.put("/a.md", "three").ok()["version"]

    history = store.get("history", {"path": "/a.md"}).ok()

    assert (history["store"], history["path"], history["version"]) == (store.id, "/a.md", again)
    told = [(row["version"], row["change"], row["content_sha256"]) for row in history["data"]]
    assert told == [
        (again, "added", hash_of("three")),
        (deleted, "deleted", None),
        (modified, "modified", hash_of("two")),
        (added, "added", hash_of("one")),
    ]
    assert [row["message"] for row in history["data"]] == [None, None, None, "first"]
    assert history["data"][0]["actor"]["kind"] == "api_key"
    assert store.pages("history", path="/a.md", limit=1) == history["data"]


def test_R3_a_history_follows_the_parents_of_its_version(store):
    base = store.put("/a.md", "base").ok()["version"]
    session = random_id("session")
    with transaction.atomic():
        refs.create(
            store_id=store.id, name=RefName(RefKind.SESSION, session), at=base, actor=IMPORTER
        )
    ours = store.put("/a.md", "ours", over="base").ok()["version"]
    theirs = store.change(
        put_operation("/a.md", "theirs", over="base"),
        ref={"kind": "session", "session": session},
        base=base,
    ).ok()["version"]

    def versions(**query):
        return [row["version"] for row in store.pages("history", path="/a.md", **query)]

    assert versions() == [ours, base]
    assert versions(version=theirs) == [theirs, base]
    assert versions(version=base) == [base]


def test_R3_a_history_goes_on_at_the_version_it_began_at(store):
    for content, over in (("1", None), ("2", "1"), ("3", "2")):
        store.put("/a.md", content, over=over).ok()
    first = store.get("history", {"path": "/a.md", "limit": 1}).ok()
    store.put("/a.md", "4", over="3").ok()

    second = store.get("history", {"path": "/a.md", "page": first["next_page"]}).ok()

    assert second["version"] == first["version"]
    assert [row["content_sha256"] for row in second["data"]] == [hash_of("2"), hash_of("1")]


def test_R3_a_path_without_history_has_an_empty_one(store):
    assert store.pages("history", path="/never.md") == []


def test_R3_an_erased_body_stays_in_its_history(store):
    store.put("/a.md", "secret").ok()
    erase_bodies(store.id, [DocumentVersion.objects.get().id])

    row = store.pages("history", path="/a.md")[0]

    assert row["erased"]["reason"] == "redacted"
    assert row["content_sha256"] == hash_of("secret")
