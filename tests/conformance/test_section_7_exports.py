"""Contract E1, E2, E3: a store's whole graph in one response, or page by page."""

from datetime import timedelta
from time import sleep

import pytest

from memory.documents.provenance import MAX_BYTES
from memory.exporting import whole
from memory.models import DocumentBody, MemoryStore
from tests.client import Api, random_id
from tests.exports import (
    KINDS,
    PROVENANCE,
    REF_KINDS,
    assert_in_order,
    check_shape,
    expanded,
    export_pages,
    generation,
    items_of,
    of_kind,
    rich_store,
    seal_expiring,
)
from tests.factories import make_admin_key, make_key, make_person
from tests.stores import as_person, personal_store, put_operation
from wire.canonicaljson import canonical_json
from wire.times import now, render_time

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return rich_store(workspace)


# --- E1 -----------------------------------------------------------------------------------------


def test_E1_a_whole_export_is_exactly_of_the_seeds_shape(store):
    export = store.get("export").ok()

    check_shape(export)
    assert export["store"] == store.id
    assert len(export["revisions"]) == len(store.pages("versions"))
    assert {ref["kind"] for ref in export["refs"]} == set(REF_KINDS)
    assert export["path_fences"] == ["/never-there.md", "/secret.md"]


def test_E1_a_row_for_each_path_of_each_version_with_its_text_in_every_one(store):
    rows = store.get("export").ok()["documents"]

    kept = [row for row in rows if row["document"]["path"] == "/b/ünï.md"]
    revisions = [one for one in store.get("export").ok()["revisions"] if one["document_count"]]
    assert len(kept) == len(revisions)
    assert {row["body"]["content"] for row in kept} == {"\u0001\u2028 kept"}
    assert len(rows) == sum(one["document_count"] for one in revisions)


def test_E1_E3_an_erased_text_is_said_to_be_erased_and_nothing_more(store):
    erased = [
        row for row in store.get("export").ok()["documents"] if row["body"]["state"] == "erased"
    ]

    assert {row["document"]["path"] for row in erased} == {"/secret.md", "/gone.md"}
    for row in erased:
        assert row["body"] == {"state": "erased"}
        assert row["document"]["provenance"] is None
    digests = {row["document"]["path"]: row["provenance_sha256"] for row in erased}
    assert digests["/secret.md"].startswith("sha256:")


def test_E1_nothing_of_what_was_erased_and_no_message_is_in_it(store):
    for answer in (store.get("export"), store.get("export-pages")):
        answer.ok()
        assert b"canary" not in answer.content
        assert b"words that stay here" not in answer.content


def test_M7_exports_spell_provenance_their_own_way(store):
    rows = store.get("export").ok()["documents"]

    (provenance,) = {
        canonical_json(row["document"]["provenance"])
        for row in rows
        if row["document"]["path"] == "/b/ünï.md"
    }
    claims = {key: value for key, value in PROVENANCE.items() if key != "source_version_ids"}
    claims["source_revision_ids"] = ["mrev_" + "2" * 32]
    claims["supersedes"] = {"path": "/old.md", "revision": "mrev_" + "4" * 32}
    assert provenance == canonical_json(claims)


def test_E1_E2_both_exports_say_the_same(store):
    export = store.get("export").ok()
    items = items_of(export_pages(store))

    assert export["revisions"] == list(of_kind(items, "revision"))
    assert export["path_fences"] == [fence["path"] for fence in of_kind(items, "path_fence")]
    assert export["documents"] == expanded(items)
    assert export["refs"] == list(of_kind(items, "ref"))


def _set_limits(monkeypatch, **limits):
    monkeypatch.setattr(whole, "LIMITS", whole.Limits(**limits))


def test_E1_each_limit_is_exact_at_its_boundary(store, monkeypatch):
    pages = export_pages(store)
    answer = store.get("export")
    exact = {
        "items": len(items_of(pages)),
        "normalized_bytes": sum(page["item_bytes"] for page in pages),
        "response_bytes": len(answer.content),
    }
    expected = answer.ok()

    _set_limits(monkeypatch, **exact)
    assert store.get("export").ok() == expected
    for name, most in exact.items():
        _set_limits(monkeypatch, **exact | {name: most - 1})
        refused = store.get("export")
        assert (refused.status, refused.error) == (422, "validation.range_too_large")
        assert f"{most - 1:,}" in refused.message


def test_E1_the_limits_are_the_contracts():
    assert whole.Limits() == whole.Limits(10_000, 8 * 1024 * 1024, 8 * 1024 * 1024)


def test_E1_too_many_items_are_refused_before_any_text_is_read(
    store, monkeypatch, django_assert_num_queries
):
    _set_limits(monkeypatch, items=3)
    with django_assert_num_queries(3) as queries:
        assert store.get("export").status == 422

    assert not [one for one in queries.captured_queries if "b.text" in one["sql"]]


# --- E2 -----------------------------------------------------------------------------------------


def test_E2_each_page_is_of_its_shape_and_repeats_the_manifest(store):
    pages = export_pages(store, limit=7)

    for ordinal, page in enumerate(pages):
        check_shape(page, "page")
        assert page["page_ordinal"] == ordinal
        assert page["manifest"] == pages[0]["manifest"]
        assert len(page["items"]) <= 7


def test_E2_the_manifest_counts_what_there_is(store):
    pages = export_pages(store)
    manifest = pages[0]["manifest"]
    items = items_of(pages)

    counts = {f"{kind}_count": len(list(of_kind(items, kind))) for kind in KINDS}
    assert {name: manifest[name] for name in counts} == counts
    assert all(counts.values())
    assert manifest["source_store"] == store.id
    assert manifest["generation"] == generation(store)


def test_E2_the_order_is_exact(store):
    items = items_of(export_pages(store))

    assert {item["kind"] for item in items} == set(KINDS)
    assert_in_order(items)


@pytest.mark.parametrize("limit", [1, 2, 3, 200])
def test_E2_whatever_the_limit_the_items_are_the_same(store, limit):
    pages = export_pages(store, limit=limit)

    assert items_of(pages) == items_of(export_pages(store))
    for page in pages:
        assert page["item_bytes"] == sum(map(len, map(canonical_json, page["items"])))


@pytest.mark.parametrize("limit", ["200", "201", "1000", "9" * 40])
def test_E2_any_larger_limit_acts_as_200(store, limit):
    (page,) = export_pages(store, limit=limit)

    assert page["items"] == store.get("export-pages").ok()["items"]


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "", "x", "01"])
def test_E2_a_limit_is_a_whole_number_from_1_on(store, limit):
    refused = store.get("export-pages", {"limit": limit})

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert "limit" in refused.message


def test_E2_a_page_holds_at_most_a_mebibyte_even_of_texts_that_JSON_makes_longer(workspace):
    store = personal_store(workspace)
    for number in range(3):
        store.change(put_operation(f"/{number}.md", "\u0001" * 102_400)).ok()

    pages = export_pages(store)

    assert [len(list(of_kind(page["items"], "document_version"))) for page in pages] == [1, 1, 1]
    for page in pages:
        check_shape(page, "page")
        assert page["item_bytes"] <= 1024 * 1024


def test_E2_the_longest_item_fits_a_page(workspace):
    store = personal_store(workspace)
    wide = PROVENANCE | {"source_refs": ["\U00010000" * 1024] * 99 + ["r" * 1024] * 3}
    assert MAX_BYTES - 1024 < len(canonical_json(wide)) <= MAX_BYTES
    store.change(put_operation(("/" + '"' * 31) * 32, "\u0001" * 102_400, provenance=wide)).ok()

    sizes = [page["item_bytes"] for page in export_pages(store, limit=1)]

    assert 1_020_000 < max(sizes) <= 1024 * 1024


# --- E2: cursors --------------------------------------------------------------------------------


def _begun(store):
    return store.get("export-pages", {"limit": 5}).ok()["next_page"]


def _go_on(store, token):
    return store.get("export-pages", {"limit": 5, "page": token})


def test_E2_cursors_are_marked_and_bounded(workspace):
    store = personal_store(workspace)
    longest = "/" + "/".join(["\U00010000" * 63] * 4)[:254]
    store.change(put_operation(longest, "x"), put_operation("/z", "x")).ok()

    for page in export_pages(store, limit=1)[:-1]:
        assert page["next_page"].startswith("mx1_")
        assert len(page["next_page"]) <= 16_384


@pytest.mark.parametrize("spoil", ["", "x", "mx1_", "mx1_x", "mx1_" + "A" * 100 + ":" + "b" * 43])
def test_E2_what_no_export_gave_is_refused(store, spoil):
    refused = _go_on(store, spoil)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert "page" in refused.message


def test_E2_a_cursor_that_was_tampered_with_is_refused(store):
    token = _begun(store)

    for at in range(4, len(token), 29):
        other = "A" if token[at] != "A" else "B"
        refused = _go_on(store, token[:at] + other + token[at + 1 :])
        assert (refused.status, refused.error) == (400, "validation.malformed")
    assert _go_on(store, token.removeprefix("mx1_")).status == 400
    _go_on(store, token).ok()


def test_E2_a_cursor_of_another_store_is_refused(store, workspace):
    other = rich_store(workspace)

    refused = _go_on(other, _begun(store))

    assert (refused.status, refused.error) == (400, "validation.malformed")


def test_E2_a_cursor_of_a_search_or_list_is_refused(store):
    token = store.get("versions", {"limit": 1}).ok()["next_page"]

    assert _go_on(store, token).status == 400
    assert _go_on(store, f"mx1_{token}").status == 400


def test_E2_a_cursor_grants_nothing(store, workspace):
    stranger = as_person(workspace, store.id)

    assert _go_on(stranger, _begun(store)).error == "memory.not_found"


def test_E2_a_change_of_the_store_ends_the_export(store):
    token = _begun(store)
    _go_on(store, token).ok()
    store.change(put_operation("/new.md", "x")).ok()

    refused = _go_on(store, token)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert _go_on(store, "mx1_x").status == 400


def test_E2_an_export_that_begins_anew_goes_on(store):
    token = _begun(store)
    store.change(put_operation("/new.md", "x")).ok()
    assert _go_on(store, token).status == 409

    _go_on(store, _begun(store)).ok()


def test_E2_X1_a_redaction_ends_the_export_and_the_next_one_has_its_fence(store, workspace):
    token = _begun(store)
    admin = Api(make_admin_key(workspace)[1])
    admin.post(store.url("redactions"), {"paths": ["/a.md"]}).ok()

    refused = _go_on(store, token)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    items = items_of(export_pages(store))
    assert "/a.md" in [fence["path"] for fence in of_kind(items, "path_fence")]
    assert "redaction" in {one["kind"] for one in of_kind(items, "revision")}
    documents = list(of_kind(items, "document_version"))
    redacted = [one for one in documents if one["document"]["path"] == "/a.md"]
    assert {one["body"]["state"] for one in redacted} == {"erased"}
    assert "/a.md" in {one["path"] for one in of_kind(items, "revision_entry")}


def test_E2_a_text_of_the_export_that_expires_ends_it(workspace):
    store = personal_store(workspace)
    seal_expiring(store, {"/late.md": now() + timedelta(seconds=1)})
    token = _begun_at_one(store)
    store.get("export-pages", {"page": token}).ok()
    sleep(1.1)

    refused = store.get("export-pages", {"page": token})

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert store.get("export-pages").ok()["manifest"]["generation"] == generation(store)


def _begun_at_one(store):
    return store.get("export-pages", {"limit": 1}).ok()["next_page"]


def test_E3_a_text_that_had_expired_is_exported_as_erased(workspace):
    store = personal_store(workspace)
    end = now()
    later = end + timedelta(days=3)
    seal_expiring(store, {"/gone.md": end, "/late.md": later})

    items = items_of(export_pages(store, limit=1))

    bodies = {one["document"]["path"]: one["body"] for one in of_kind(items, "document_version")}
    assert bodies["/gone.md"] == {"state": "erased"}
    assert bodies["/late.md"]["expires_at"] == render_time(later)
    assert DocumentBody.objects.count() == 2
    assert {entry["path"] for entry in of_kind(items, "revision_entry")} == set(bodies)


def test_E3_erasure_takes_no_entry_away(workspace):
    store = rich_store(workspace)

    entries = list(of_kind(items_of(export_pages(store)), "revision_entry"))

    for version in store.pages("versions"):
        revision = version["id"].replace("memver_", "mrev_")
        paths = [row["path"] for row in store.pages("documents", version=version["id"])]
        assert [entry["path"] for entry in entries if entry["revision"] == revision] == paths


# --- who may ------------------------------------------------------------------------------------


@pytest.mark.parametrize("route", ["export", "export-pages"])
def test_exports_need_read(store, workspace, route):
    stranger = as_person(workspace, store.id)
    admin = Api(make_key(workspace, principal=make_person(workspace, is_admin=True))[1])

    assert stranger.get(route).error == "memory.not_found"
    assert admin.get(f"/v1/memory-stores/{random_id('store')}/{route}").status == 404
    as_person(workspace, store.id, "read").get(route).ok()


@pytest.mark.parametrize("route", ["export", "export-pages"])
@pytest.mark.parametrize("lifecycle", ["pending", "deleting", "deleted"])
def test_exports_of_what_is_not_there_yet_or_any_more_are_404(store, route, lifecycle):
    MemoryStore.objects.filter(id=store.id).update(lifecycle=lifecycle)

    assert store.get(route).error == "memory.not_found"


@pytest.mark.parametrize("route", ["export", "export-pages"])
def test_archived_stores_are_exported(store, route):
    MemoryStore.objects.filter(id=store.id).update(lifecycle="archived")

    store.get(route).ok()


@pytest.mark.parametrize("route", ["export", "export-pages"])
def test_the_fence_closes_exports(store, settings, route):
    settings.VERSIONED_SURFACE = False

    assert store.get(route).error == "memory.backend_unavailable"


@pytest.mark.parametrize("route", ["export", "export-pages"])
def test_unknown_parameters_are_refused(store, route):
    assert store.get(route, {"unknown": "1"}).status == 400
