"""Contract I1: an export becomes a store, proven item by item; a bad one changes nothing."""

import pytest

from jobs.models import Job
from memory.management.commands.verify import verify_store
from memory.models import (
    BodyErasure,
    DocumentVersion,
    ImportDocument,
    ImportPage,
    ImportRevision,
    MemoryStore,
    MemoryVersion,
    PathFence,
    Ref,
    RetentionPolicy,
)
from tests.bundles import Bundle, example, pages_of
from tests.client import Api, random_id
from tests.factories import make_admin_key, make_key, make_person
from tests.importers import IMPORTS, Importer, work
from tests.stores import StoreClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def importer(workspace):
    return Importer(workspace)


def _nothing_is_staged() -> bool:
    return not any(model.objects.exists() for model in (ImportPage, ImportRevision, ImportDocument))


@pytest.mark.parametrize("limit", [1, 3, 200])
def test_pages_become_a_store(importer, limit):
    """I1: trees, parents, body states, expiries and provenance digests agree."""
    bundle = example()
    told = importer.run(*bundle.pages(limit))

    assert told["state"] == "succeeded", told["error"]
    assert told["error"] is None
    assert Job.objects.get(id=told["job"]).state == "succeeded"
    assert verify_store(told["store"]).found == {}
    assert _nothing_is_staged()
    _agrees(importer, told["store"], bundle)


def test_a_whole_export_becomes_a_store(importer):
    bundle = example()
    told = importer.run(bundle.whole())

    assert told["state"] == "succeeded", told["error"]
    assert verify_store(told["store"]).found == {}
    _agrees(importer, told["store"], bundle)


def test_a_history_of_many_branches_becomes_a_store(importer):
    """I1: more branches than trees are kept at hand, each of which goes on."""
    bundle = Bundle()
    tips = [bundle.seal(bundle.write("/a.md", "root"))] * 9
    for step in range(2):
        for branch, tip in enumerate(tips):
            written = bundle.write(f"/{branch}.md", f"step {step}")
            tips[branch] = bundle.seal(written, parent=tip)
    bundle.point(tips[4])

    told = importer.run(*bundle.pages())

    assert told["state"] == "succeeded", told["error"]
    assert verify_store(told["store"]).found == {}
    _agrees(importer, told["store"], bundle)


def _agrees(importer: Importer, store_id: str, bundle: Bundle) -> None:
    store = StoreClient(importer.api, store_id)
    versions = {row["source"]["id"]: row for row in store.pages("versions")}
    assert versions.keys() == bundle.revisions.keys()
    for source, fields in bundle.revisions.items():
        version = versions[source]
        parent = fields["parent_revision"]
        assert version["parent_version"] == (versions[parent]["id"] if parent else None)
        assert (version["kind"], version["actor"]) == (
            "import",
            {"kind": "platform", "operation": "import"},
        )
        assert version["source"] == {
            "id": source,
            "time": fields["created_at"],
            "kind": fields["kind"],
            "actor": fields["actor"],
        }
        for name in ("tree_hash", "document_count", "total_bytes"):
            assert version[name] == fields[name]
        rows = {row["path"]: row for row in store.pages("documents", version=version["id"])}
        assert rows.keys() == bundle.trees[source].keys()
        for path, document_id in bundle.trees[source].items():
            document = bundle.documents[document_id]
            assert (rows[path]["content_sha256"], rows[path]["media_type"]) == (
                document.sha256,
                document.media_type,
            )
            answer = store.read(path, version["id"])
            if document.body["state"] == "erased":
                assert answer.error == "memory.not_found"
                assert "imported" in answer.message
            else:
                read = answer.ok()
                assert read["content"] == document.body["content"]
                assert read["expires_at"] == document.body["expires_at"]
    canonical = next(ref["revision"] for ref in bundle.refs if ref["kind"] == "canonical")
    assert store.canonical == versions[canonical]["id"]
    digests = DocumentVersion.objects.filter(store=store_id).values_list("provenance_sha256")
    assert sorted(f"sha256:{digest.hex()}" for (digest,) in digests if digest) == sorted(
        document.digest for document in bundle.documents.values() if document.digest
    )


def test_only_canonical_becomes_a_ref_and_the_others_are_told(importer):
    """I1, M4."""
    bundle = example()
    told = importer.run(*bundle.pages())

    assert list(Ref.objects.filter(store=told["store"]).values_list("kind", flat=True)) == [
        "canonical"
    ]
    assert told["result"]["version"] == StoreClient(importer.api, told["store"]).canonical
    assert told["result"]["versions"] == len(bundle.revisions)
    assert told["result"]["document_versions"] == len(bundle.documents)
    left_out = told["result"]["refs_left_out"]
    assert left_out["counts"] == {"session": 1, "proposal": 1, "curation": 1}
    assert [ref["kind"] for ref in left_out["refs"]] == ["session", "proposal", "curation"]


def test_erased_bodies_and_fences_stay_what_they_are(importer):
    """I1, X1: a redacted path takes no document in the new store either."""
    bundle = example()
    told = importer.run(*bundle.pages())
    store = StoreClient(importer.api, told["store"])

    reasons = BodyErasure.objects.filter(document_version__store=store.id)
    assert list(reasons.values_list("reason", flat=True)) == ["imported"]
    assert set(PathFence.objects.values_list("path", flat=True)) == set(bundle.fences)
    refused = store.put("/never", "text")
    assert (refused.error, "/never" in refused.message) == ("memory.conflict", True)
    store.put("/notes/b.md", "goes on").ok()


def test_the_earlier_ceiling_holds(importer):
    """F1, X3: of the source's expiry and the target policy's."""
    RetentionPolicy.objects.create(
        workspace=importer.workspace, body_lifetime_days=30, updated_at="2026-01-01T00:00Z"
    )
    bundle = Bundle()
    soon = bundle.write("/soon.md", "soon", expires_at="2027-01-01T00:00:00.000Z")
    late = bundle.write("/late.md", "late", expires_at="2099-01-01T00:00:00.000Z")
    bundle.point(bundle.seal(soon, late, bundle.write("/never.md", "never")))
    told = importer.run(*bundle.pages())

    rows = DocumentVersion.objects.filter(store=told["store"])
    expiries = {row.path: row.expires_at for row in rows}
    assert expiries["/late.md"] == expiries["/never.md"]
    assert expiries["/late.md"] is not None
    assert expiries["/late.md"].year < 2099


def test_what_expired_on_the_way_is_not_kept(importer):
    bundle = Bundle()
    late = bundle.write("/late.md", "late", expires_at="2026-09-01T00:00:00.000Z")
    bundle.point(bundle.seal(late))
    told = importer.run(*bundle.pages())

    assert told["state"] == "succeeded"
    assert BodyErasure.objects.get().reason == "expired"
    assert verify_store(told["store"]).found == {}


def test_the_store_is_pending_until_it_is_complete(importer, workspace):
    """M1, I1: listed to its creator alone; its content routes answer 404."""
    store = importer.begin(description="A description")
    mine = StoreClient(importer.api, store)
    others = [Api(make_admin_key(workspace)[1])]

    assert mine.get().ok()["lifecycle"] == "pending"
    assert [row["id"] for row in importer.api.pages("/v1/memory-stores")] == [store]
    for what in ("documents", "versions", "refs", "diff?base=x&head=y"):
        assert mine.get(what).status in {400, 404}
    assert mine.read("/a.md").error == "memory.not_found"
    assert mine.put("/a.md", "text").error == "memory.not_found"
    for api in others:
        assert api.get(f"/v1/memory-stores/{store}").error == "memory.not_found"
        assert api.get(f"{IMPORTS}/{store}").error == "memory.not_found"
        assert api.pages("/v1/memory-stores") == []


def test_the_owner_is_granted_nothing_before_it_opens(workspace):
    """M6: and whoever began it for another owner sees it alone until then."""
    owner = make_person(workspace)
    api = Api(make_admin_key(workspace)[1])
    body = {"name": "For somebody", "owner": {"kind": "principal", "id": owner.id}}
    store = api.post(IMPORTS, body).ok(201)["store"]
    theirs = StoreClient(Api(make_key(workspace, principal=owner)[1]), store)
    assert theirs.get().error == "memory.not_found"

    for ordinal, page in enumerate(example().pages()):
        api.put(f"{IMPORTS}/{store}/pages/{ordinal}", page, key=None).ok()
    work(api.post(f"{IMPORTS}/{store}/complete").ok(202)["job"])

    assert theirs.read("/plain").ok()["content"] == "no newline"


def test_pages_come_in_any_order_and_again(importer):
    pages = example().pages(3)
    store = importer.begin()
    for ordinal in reversed(range(len(pages))):
        importer.put(store, ordinal, pages[ordinal]).ok()
    importer.put(store, 1, pages[1]).ok()
    work(importer.complete(store).ok(202)["job"])

    assert importer.get(store)["state"] == "succeeded"


def test_a_page_that_was_not_received_is_named(importer):
    pages = example().pages(3)
    store = importer.begin()
    importer.put(store, 0, pages[0]).ok()
    importer.put(store, 3, pages[3]).ok()

    refused = importer.complete(store)
    assert (refused.error, refused.message) == (
        "memory.conflict",
        "Pages were not received: 1, 2.",
    )
    assert importer.get(store)["state"] == "receiving"


def test_a_page_far_away_costs_no_more_than_a_near_one(importer):
    """§0: nobody makes the service count to a thousand million."""
    (page,) = example().pages()
    store = importer.begin()
    importer.put(store, 999_999_999, page | {"page_ordinal": 999_999_999}).ok()

    refused = importer.complete(store)
    first = ", ".join(map(str, range(20)))
    told = f"Pages were not received: {first} and 999,999,979 more."
    assert (refused.error, refused.message) == ("memory.conflict", told)


def test_nothing_received_is_nothing_to_complete(importer):
    store = importer.begin()
    assert importer.complete(store).message == "No page was received."


def test_an_end_that_is_not_the_end_is_refused(importer):
    pages = example().pages(3)
    store = importer.begin()
    for ordinal, page in enumerate(pages[:-1]):
        importer.put(store, ordinal, page).ok()

    refused = importer.complete(store)
    assert refused.error == "validation.malformed"
    assert "its next_page was not received" in refused.message


def test_a_manifest_that_miscounts_is_refused(importer):
    pages = example().pages()
    pages[0]["manifest"]["ref_count"] += 1
    store = importer.begin()
    importer.put(store, 0, pages[0]).ok()
    assert "ref_count says 5; the pages have 4" in importer.complete(store).message


def test_pages_of_two_exports_do_not_mix(importer):
    store = importer.begin()
    importer.put(store, 0, example().pages(3)[0]).ok()
    refused = importer.put(store, 1, example().pages(3)[1])
    assert refused.error == "validation.malformed"
    assert importer.put(store, 0, example().whole()).error == "memory.conflict"


def test_completing_is_idempotent(importer):
    """§0: the key is required, and a replay tells the same import."""
    store = importer.begin()
    importer.put(store, 0, example().whole()).ok()
    assert importer.complete(store, key=None).error == "validation.malformed"
    first = importer.complete(store, key="once")
    again = importer.complete(store, key="once")
    assert first.ok(202)["job"] == again.ok(202)["job"]
    assert (first.headers.get("Checkfu-Replayed"), again.headers["Checkfu-Replayed"]) == (
        None,
        "true",
    )
    assert importer.complete(store).error == "memory.conflict"


def test_beginning_may_be_idempotent(importer):
    body = {"name": "Twice", "owner": {"kind": "principal", "id": importer.owner.id}}
    first = importer.api.post(IMPORTS, body, key="begin").ok(201)
    again = importer.api.post(IMPORTS, body, key="begin")
    assert again.ok(201)["store"] == first["store"]
    assert again.headers["Checkfu-Replayed"] == "true"


def test_a_bad_export_changes_nothing(importer):
    """I1: the import fails and names the item; nothing that it held stays; it can be abandoned."""
    bundle = example()
    items = bundle.items()
    revision = next(item for item in items[::-1] if item["kind"] == "revision")
    revision["revision"]["tree_hash"] = "sha256:" + "0" * 64
    told = importer.run(*pages_of(bundle.store, items))

    assert (told["state"], told["error"]["type"]) == ("failed", "validation.malformed")
    assert revision["revision"]["id"] in told["error"]["message"]
    assert "tree_hash" in told["error"]["message"]
    job = Job.objects.get(id=told["job"])
    assert (job.state, job.error) == ("failed", "validation.malformed")
    assert MemoryStore.objects.get().lifecycle == "pending"
    assert not MemoryVersion.objects.exists()
    assert not DocumentVersion.objects.exists()
    assert not PathFence.objects.exists()
    assert _nothing_is_staged()

    importer.api.delete(f"{IMPORTS}/{told['store']}", key=None).ok(204)
    assert importer.api.get(f"{IMPORTS}/{told['store']}").error == "memory.not_found"
    assert importer.api.pages("/v1/memory-stores") == []


@pytest.mark.parametrize("state", ["receiving", "building"])
def test_abandoning_deletes_what_was_received(importer, state):
    store = importer.begin()
    for ordinal, page in enumerate(example().pages(3)):
        importer.put(store, ordinal, page).ok()
    job = importer.complete(store).ok(202)["job"] if state == "building" else None
    importer.api.delete(f"{IMPORTS}/{store}", key=None).ok(204)
    if job:
        work(job)
        assert Job.objects.get(id=job).error == "memory.not_found"
    work(Job.objects.get(kind="store.delete").id)

    assert _nothing_is_staged()
    assert not MemoryVersion.objects.exists()
    row = MemoryStore.objects.get()
    assert (row.lifecycle, row.name, row.description) == ("deleted", "", "")
    assert importer.put(store, 0, example().pages()[0]).error == "memory.not_found"


def test_a_success_cannot_be_abandoned(importer):
    told = importer.run(example().whole())
    refused = importer.api.delete(f"{IMPORTS}/{told['store']}", key=None)
    assert refused.error == "memory.conflict"


def test_zero_data_retention_refuses_every_step(importer):
    """X3: at the start, at each page, at completion, and before the store opens."""
    waiting, received, built = (importer.begin() for _ in range(3))
    page = example().pages()[0]
    importer.put(received, 0, page).ok()
    importer.put(built, 0, page).ok()
    job = importer.complete(built).ok(202)["job"]
    RetentionPolicy.objects.create(
        workspace=importer.workspace, zero_data_retention=True, updated_at="2026-01-01T00:00Z"
    )

    body = {"name": "Imported", "owner": {"kind": "principal", "id": importer.owner.id}}
    for refused in (
        importer.api.post(IMPORTS, body),
        importer.put(waiting, 0, page),
        importer.complete(received),
    ):
        assert (refused.error, "zero data retention" in refused.message) == ("policy.denied", True)
    work(job)
    assert importer.get(built)["error"]["type"] == "policy.denied"


def test_it_takes_what_making_a_store_takes(importer, workspace):
    other = make_person(workspace)
    body = {"name": "Theirs", "owner": {"kind": "principal", "id": other.id}}
    assert importer.api.post(IMPORTS, body).error == "policy.denied"


def test_order_of_checks(importer, settings):
    """§0: fence, then fetch, then syntax."""
    unknown = random_id("store")
    assert importer.put(unknown, 0, {"nonsense": 1}).error == "memory.not_found"
    store = importer.begin()
    assert importer.put(store, 0, {"nonsense": 1}).error == "validation.malformed"
    assert importer.api.put(f"{IMPORTS}/{store}/pages/01", {}, key=None).status == 400
    settings.VERSIONED_SURFACE = False
    assert importer.put(unknown, 0, {}).error == "memory.backend_unavailable"
    assert importer.api.post(IMPORTS, {}).error == "memory.backend_unavailable"


def test_ids_of_a_bundle_are_claims(importer):
    """M3: the same export can be imported twice; each store has versions of its own."""
    bundle = example()
    first, second = (importer.run(*bundle.pages()) for _ in range(2))
    assert (first["state"], second["state"]) == ("succeeded", "succeeded")
    ids = set(MemoryVersion.objects.values_list("id", flat=True))
    assert len(ids) == 2 * len(bundle.revisions)
    assert not ids & {revision.replace("mrev", "memver") for revision in bundle.revisions}
