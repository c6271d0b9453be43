"""Contract X1 and R5: words that a redaction took are said to be erased, and never released."""

from typing import Any

import pytest

from memory.access import open_store
from memory.actions.redactions import redact
from memory.models import DocumentBody, DocumentVersion
from memory.queries.documents import BodyMissing, read_document
from proposals.models import Proposal
from tests.client import Answer
from tests.factories import platform
from tests.interleaving import answer_after, without_transaction
from tests.stores import StoreClient, as_person, delete_operation, put_operation, shared_store


def _redact(workspace: Any, store: StoreClient, *paths: str) -> None:
    redact(access=open_store(platform(workspace), store.id), paths=paths)


@pytest.fixture
def store(workspace) -> StoreClient:
    """A store with a document that was written and deleted with messages, and a Proposal."""
    store = shared_store(workspace, "read", "write")
    store.change(put_operation("/a.md", "one"), message="the first words").ok()
    store.change(delete_operation("/a.md", over="one"), message="the last words").ok()
    body = {
        "title": "A title",
        "description": "A description",
        "operations": [put_operation("/a.md", "two")],
    }
    store.api.post(store.url("proposals"), body).ok(201)
    return store


@pytest.mark.django_db
def test_X1_answers_say_that_a_message_was_erased(workspace, store):
    store.change(put_operation("/b.md", "b")).ok()
    tip = store.canonical
    _redact(workspace, store, "/a.md")

    rows = {row["id"]: row for row in store.pages("versions")}
    touched = {row["version"] for row in store.get("history", {"path": "/a.md"}).ok()["data"]}
    touched |= {version for version, row in rows.items() if row["kind"] == "proposal"}
    for version, row in rows.items():
        assert row["message"] is None
        assert (row["message_erased"] is not None) == (version in touched)
    one = store.get(f"versions/{tip}").ok()
    assert (one["message"], one["message_erased"]) == (None, None)
    for row in store.get("history", {"path": "/a.md"}).ok()["data"]:
        assert row["message_erased"]["reason"] == "redacted"


@pytest.mark.django_db
def test_X1_answers_say_that_a_proposals_words_were_erased(workspace, store):
    proposal = Proposal.objects.get()
    _redact(workspace, store, "/a.md")

    for told in (store.get(f"proposals/{proposal.id}").ok(), store.pages("proposals")[0]):
        assert (told["title"], told["description"], told["resolution"]["note"]) == (None,) * 3
        assert told["words_erased"]["reason"] == "redacted"


@pytest.mark.django_db
def test_X1_a_redacted_path_is_said_to_be_redacted_where_it_is_not(workspace, store):
    store.put("/b.md", "b").ok()
    _redact(workspace, store, "/b.md")

    refused = store.read("/b.md")

    assert refused.status == 404
    assert "redacted" in refused.message


@pytest.mark.django_db
def test_M7_a_body_that_vanished_is_not_called_redacted(store):
    document = DocumentVersion.objects.filter(path="/a.md").earliest("id")
    DocumentBody.objects.filter(document_version=document).delete()

    with pytest.raises(BodyMissing):
        read_document(store.id, "/a.md", document.introduced_by_id)
    assert store.read("/a.md", document.introduced_by_id).error == "runtime.internal"


@pytest.fixture(params=["one", "list"])
def route(request, store) -> str:
    """What a reader asks for."""
    return "proposals" if request.param == "list" else f"proposals/{Proposal.objects.get().id}"


@pytest.mark.django_db(transaction=True)
def test_R5_words_of_proposals_that_are_erased_meanwhile_are_not_released(workspace, store, route):
    reader = as_person(workspace, store.id, "read")

    answer = _meanwhile(workspace, store, route, reader, "/a.md")

    assert (answer.status, answer.error) == (409, "memory.conflict")
    assert b"title" not in answer.content
    assert reader.get(route).status == 200


@pytest.mark.django_db(transaction=True)
def test_R5_what_else_is_redacted_refuses_no_words(workspace, store, route):
    reader = as_person(workspace, store.id, "read")
    store.put("/b.md", "b").ok()

    assert b"A title" in _meanwhile(workspace, store, route, reader, "/b.md").content


def _meanwhile(
    workspace: Any, store: StoreClient, route: str, reader: StoreClient, path: str
) -> Answer:
    """Ask, and redact between the reading of Proposals and the publishing."""
    access = open_store(platform(workspace), store.id)
    return answer_after(
        lambda: reader.get(route),
        reading="proposals_proposal",
        publishing="tenancy_apikey",
        meanwhile=lambda: without_transaction(redact)(access=access, paths=[path]),
    )
