"""Redactions against everybody else: whoever wins, nothing of the path is left or written (X1)."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from memory import refs
from memory.access import open_store
from memory.actions.redactions import redact
from memory.actors import IMPORTER
from memory.management.commands.verify import verify_store
from memory.models import DocumentBody, ErasureReport, MemoryVersion, Ref, RefKind
from memory.refs import RefName
from memory.trees.storage import load_tree
from proposals.queries.touching import open_touching, telling
from tests.agents import at, make_scene, mount, working_ref
from tests.client import Answer, Api, random_id
from tests.conformance.test_section_2_publication import ROUTES, Scene
from tests.factories import make_admin_key, platform
from tests.interleaving import answer_after, without_transaction
from tests.race import outcomes, race
from tests.stores import StoreClient, as_person, delete_operation, put_operation, shared_store

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 5
PATH = "/a.md"


class Team:
    """Everybody who works on one store at the moment when a path of it is redacted."""

    def __init__(self, workspace: Any) -> None:
        self.workspace = workspace
        self.store = shared_store(workspace, "read", "write")
        self.admin = Api(make_admin_key(workspace)[1])
        self.store.put(PATH, "one").ok()
        self.stale = self._propose(put_operation("/c.md", "c"), delete_operation(PATH, over="one"))
        self.store.put("/b.md", "b").ok()
        self.base = self.store.canonical
        self.fresh = self._propose(put_operation(PATH, "two", over="one"))
        self.reviewer = as_person(workspace, self.store.id, "read", "review")
        self.session = {"kind": "session", "session": random_id("session")}
        with transaction.atomic():
            name = RefName(RefKind.SESSION, self.session["session"])
            refs.create(store_id=self.store.id, name=name, at=self.base, actor=IMPORTER)

    def _propose(self, *operations: Any) -> str:
        return str(self._open(*operations).ok(201)["id"])

    def _open(self, *operations: Any) -> Answer:
        body = {"title": "A title", "operations": list(operations)}
        return self.store.api.post(self.store.url("proposals"), body)

    def put(self) -> Answer:
        return self.store.put(PATH, "put", over="one")

    def change(self) -> Answer:
        return self.store.change(put_operation(PATH, "change", over="one"), base=self.base)

    def put_elsewhere(self) -> Answer:
        return self.store.put("/elsewhere.md", "put")

    def checkpoint(self) -> Answer:
        change = put_operation(PATH, "session", over="one")
        return self.store.change(change, ref=self.session, base=self.base)

    def propose(self) -> Answer:
        return self._open(put_operation(PATH, "proposed", over="one"))

    def approve(self) -> Answer:
        address = self.store.url(f"proposals/{self.fresh}/respond")
        return self.reviewer.api.post(address, {"response": "approve"})

    def repropose(self) -> Answer:
        return self.store.api.post(self.store.url(f"proposals/{self.stale}/repropose"))

    def redact(self, *paths: str) -> Answer:
        body = {"paths": list(paths or (PATH,))}
        return self.admin.post(self.store.url("redactions"), body)


def _require_gone(team: Team) -> None:
    """Nothing readable, nothing open and nothing written at the path, on any ref or version."""
    store = team.store
    assert not DocumentBody.objects.filter(
        document_version__store=store.id, document_version__path=PATH
    ).exists()
    assert not open_touching(store.id, [PATH]).exists()
    assert not telling(store.id, [PATH]).filter(words_erased_at=None).exists()
    for ref in Ref.objects.filter(store=store.id).exclude(kind=RefKind.PROPOSAL):
        assert load_tree(ref.version_id).find(PATH) is None
    for version in MemoryVersion.objects.filter(store=store.id):
        assert store.read(PATH, version.id).status == 404
    assert verify_store(store.id).found == {}


def _race(*requests: Callable[[], Answer]) -> list[Answer]:
    results = race(*requests)
    answers = outcomes(results, Answer)
    assert len(answers) == len(results), results
    return answers


ALONE = ("put", "change", "put_elsewhere", "checkpoint", "propose", "approve", "repropose")


@pytest.mark.parametrize("what", ALONE)
def test_one_write_and_a_redaction(workspace, what):
    for _ in range(ROUNDS):
        team = Team(workspace)

        redacted, written = _race(team.redact, getattr(team, what))

        assert redacted.status == 200, redacted.body
        assert written.status in {200, 201, 409}, written.body
        _require_gone(team)


def test_everybody_at_once(workspace):
    for _ in range(ROUNDS):
        team = Team(workspace)
        writes = [getattr(team, what) for what in ALONE]

        redacted, *others = _race(team.redact, *writes)

        assert redacted.status == 200, redacted.body
        assert {answer.status for answer in others} <= {200, 201, 409}
        _require_gone(team)


def test_two_redactions_share_what_there_is_to_erase(workspace):
    for _ in range(ROUNDS):
        team = Team(workspace)

        both = [answer.ok() for answer in _race(team.redact, team.redact)]

        assert Counter(counts["hash_count"] for counts in both) == {0: 1, 2: 1}
        assert [counts["path_count"] for counts in both] == [1, 1]
        redactions = MemoryVersion.objects.filter(store=team.store.id, kind="redaction")
        assert redactions.count() == 1
        assert ErasureReport.objects.filter(store=team.store.id).count() == 2
        _require_gone(team)


def test_two_redactions_of_different_paths_both_happen(workspace):
    team = Team(workspace)

    for answer in _race(team.redact, partial(team.redact, "/b.md", PATH)):
        answer.ok()

    assert team.store.pages("documents") == []
    _require_gone(team)


def test_a_working_ref_that_is_made_meanwhile_holds_nothing_of_it(workspace):
    for _ in range(ROUNDS):
        scene = make_scene(workspace)
        store = scene.store()
        store.put(PATH, "one").ok()
        session = scene.session(mount(store))["id"]
        redaction = partial(
            Api(make_admin_key(workspace)[1]).post, store.url("redactions"), {"paths": [PATH]}
        )

        for answer in _race(redaction, partial(working_ref, store, session)):
            assert answer.status in {200, 201}

        assert load_tree(at(store, session)).find(PATH) is None


def test_one_request_sent_twice_happens_once(workspace):
    team = Team(workspace)
    body = {"paths": [PATH]}
    send = partial(team.admin.post, team.store.url("redactions"), body, key="once")

    first, second = _race(send, send)

    assert first.ok() == second.ok()
    assert {first.headers.get("Checkfu-Replayed"), second.headers.get("Checkfu-Replayed")} == {
        None,
        "true",
    }
    assert ErasureReport.objects.count() == 1


def test_a_proposal_that_was_admitted_before_is_refused_at_its_end(workspace):
    """It makes a ref of its own, so nothing but the last look at the store keeps it out."""
    team = Team(workspace)
    access = open_store(platform(workspace), team.store.id)

    answer = answer_after(
        team.propose,
        reading="memory_versiontree",
        meanwhile=lambda: without_transaction(redact)(access=access, paths=[PATH]),
    )

    assert (answer.status, answer.error) == (409, "memory.conflict")
    assert "redacted" in answer.message
    _require_gone(team)


@pytest.mark.parametrize("route", [route for route in ROUTES if route != "reflog"])
def test_a_reader_who_was_faster_is_not_told(workspace, route):
    author = shared_store(workspace, "read", "write")
    first = author.change(put_operation("/a.md", "one"), put_operation("/b.md", "b")).ok()
    second = author.change(put_operation("/a.md", "two", over="one"), message="words").ok()
    reader: StoreClient = as_person(workspace, author.id, "read")
    scene = Scene(workspace, reader, first["version"], second["version"])
    access = open_store(platform(workspace), author.id)

    answer = answer_after(
        lambda: scene.read(route),
        reading=ROUTES[route].reading,
        meanwhile=lambda: without_transaction(redact)(access=access, paths=[PATH]),
    )

    assert answer.status == ROUTES[route].erased
    assert b"two" not in answer.content
    assert b"words" not in answer.content


def test_a_search_does_not_go_on_behind_a_redaction(workspace):
    team = Team(workspace)
    search = partial(team.store.api.post, team.store.url("search"), key=None)
    team.store.put("/d.md", "b").ok()
    page = search({"query": "b", "limit": 1}).ok()
    version = page["version"]
    team.redact().ok()

    refused = search({"query": "b", "limit": 1, "version": version, "cursor": page["next_cursor"]})

    assert (refused.status, refused.error) == (409, "memory.conflict")
