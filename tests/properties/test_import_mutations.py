"""Contract I1: whatever is changed in a good export, it is refused, named, and changes nothing."""

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from database.transactions import durable_once
from memory.actions.store_imports import begin_import, complete_import, receive_page
from memory.actions.stores import Owner, StoreSettings
from memory.importing.jobs import import_batch
from memory.importing.pages import read_page
from memory.models import (
    DocumentVersion,
    ImportDocument,
    ImportPage,
    ImportRevision,
    MemoryStore,
    MemoryVersion,
    OwnerKind,
    PathFence,
    StoreImport,
)
from tests.bundles import KINDS, Fields, canonical, example, pages_of, provenance
from tests.client import random_id
from tests.factories import platform
from wire.errors import ApiError

pytestmark = pytest.mark.django_db

OTHER_HASH = "sha256:" + "0" * 64
OTHER_REVISION = "mrev_" + "0" * 32
NAMED = re.compile(r"(mrev|mdoc|sess|mprop|mcur|memstore)_[0-9a-f]{32}|/[a-z]+|item \d+|canonical")

type Change = Callable[[Fields], Any]


def _put(*path: str, value: Any) -> Change:
    def change(fields: Fields) -> None:
        for name in path[:-1]:
            fields = fields[name]
        old = fields[path[-1]]
        fields[path[-1]] = value(old) if callable(value) else value

    return change


def _add(*path: str, by: int) -> Change:
    return _put(*path, value=lambda old: old + by)


def _without(name: str) -> Change:
    return lambda fields: fields.pop(name)


EVERYWHERE: dict[str, Change] = {
    "an unknown field": lambda fields: fields.update(more=1),
}
FIELDS: dict[str, dict[str, Change]] = {
    "revision": {
        "id": _put("id", value=OTHER_REVISION),
        "id of another kind": _put("id", value=random_id("document")),
        "id as the API spells it": _put("id", value=lambda old: old.replace("mrev", "memver")),
        "store": _put("store", value=random_id("store")),
        "unknown parent": _put("parent_revision", value=OTHER_REVISION),
        "documents, one more": _add("document_count", by=1),
        "documents, very many": _put("document_count", value=10_001),
        "documents, negative": _put("document_count", value=-1),
        "bytes": _add("total_bytes", by=1),
        "tree hash": _put("tree_hash", value=OTHER_HASH),
        "tree hash spelled differently": _put("tree_hash", value=lambda old: old.upper()),
        "time": _put("created_at", value="2026-08-01T12:00:00Z"),
        "kind": _put("kind", value="merge"),
        "actor": _put("actor", value={"kind": "principal", "principal": "somebody"}),
        "no actor": _without("actor"),
    },
    "path_fence": {
        "path": _put("path", value="no slash"),
        "path of a text that is there": _put("path", value="/plain"),
    },
    "document_version": {
        "id": _put("id", value=random_id("document")),
        "id of another kind": _put("id", value=random_id("store")),
        "path": _put("document", "path", value="/elsewhere"),
        "path, not normalized": _put("document", "path", value="/a//b"),
        "hash": _put("document", "content_sha256", value=OTHER_HASH),
        "bytes": _add("document", "bytes", by=1),
        "media type": _put("document", "media_type", value="text/x-other"),
        "media type, malformed": _put("document", "media_type", value="text"),
        "provenance": _put("document", "provenance", value=provenance(source_refs=["other"])),
        "body": _put("body", value={"state": "available", "content": "forged", "expires_at": None}),
        "expiry": _put(
            "body", value=lambda old: {**old, "state": "available", "expires_at": "soon"}
        ),
        "expiry before the export": _put(
            "body", value=lambda old: {**old, "expires_at": "2020-01-01T00:00:00.000Z"}
        ),
        "body of no state": _put("body", value={}),
    },
    "revision_entry": {
        "revision": _put("revision", value=OTHER_REVISION),
        "path": _put("path", value=lambda old: old + "x"),
        "path that is a directory": _put("path", value="/plain/below"),
        "document": _put("document_version", value=random_id("document")),
    },
    "ref": {
        "revision": _put("revision", value=OTHER_REVISION),
        "store": _put("store", value=random_id("store")),
        "time": _put("updated_at", value="yesterday"),
        "kind": _put("kind", value="branch"),
        "owner of another kind": lambda fields: fields.update(session="mprop_" + "5" * 32),
    },
}
DROPPED = ("revision", "document_version", "revision_entry")
"""Kinds of which each item is needed. A fence or a Session's ref less is another good export."""


@st.composite
def bad_exports(draw: st.DrawFn) -> list[Fields]:
    """Pages of an export that is good but for one thing."""
    bundle = example()
    items = bundle.items()
    how = draw(st.sampled_from(["field", "field", "field", "drop", "repeat", "swap", "kinds"]))
    kind = draw(st.sampled_from(DROPPED if how == "drop" else KINDS))
    index = draw(st.sampled_from([n for n, item in enumerate(items) if item["kind"] == kind]))
    item = items[index]
    if how == "field":
        name = draw(st.sampled_from(sorted(FIELDS[kind] | EVERYWHERE)))
        (FIELDS[kind] | EVERYWHERE)[name](item[kind])
    elif how == "drop":
        del items[index]
    elif how == "repeat":
        items.insert(index, deepcopy(item))
    elif how == "swap":
        neighbour = index - 1 if index and items[index - 1]["kind"] == kind else index + 1
        items[index], items[neighbour] = items[neighbour], items[index]
    else:
        items.insert(0 if index else len(items), items.pop(index))
    return pages_of(bundle.store, items, draw(st.sampled_from([1, 4, 200])))


def refused(workspace: Any, pages: list[Fields]) -> str:
    """Import pages as far as it goes; returns what is said of them."""
    caller = platform(workspace)
    owner = Owner(OwnerKind.WORKSPACE, workspace.id)
    begun = begin_import(caller=caller, settings=StoreSettings("Imported", owner))
    try:
        for page in pages:
            receive_page(caller=caller, store_id=begun.store_id, page=read_page(page))
        complete_import(caller=caller, store_id=begun.store_id, by_worker=False)
        position: dict[str, Any] | None = {}
        while position is not None:
            _, position = durable_once(import_batch)(begun.store_id, position)
    except ApiError as error:
        message = StoreImport.objects.get(store=begun.store_id).error or error.message
    else:
        raise AssertionError("it was imported")
    assert MemoryStore.objects.get(id=begun.store_id).lifecycle == "pending"
    return message


@given(pages=bad_exports())
@settings(max_examples=60)
def test_one_thing_wrong_is_one_thing_named(workspace, pages):
    message = refused(workspace, pages)

    assert NAMED.search(message), message
    for model in (MemoryVersion, DocumentVersion, PathFence, ImportRevision, ImportDocument):
        assert not model.objects.exists()
    ImportPage.objects.all().delete()


@pytest.mark.parametrize("kind", FIELDS)
def test_each_field_that_is_proven(workspace, kind):
    for name, change in FIELDS[kind].items():
        bundle = example()
        items = bundle.items()
        change(next(item for item in items if item["kind"] == kind)[kind])
        assert NAMED.search(refused(workspace, pages_of(bundle.store, items))), name


def test_frames_of_pages(workspace):
    """E2: what a page says of itself is counted again."""
    for name, value in {
        "item_bytes": 1,
        "page_ordinal": -1,
        "next_page": 7,
        "items": [{}] * 201,
        "manifest": {},
        "more": None,
    }.items():
        page = {**example().pages()[0], name: value}
        assert name.split("_", maxsplit=1)[0] in refused(workspace, [page])
    for name, value in {
        "version": 1,
        "format": "other",
        "as_of": "now",
        "revision_count": 4,
    }.items():
        page = example().pages()[0]
        page["manifest"][name] = value
        assert name in refused(workspace, [page])


def test_there_is_no_smaller_export_than_one_revision(workspace):
    bundle = example()
    assert refused(workspace, pages_of(bundle.store, [bundle.items()[0]])) == (
        "The export has no canonical ref."
    )


def test_canonical_json_is_what_it_says():
    assert canonical({"b": "\u00e9", "a": [1, None]}) == b'{"a":[1,null],"b":"\xc3\xa9"}'
