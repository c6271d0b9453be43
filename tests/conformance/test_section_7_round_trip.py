"""Contract I1: export, import and export again agree in all that an import keeps."""

from typing import Any

import pytest

from memory.management.commands.verify import verify_store
from tests.exports import export_pages, rich_store
from tests.importers import Importer
from tests.stores import StoreClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return rich_store(workspace)


def _kept(pages: list[Any]) -> dict[str, Any]:
    """What an export says, without what is a store's own: identifiers, kinds, actors, times."""
    items = [item for page in pages for item in page["items"]]
    revisions = [item["revision"] for item in items if item["kind"] == "revision"]
    place = {revision["id"]: position for position, revision in enumerate(revisions)}
    documents = {
        item["document_version"]["id"]: item["document_version"]
        for item in items
        if item["kind"] == "document_version"
    }
    entries = [item["revision_entry"] for item in items if item["kind"] == "revision_entry"]
    written: dict[str, list[Any]] = {}
    for entry in entries:
        where = (place[entry["revision"]], entry["path"])
        written.setdefault(entry["document_version"], []).append(where)
    canonical = next(item["ref"] for item in items if item["kind"] == "ref")
    return {
        "revisions": [
            {
                "parent": place.get(revision["parent_revision"]),
                **{name: revision[name] for name in ("document_count", "total_bytes", "tree_hash")},
            }
            for revision in revisions
        ],
        "documents": sorted(
            ((written[name], {**document, "id": None}) for name, document in documents.items()),
            key=lambda pair: pair[0],
        ),
        "fences": [item["path_fence"] for item in items if item["kind"] == "path_fence"],
        "canonical": place[canonical["revision"]],
    }


@pytest.mark.parametrize("limit", [3, 200])
def test_pages(store, workspace, limit):
    importer = Importer(workspace)
    exported = export_pages(store, limit=limit)
    told = importer.run(*exported)

    assert told["state"] == "succeeded", told["error"]
    assert verify_store(told["store"]).found == {}
    again = StoreClient(importer.api, told["store"])
    assert _kept(export_pages(again)) == _kept(exported)


def test_a_whole_export(store, workspace):
    importer = Importer(workspace)
    told = importer.run(store.get("export").ok())

    assert told["state"] == "succeeded", told["error"]
    again = StoreClient(importer.api, told["store"])
    assert _kept(export_pages(again)) == _kept(export_pages(store))


def test_an_import_of_an_import(store, workspace):
    importer = Importer(workspace)
    first = StoreClient(importer.api, importer.run(*export_pages(store))["store"])
    second = StoreClient(importer.api, importer.run(*export_pages(first))["store"])

    assert _kept(export_pages(second)) == _kept(export_pages(store))
    assert {version["source"]["kind"] for version in second.pages("versions")} == {"import"}
