"""Exports as API clients see them: a store with something of everything, its items, its schema."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from memory import refs
from memory.actors import IMPORTER
from memory.models import (
    DocumentVersion,
    MemoryStore,
    MemoryVersion,
    PathFence,
    RefKind,
    VersionKind,
)
from memory.refs import CANONICAL, RefName
from memory.stores import bump_generation
from memory.versions.sealing import Put, draft, seal
from tenancy.models import Workspace
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.stores import StoreClient, delete_operation, put_operation, shared_store
from wire.times import now

_SCHEMA = json.loads((Path(__file__).parent / "schemas" / "export.json").read_text())

KINDS = ["revision", "path_fence", "document_version", "revision_entry", "ref"]
REF_KINDS = ["canonical", "session", "proposal", "curation"]
REF_OWNERS = {"session": "session", "proposal": "proposal", "curation": "run"}

PROVENANCE = {
    "source_event_ids": ["evt_" + "1" * 32],
    "source_version_ids": ["memver_" + "2" * 32],
    "source_refs": ["a meeting in 東京"],
    "confidence": "observed",
    "valid_from": "2026-08-27T09:30:00.000Z",
    "curation_run": "mcur_" + "3" * 32,
    "supersedes": {"path": "/old.md", "version": "memver_" + "4" * 32},
}


def check_shape(value: Any, name: str = "export") -> None:
    """Fail unless a value is exactly as the schema has a thing of this name."""
    schema = {"$schema": _SCHEMA["$schema"], "$ref": f"#/$defs/{name}", "$defs": _SCHEMA["$defs"]}
    Draft202012Validator(schema).validate(value)


def export_pages(store: StoreClient, **query: Any) -> list[Any]:
    """All pages of a store's paged export."""
    pages = [store.get("export-pages", query).ok()]
    while token := pages[-1]["next_page"]:
        pages.append(store.get("export-pages", query | {"page": token}).ok())
    return pages


def items_of(pages: list[Any]) -> list[Any]:
    """The items of some pages, in a row."""
    return [item for page in pages for item in page["items"]]


def of_kind(items: Sequence[Any], kind: str) -> Iterator[Any]:
    """What the items of one kind say."""
    return (item[kind] for item in items if item["kind"] == kind)


def expanded(items: list[Any]) -> list[Any]:
    """The rows that a whole export has for these items."""
    documents = {one["id"]: one for one in of_kind(items, "document_version")}
    rows = []
    for entry in of_kind(items, "revision_entry"):
        document = {**documents[entry["document_version"]]}
        del document["id"]
        rows.append({"revision": entry["revision"], **document})
    return rows


def assert_in_order(items: Sequence[Any]) -> None:
    """Recompute the contract's order from the items alone (contract E2)."""
    parents = {one["id"]: one["parent_revision"] for one in of_kind(items, "revision")}
    places: dict[str, Callable[[Any], Any]] = {
        "revision": lambda said: (_depth(parents, said["id"]), said["id"]),
        "path_fence": lambda said: said["path"].encode(),
        "document_version": lambda said: said["id"],
        "revision_entry": lambda said: (
            _depth(parents, said["revision"]),
            said["revision"],
            said["path"].encode(),
        ),
        "ref": lambda said: (
            REF_KINDS.index(said["kind"]),
            said.get(REF_OWNERS.get(said["kind"], ""), ""),
        ),
    }
    order = [
        (KINDS.index(item["kind"]), places[item["kind"]](item[item["kind"]])) for item in items
    ]
    assert order == sorted(order)
    assert len(set(order)) == len(order)


def _depth(parents: Mapping[str, str | None], revision: str) -> int:
    parent = parents[revision]
    return 0 if parent is None else 1 + _depth(parents, parent)


def rich_store(workspace: Workspace) -> StoreClient:
    """A store with branches, refs of all kinds, fences, provenance, erased and expired texts."""
    store = shared_store(workspace, "read", "write")
    store.change(
        put_operation("/a.md", "one\n"),
        put_operation("/b/ünï.md", "\u0001\u2028 kept", provenance=PROVENANCE),
        put_operation("/secret.md", "a canary", provenance=PROVENANCE),
        message="words that stay here",
    ).ok()
    base = store.canonical
    for kind in (RefKind.SESSION, RefKind.SESSION, RefKind.CURATION):
        _open_ref(store, kind, base)
    for session in of_refs(store, "session"):
        store.change(put_operation("/s.md", session), base=base, ref=_session(session)).ok()
    _propose(store, base)
    store.change(
        put_operation("/a.md", "two", over="one\n"), delete_operation("/secret.md", over="a canary")
    ).ok()
    seal_expiring(store, {"/late.md": now() + timedelta(days=1), "/gone.md": now()})
    _redact(store, "/secret.md", "/never-there.md")
    return store


def _session(session: str) -> dict[str, str]:
    return {"kind": "session", "session": session}


def of_refs(store: StoreClient, kind: str) -> list[str]:
    """The owners of a store's refs of one kind."""
    return [ref[REF_OWNERS[kind]] for ref in store.pages("refs") if ref["kind"] == kind]


def _propose(store: StoreClient, base: str) -> None:
    body = {"title": "A change", "base_version": base, "operations": [put_operation("/p.md", "p")]}
    store.api.post(store.url("proposals"), body).ok(201)


@transaction.atomic
def _open_ref(store: StoreClient, kind: RefKind, at: str) -> None:
    name = RefName(kind, random_id(kind))
    refs.create(store_id=store.id, name=name, at=at, actor=IMPORTER)
    bump_generation(store.id)


@transaction.atomic
def seal_expiring(store: StoreClient, ceilings: dict[str, datetime]) -> str:
    """Write texts that expire, on canonical; the version that holds them."""
    at = MemoryVersion.objects.get(id=store.canonical)
    version = seal(
        store_id=store.id,
        draft=draft(at, {path: Put("late", expires_at=end) for path, end in ceilings.items()}),
        kind=VersionKind.IMPORT,
        actor=IMPORTER,
    )
    refs.advance(store_id=store.id, name=CANONICAL, expected=at.id, to=version.id, actor=IMPORTER)
    bump_generation(store.id)
    return version.id


def _redact(store: StoreClient, *paths: str) -> None:
    moment = now()
    PathFence.objects.bulk_create(
        PathFence(store_id=store.id, path=path, fenced_at=moment) for path in paths
    )
    documents = DocumentVersion.objects.filter(store=store.id, path__in=paths)
    erase_bodies(store.id, list(documents.values_list("id", flat=True)))


def generation(store: StoreClient) -> int:
    """A store's generation now."""
    return MemoryStore.objects.get(id=store.id).generation
