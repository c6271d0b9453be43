"""Contract E2: generation rises with every change of what an export holds, and with no other."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from memory import refs
from memory.actors import IMPORTER
from memory.models import BodyErasure, DocumentVersion, RefKind
from memory.refs import RefName
from memory.stores import bump_generation
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.exports import generation
from tests.stores import (
    StoreClient,
    as_person,
    delete_operation,
    put_operation,
    shared_store,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    """A shared store with two documents, a Session's ref and an open Proposal."""
    store = shared_store(workspace, "read", "write", "review", "admin")
    store.change(put_operation("/a.md", "one"), put_operation("/b.md", "b")).ok()
    with transaction.atomic():
        name = RefName(RefKind.SESSION, random_id("session"))
        refs.create(store_id=store.id, name=name, at=store.canonical, actor=IMPORTER)
        bump_generation(store.id)
    author = as_person(workspace, store.id, "read", "write")
    _propose(author, put_operation("/p.md", "p"))
    return store


def _propose(store: StoreClient, *operations: Any) -> Any:
    body = {"title": "A change", "operations": list(operations)}
    return store.api.post(store.url("proposals"), body).ok(201)


def _on_proposal(store: StoreClient, verb: str) -> str:
    """The address of what is done with the open Proposal."""
    (ref,) = (ref for ref in store.pages("refs") if ref["kind"] == "proposal")
    return store.url(f"proposals/{ref['proposal']}/{verb}")


def _respond(store: StoreClient, response: str) -> None:
    store.api.post(_on_proposal(store, "respond"), {"response": response}).ok()


def _on_session_ref(store: StoreClient) -> None:
    (ref,) = (ref for ref in store.pages("refs") if ref["kind"] == "session")
    naming = {"kind": "session", "session": ref["session"]}
    store.change(put_operation("/s.md", "s"), base=ref["version"], ref=naming).ok()


def _erase(store: StoreClient) -> None:
    document = DocumentVersion.objects.get(store=store.id, path="/a.md")
    erase_bodies(store.id, [document.id], BodyErasure.Reason.EXPIRED)


CHANGES: dict[str, Callable[[StoreClient], Any]] = {
    "a document is written": lambda s: s.put("/new.md", "x").ok(),
    "a document is deleted": lambda s: s.delete("/a.md", over="one").ok(),
    "a change set": lambda s: s.change(delete_operation("/a.md", over="one")).ok(),
    "a change set on a Session's ref": _on_session_ref,
    "a Proposal is opened": lambda s: _propose(s, put_operation("/q.md", "q")),
    "a Proposal is approved": lambda s: _respond(s, "approve"),
    "a Proposal is rejected": lambda s: _respond(s, "reject"),
    "the store is archived": lambda s: s.patch(lifecycle="archived").ok(),
    "a text is erased": _erase,
}
NO_CHANGES: dict[str, Callable[[StoreClient], Any]] = {
    "the same text is written again": lambda s: s.change(
        put_operation("/a.md", "one", over="one")
    ).ok(),
    "a refused write": lambda s: s.put("/a.md", "two"),
    "another name": lambda s: s.patch(name="Another").ok(),
    "a read": lambda s: s.read("/a.md").ok(),
    "an export": lambda s: s.get("export").ok(),
    "a fork of it": lambda s: s.api.post(s.url("fork"), {}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_E2_generation_rises_when(store, change):
    before = generation(store)
    token = store.get("export-pages", {"limit": 1}).ok()["next_page"]

    CHANGES[change](store)

    assert generation(store) > before
    assert store.get("export-pages", {"page": token}).error == "memory.conflict"


def test_E2_generation_rises_when_a_proposal_is_proposed_again(store):
    store.put("/c.md", "c").ok()
    before = generation(store)

    store.api.post(_on_proposal(store, "repropose")).ok(201)

    assert generation(store) > before


@pytest.mark.parametrize("change", NO_CHANGES)
def test_E2_generation_stays_after(store, change):
    before = generation(store)
    token = store.get("export-pages", {"limit": 1}).ok()["next_page"]

    NO_CHANGES[change](store)

    assert generation(store) == before
    store.get("export-pages", {"page": token}).ok()
