"""Contract X3: no read path outlives a ceiling, also before any sweep has come by."""

from collections.abc import Iterator

import pytest
from drf_spectacular.generators import SchemaGenerator

from memory.management.commands.verify import verify_store
from memory.models import BodyErasure, DocumentBody
from memory.publication import Acquired, recheck
from tests.agents import make_scene, mount
from tests.client import Answer
from tests.clock import Clock
from tests.factories import grant
from tests.retention import set_policy, sweep
from tests.stores import StoreClient, as_person, put_operation, shared_store

pytestmark = pytest.mark.django_db

SECRET = "xylophone"
FIRST, SECOND = f"# {SECRET}\none\n", f"# {SECRET}\ntwo\n"

COLLECTIONS_WITHOUT_TEXTS = {
    "agents",
    "api-keys",
    "audit-entries",
    "environments",
    "erasure-reports",
    "inputs",
    "jobs",
    "memory-store-imports",
    "permission-assignments",
    "principals",
    "retention-policy",
    "runs",
    "sessions",
    "spaces",
    "support",
    "workspace",
}
"""What no text of a document is ever read from. A new collection belongs here or in the walk.

The mounts of Sessions are in the walk.
"""

WALKED_ELSEWHERE = {"rounds"}
"""What needs an agent at work to be read: `test_section_5_native.py` tells when it ends."""


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


@pytest.fixture
def store(workspace, scene):
    """A reviewed store: a document that was changed once, and a Proposal that changes it again."""
    set_policy(workspace, body_lifetime_days=30)
    store = StoreClient(scene.api, shared_store(workspace).id)
    grant(scene.person, store.id, "read", "write")
    grant(scene.agent, store.id, "read")
    store.put("/a.md", FIRST).ok()
    store.put("/a.md", SECOND, over=FIRST).ok()
    return store


@pytest.fixture
def proposal(store):
    operations = [put_operation("/a.md", f"# {SECRET}\nthree\n", over=SECOND)]
    body = {"title": "A change", "operations": operations}
    return store.api.post(store.url("proposals"), body).ok(201)


@pytest.fixture
def known(scene, store, proposal):
    """A value for each parameter by which content is asked for."""
    first = store.pages("versions")[-2]["id"]
    said = {"text": "Why?", "path": "/a.md", "line": 1}
    comments = f"{store.url('proposals')}/{proposal['id']}/comments"
    return {
        "session": scene.session(mount(store))["id"],
        "mount": "1",
        "version": proposal["head_version"],
        "proposal": proposal["id"],
        "comment": store.api.post(comments, said).ok(201)["id"],
        "path": "/a.md",
        "base": first,
        "head": proposal["head_version"],
        "hunks": "true",
        "prefix": "/",
    }


def _reads(store: StoreClient, known: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Every GET of the API that may tell content: the address, and its query."""
    for path, operations in (
        SchemaGenerator().get_schema(request=None, public=True)["paths"].items()
    ):
        collection = path.split("/")[2]
        mounts = path.startswith("/v1/sessions/{id}/mounts/")
        passed = collection in COLLECTIONS_WITHOUT_TEXTS | WALKED_ELSEWHERE
        if "get" not in operations or (passed and not mounts):
            continue
        assert collection == "memory-stores" or mounts, f"say how {path} is read"
        parameters = operations["get"].get("parameters", [])
        values = {**known, "id": known["session"] if mounts else store.id}
        inside = {each["name"]: values[each["name"]] for each in parameters if each["in"] == "path"}
        required = {
            each["name"]: known[each["name"]]
            for each in parameters
            if each["in"] == "query" and each.get("required")
        }
        told = {each["name"] for each in parameters if each["in"] == "query"}
        address = path.format(**inside)
        yield address, required
        yield address, required | {name: known[name] for name in told & known.keys()}


def test_X3_no_route_tells_a_text_after_its_ceiling(store, known, clock: Clock):
    reads = list(_reads(store, known))
    told = {address for address, query in reads if _tells(store.api.get(address, query))}
    assert {address.rpartition("/")[2] for address in told} >= {"document", "diff", "archive"}

    clock.move(days=30)

    for address, query in reads:
        answer = store.api.get(address, query)
        assert not _tells(answer), address
        assert answer.status < 500, (address, answer.body)


def _tells(answer: Answer) -> bool:
    return SECRET.encode() in answer.content


def test_X3_a_document_says_that_it_expired_and_when(store, clock: Clock):
    ceiling = store.read("/a.md").ok()["expires_at"]
    clock.move(days=29, hours=23, minutes=59)
    assert store.read("/a.md").ok()["content"] == SECOND
    clock.move(minutes=1)

    gone = store.read("/a.md")

    assert gone.error == "memory.not_found"
    assert gone.message == f"The body of this document was erased (expired) at {ceiling}."
    (listed,) = store.get("documents").ok()["data"]
    assert listed["erased"] == {"reason": "expired", "at": ceiling}
    (last, before) = store.get("history", {"path": "/a.md"}).ok()["data"]
    assert last["erased"]["reason"] == before["erased"]["reason"] == "expired"
    assert store.get("blame", {"path": "/a.md"}).error == "memory.not_found"


def test_X3_search_finds_nothing_that_expired_and_its_cursors_end(workspace, store, clock: Clock):
    for number in range(3):
        store.put(f"/{number}.md", f"{SECRET} {number}").ok()
    version = store.canonical
    query = {"query": SECRET, "limit": 1, "version": version}
    page = store.api.post(store.url("search"), query, key=None).ok()
    assert page["next_cursor"]
    clock.move(days=30)

    found = store.api.post(store.url("search"), query, key=None).ok()
    later = store.api.post(store.url("search"), query | {"cursor": page["next_cursor"]}, key=None)

    assert found["results"] == []
    assert later.error == "memory.conflict"


def test_P5_a_proposal_of_expired_bodies_is_not_approved(workspace, store, proposal, clock: Clock):
    reviewer = as_person(workspace, store.id, "read", "review")
    clock.move(days=30)

    respond = f"{store.url('proposals')}/{proposal['id']}/respond"
    answer = reviewer.api.post(respond, {"response": "approve"})

    assert answer.error == "memory.conflict"
    assert "/a.md (expired)" in answer.message
    reviewer.api.post(respond, {"response": "reject"}).ok()


def test_F1_expired_texts_are_not_copied(workspace, store, proposal, known, clock: Clock):
    clock.move(days=30)
    store.delete("/a.md", over=SECOND).ok()

    restore = {"title": "As it was", "restore_version": known["base"]}
    answer = store.api.post(store.url("proposals"), restore)
    again = store.api.post(f"{store.url('proposals')}/{proposal['id']}/repropose")

    assert answer.error == again.error == "memory.conflict"
    assert "erased" in answer.message


def test_X3_a_write_over_an_expired_text_needs_its_hash_alone(store, clock: Clock):
    clock.move(days=30)

    store.put("/a.md", "anew", over=SECOND).ok()

    assert store.read("/a.md").ok()["content"] == "anew"


def test_X3_an_expired_body_is_no_fault_of_the_store(store, clock: Clock):
    clock.move(days=30)
    assert verify_store(store.id).found == {}
    assert DocumentBody.objects.count() == 2
    sweep()
    assert DocumentBody.objects.count() == 0
    assert set(BodyErasure.objects.values_list("reason", flat=True)) == {"expired"}
    assert verify_store(store.id).found == {}


def test_X3_a_read_that_ends_after_the_ceiling_releases_nothing(store, clock: Clock, monkeypatch):
    def late(acquired: Acquired) -> None:
        clock.move(days=30)
        recheck(acquired)

    monkeypatch.setattr("memory.api.publishing.recheck", late)

    assert store.read("/a.md").error == "memory.not_found"
