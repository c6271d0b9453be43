"""Paged exports of any store: whatever the limits, the same items in the exact order (E2, E3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import refs
from memory.access import StoreAccess, open_store
from memory.actors import IMPORTER
from memory.exporting.items import revision_id
from memory.exporting.pages import ExportPage, export_page
from memory.models import (
    DocumentVersion,
    MemoryStore,
    MemoryVersion,
    PathFence,
    RefKind,
    VersionKind,
)
from memory.queries.versions import base_for_sealing
from memory.refs import RefName
from memory.versions.sealing import Put, draft, seal
from tenancy.models import Principal
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.exports import assert_in_order, of_kind
from tests.factories import caller_for
from tests.oracle.strategies import PATHS, texts
from tests.stores import hash_of, personal_store
from wire.canonicaljson import canonical_json
from wire.times import now

pytestmark = pytest.mark.django_db

type Texts = dict[str, str]
"""What a version holds at each path."""

FREE = [path for path in PATHS if not path.startswith("/a/") and path != "/a"]
"""Paths none of which is below another."""


@dataclass(frozen=True)
class Sealing:
    """A version on some version before it."""

    base: int
    changes: dict[str, str | None]


@dataclass(frozen=True)
class Shape:
    """What a store looks like: versions in a tree, what is erased and fenced, refs."""

    sealings: Sequence[Sealing]
    erased: frozenset[int]
    fences: frozenset[str]
    ref_kinds: Sequence[RefKind]


changes = st.dictionaries(st.sampled_from(FREE), st.none() | texts, min_size=1, max_size=5)
sealings = st.lists(st.builds(Sealing, st.integers(0, 30), changes), max_size=12)
shapes = st.builds(
    Shape,
    sealings,
    st.frozensets(st.integers(0, 12), max_size=4),
    st.frozensets(st.sampled_from(PATHS), max_size=4),
    st.lists(st.sampled_from([RefKind.SESSION, RefKind.PROPOSAL, RefKind.CURATION]), max_size=4),
)
limits = st.lists(st.integers(1, 9) | st.just(10**6), min_size=1, max_size=4)


def _make(store_id: str, shape: Shape) -> dict[str, Texts]:
    """Make a store of this shape; what each of its versions holds, told without its tables."""
    first = MemoryVersion.objects.get(store=store_id)
    held: dict[str, Texts] = {first.id: {}}
    for sealing in shape.sealings:
        base = list(held)[sealing.base % len(held)]
        version = _seal(store_id, base, sealing)
        if version is not None:
            after = {**held[base], **sealing.changes}
            held[version] = {path: text for path, text in after.items() if text is not None}
    _erase(store_id, shape)
    for kind in shape.ref_kinds:
        name = RefName(kind, random_id(kind))
        refs.create(store_id=store_id, name=name, at=list(held)[-1], actor=IMPORTER)
    return held


def _seal(store_id: str, base: str, sealing: Sealing) -> str | None:
    changes = {path: text if text is None else Put(text) for path, text in sealing.changes.items()}
    drafted = draft(base_for_sealing(store_id, base), changes)
    if drafted.is_empty:
        return None
    return seal(store_id=store_id, draft=drafted, kind=VersionKind.IMPORT, actor=IMPORTER).id


def _erase(store_id: str, shape: Shape) -> None:
    documents = list(DocumentVersion.objects.filter(store=store_id).order_by("id"))
    erase_bodies(
        store_id, [document.id for at, document in enumerate(documents) if at in shape.erased]
    )
    moment = now()
    PathFence.objects.bulk_create(
        PathFence(store_id=store_id, path=path, fenced_at=moment) for path in shape.fences
    )


def _pages(access: StoreAccess, limits: Sequence[int]) -> list[ExportPage]:
    pages: list[ExportPage] = []
    token: str | None = None
    for limit in cycle(limits):
        pages.append(export_page(access, limit=limit, page=token))
        token = pages[-1].answer["next_page"]
        if token is None:
            return pages
    raise AssertionError("unreachable")


def _items(pages: Sequence[ExportPage]) -> list[Any]:
    return [item for page in pages for item in page.answer["items"]]


@settings(max_examples=30)
@given(shape=shapes, limits=limits)
def test_E2_E3_pages_of_any_size_are_cut_from_one_list(workspace, shape, limits):
    store = personal_store(workspace)
    held = _make(store.id, shape)
    access = _opened(store.id)

    pages = _pages(access, limits)

    _check_pages(pages, limits)
    assert _items(pages) == _items(_pages(access, [10**6]))
    assert_in_order(_items(pages))
    _check_content(_items(pages), held)


def _opened(store_id: str) -> StoreAccess:
    owner = MemoryStore.objects.get(id=store_id).owner_id
    return open_store(caller_for(Principal.objects.get(id=owner)), store_id)


def _check_pages(pages: Sequence[ExportPage], limits: Sequence[int]) -> None:
    manifest = pages[0].answer["manifest"]
    for at, (page, limit) in enumerate(zip(pages, cycle(limits), strict=False)):
        answer = page.answer
        assert answer["page_ordinal"] == at
        assert answer["manifest"] == manifest
        assert len(answer["items"]) == min(limit, 200) or answer["next_page"] is None
        assert answer["item_bytes"] == sum(len(canonical_json(item)) for item in answer["items"])


def _check_content(items: Sequence[Any], held: dict[str, Texts]) -> None:
    """Every version holds what was written, erased or not."""
    documents = {one["id"]: one for one in of_kind(items, "document_version")}
    exported: dict[str, dict[str, Any]] = {revision_id(version): {} for version in held}
    for entry in of_kind(items, "revision_entry"):
        exported[entry["revision"]][entry["path"]] = documents[entry["document_version"]]
    for version, tree in held.items():
        found = exported[revision_id(version)]
        assert found.keys() == tree.keys()
        for path, text in tree.items():
            assert found[path]["document"]["content_sha256"] == hash_of(text)
            assert found[path]["body"].get("content", text) == text
