"""Exports while others write: one snapshot or a refusal, never a mixture (E1, E2, R5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

import pytest

from tests.client import Answer
from tests.exports import items_of, of_kind
from tests.oracle.treehash import tree_hash
from tests.race import outcomes, race
from tests.stores import StoreClient, personal_store, put_operation

pytestmark = pytest.mark.django_db(transaction=True)

WRITES = 12
EXPORTS = 8
MOST_WRITES = 100
"""Where a race that never overlaps gives up, and fails."""


@dataclass(frozen=True)
class _Held:
    """What of a document its version's hash covers."""

    sha256: str
    media_type: str


@pytest.fixture
def store(workspace):
    store = personal_store(workspace)
    store.change(*(put_operation(f"/{number:02}.md", "x") for number in range(40))).ok()
    return store


def _write(store: StoreClient) -> list[Answer]:
    return [store.put(f"/new-{number}.md", str(number)) for number in range(WRITES)]


def _check_hashes(revisions: Sequence[Any], held: Sequence[tuple[str, Any]]) -> None:
    """Every revision's tree hash, from what the very same export says that it holds."""
    trees: dict[str, dict[str, _Held]] = {one["id"]: {} for one in revisions}
    for revision, document in held:
        of_document = _Held(document["content_sha256"], document["media_type"])
        trees[revision][document["path"]] = of_document
    for one in revisions:
        assert tree_hash(trees[one["id"]]) == one["tree_hash"]
        assert len(trees[one["id"]]) == one["document_count"]


def test_E1_a_whole_export_is_one_snapshot_and_no_write_refuses_it(store):
    seen_a_write = (Event(), Event())

    def write() -> list[Answer]:
        """At least WRITES, and more until each exporter has seen one land."""
        answers = _write(store)
        while not all(each.is_set() for each in seen_a_write) and len(answers) < MOST_WRITES:
            answers.append(store.put(f"/more-{len(answers)}.md", "x"))
        return answers

    def export(saw: Event) -> list[Answer]:
        """At least EXPORTS, and more until two of them hold different histories."""
        answers: list[Answer] = []
        lengths: set[int] = set()
        while len(answers) < MOST_WRITES and (len(answers) < EXPORTS or len(lengths) < 2):
            answers.append(store.get("export"))
            lengths.add(len(answers[-1].ok()["revisions"]))
            if len(lengths) > 1:
                saw.set()
        return answers

    writes, *exports = outcomes(race(write, *(partial(export, saw) for saw in seen_a_write)), list)

    assert {answer.status for answer in writes} == {200}
    for answers in exports:
        for body in (answer.ok() for answer in answers):
            rows = [(row["revision"], row["document"]) for row in body["documents"]]
            _check_hashes(body["revisions"], rows)
            (canonical,) = body["refs"]
            assert canonical["revision"] == body["revisions"][-1]["id"]
        assert len({len(answer.ok()["revisions"]) for answer in answers}) > 1


def _page_through(store: StoreClient) -> list[Any] | None:
    """All pages of one export, or None when it was refused on the way."""
    pages: list[Any] = []
    token: dict[str, str] = {}
    while True:
        answer = store.get("export-pages", {"limit": 30, **token})
        if answer.status == 409 and pages:
            assert answer.error == "memory.conflict"
            return None
        pages.append(answer.ok())
        if pages[-1]["next_page"] is None:
            return pages
        token = {"page": pages[-1]["next_page"]}


def test_E2_pages_are_of_one_snapshot_or_refused(store):
    def export() -> list[Any]:
        return [_page_through(store) for _ in range(EXPORTS)]

    writes, *exports = outcomes(race(partial(_write, store), export, export), list)

    assert {answer.status for answer in writes} == {200}
    complete = [pages for each in [*exports, export()] for pages in each if pages]
    for pages in complete:
        _check_pages(pages)
    assert complete


def _check_pages(pages: list[Any]) -> None:
    items = items_of(pages)
    manifest = pages[0]["manifest"]
    documents = {one["id"]: one["document"] for one in of_kind(items, "document_version")}
    entries = list(of_kind(items, "revision_entry"))
    revisions = list(of_kind(items, "revision"))
    assert (manifest["revision_count"], manifest["revision_entry_count"]) == (
        len(revisions),
        len(entries),
    )
    _check_hashes(
        revisions, [(one["revision"], documents[one["document_version"]]) for one in entries]
    )
