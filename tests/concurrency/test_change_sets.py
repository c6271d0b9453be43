"""Writers and readers at once, on real PostgreSQL, each with a connection of its own (M4, §0)."""

from collections import Counter
from functools import partial
from typing import Any

import pytest

from memory.models import (
    DocumentVersion,
    IdempotencyReceipt,
    MemoryVersion,
    RefKind,
    RefMove,
    VersionChange,
)
from tenancy.models import ApiKey, PermissionAssignment
from tests.client import Answer, Api
from tests.factories import make_admin_key
from tests.interleaving import answer_when_stopped
from tests.race import outcomes, race
from tests.stores import (
    StoreClient,
    as_person,
    personal_store,
    put_operation,
    shared_store,
)

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 16
ROUNDS = 4


def _race(*requests: Any) -> list[Answer]:
    results = race(*requests)
    answers = outcomes(results, Answer)
    assert len(answers) == len(results), results
    return answers


def _chain(store_id: str) -> list[MemoryVersion]:
    """The versions from canonical up to the first, along parents."""
    versions = {version.id: version for version in MemoryVersion.objects.filter(store=store_id)}
    canonical = RefMove.objects.filter(store=store_id, kind=RefKind.CANONICAL).latest("id")
    chain = [versions[canonical.after_id]]
    while chain[-1].parent_id:
        chain.append(versions[chain[-1].parent_id])
    return chain


def test_of_sixteen_writers_on_one_base_exactly_one_wins_each_round(workspace):
    store = personal_store(workspace)
    base = store.canonical

    for number in range(ROUNDS):
        answers = _race(
            *(
                partial(store.change, put_operation(f"/{number}/{writer}", "x"), base=base)
                for writer in range(WRITERS)
            )
        )
        assert Counter(answer.status for answer in answers) == {200: 1, 409: WRITERS - 1}
        base = next(answer.body["version"] for answer in answers if answer.status == 200)
        assert store.canonical == base

    chain = _chain(store.id)
    assert len(chain) == ROUNDS + 1 == MemoryVersion.objects.filter(store=store.id).count()
    assert [version.document_count for version in chain] == list(range(ROUNDS, -1, -1))
    assert DocumentVersion.objects.count() == VersionChange.objects.count() == ROUNDS
    assert store.get().ok()["generation"] == ROUNDS


def test_sixteen_writers_who_try_again_all_get_through(workspace):
    store = personal_store(workspace)

    def insist(writer: int) -> int:
        for attempt in range(WRITERS * 4):
            answer = store.change(put_operation(f"/{writer}", "x"))
            if answer.status == 200:
                return attempt
            assert answer.error == "memory.conflict"
        raise AssertionError(f"writer {writer} never got through")

    attempts = race(*(partial(insist, writer) for writer in range(WRITERS)))

    assert len(outcomes(attempts, int)) == WRITERS, attempts
    chain = _chain(store.id)
    assert len(chain) == WRITERS + 1 == MemoryVersion.objects.filter(store=store.id).count()
    moves = RefMove.objects.filter(store=store.id).order_by("id")
    assert [move.after_id for move in moves] == [version.id for version in reversed(chain)]
    assert len(store.pages("documents")) == WRITERS


def test_writers_of_different_documents_never_lose_to_each_other(workspace):
    """PUT names a content hash, which no unrelated write touches (M9)."""
    store = personal_store(workspace)

    answers = _race(*(partial(store.put, f"/{writer}", "x") for writer in range(8)))

    assert {answer.status for answer in answers} == {200}
    assert len({answer.body["version"] for answer in answers}) == 8
    assert len(_chain(store.id)) == 9


def test_writers_of_one_document_win_once_a_hash(workspace):
    store = personal_store(workspace)
    store.put("/a", "0").ok()

    answers = _race(*(partial(store.put, "/a", f"{n}", over="0") for n in range(1, 9)))

    assert Counter(answer.status for answer in answers) == {200: 1, 409: 7}


def test_a_document_and_its_directory_are_never_both_made(workspace):
    store = personal_store(workspace)

    answers = _race(partial(store.put, "/a", "x"), partial(store.put, "/a/b", "x"))

    assert Counter(answer.status for answer in answers) == {200: 1, 409: 1}


# --- one key ------------------------------------------------------------------------------------


def test_two_identical_requests_at_once_write_once_and_replay_once(workspace):
    store = personal_store(workspace)
    base = store.canonical

    for number in range(ROUNDS):
        request = partial(
            store.change, put_operation(f"/{number}", "x"), base=base, key=f"key-{number}"
        )
        first, second = _race(request, request)
        assert sorted([first.ok()["replayed"], second.ok()["replayed"]]) == [False, True]
        assert first.body | {"replayed": None} == second.body | {"replayed": None}
        base = first.body["version"]

    assert MemoryVersion.objects.filter(store=store.id).count() == ROUNDS + 1
    assert IdempotencyReceipt.objects.count() == ROUNDS


def test_many_identical_document_writes_are_one(workspace):
    store = personal_store(workspace)

    answers = _race(*[partial(store.put, "/a", "x", key="k")] * 8)

    assert len({answer.ok()["version"] for answer in answers}) == 1
    assert Counter("Checkfu-Replayed" in answer.headers for answer in answers) == {
        True: 7,
        False: 1,
    }


def test_a_store_is_made_once(workspace):
    api = Api(make_admin_key(workspace)[1])
    body = {"name": "Team", "owner": {"kind": "workspace", "id": workspace.id}}

    answers = _race(*[partial(api.post, "/v1/memory-stores", body, key="k")] * 4)

    assert len({answer.ok(201)["id"] for answer in answers}) == 1


def test_of_two_different_requests_with_one_key_one_is_refused(workspace):
    store = personal_store(workspace)
    base = store.canonical

    first, second = _race(
        partial(store.change, put_operation("/a", "1"), base=base, key="k"),
        partial(store.change, put_operation("/a", "2"), base=base, key="k"),
    )

    refused = first if first.status == 409 else second
    assert {first.status, second.status} == {200, 409}
    assert "Idempotency-Key" in refused.message
    assert len(_chain(store.id)) == 2


def test_a_key_whose_first_request_fails_is_free_for_the_second(workspace):
    """Both wait at one unique index; the one that is refused leaves it empty."""
    store = personal_store(workspace)
    base = store.canonical

    answers = _race(
        *[partial(store.change, put_operation("/a", "x", over="y"), base=base, key="k")] * 2
    )

    assert [answer.status for answer in answers] == [409, 409]
    assert all("/a" in answer.message for answer in answers)
    assert not IdempotencyReceipt.objects.exists()


# --- settings, grants and lifecycles against writes and reads -----------------------------------


def _settled(store: StoreClient, writes: list[Answer]) -> None:
    """What was told is what is there, and no more."""
    told = {answer.body["version"] for answer in writes if answer.status == 200}
    assert told == {version.id for version in _chain(store.id)[:-1]}


def test_archiving_ends_writes_at_one_moment(workspace):
    store = personal_store(workspace)

    for number in range(ROUNDS):
        store.patch(lifecycle="active").ok()
        before = len(_chain(store.id))
        archive = partial(store.patch, lifecycle="archived", version=store.get().ok()["version"])
        *writes, archived = _race(
            *(partial(store.put, f"/{number}/{writer}", "x") for writer in range(6)), archive
        )

        archived.ok()
        assert {answer.status for answer in writes} <= {200, 403}
        assert {answer.error for answer in writes if answer.status == 403} <= {"memory.read_only"}
        written = sum(answer.status == 200 for answer in writes)
        assert len(_chain(store.id)) == before + written
        assert store.put("/late", "x").error == "memory.read_only"


def test_a_write_that_was_admitted_loses_to_an_archiving_that_commits_first(workspace):
    store = personal_store(workspace)

    answer = answer_when_stopped(
        lambda: store.put("/a", "x"),
        reading="memory_versiontree",
        meanwhile=lambda: store.patch(lifecycle="archived").ok(),
    )

    assert (answer.status, answer.error) == (403, "memory.read_only")
    assert len(_chain(store.id)) == 1


def test_a_direct_write_that_was_admitted_loses_to_review_that_commits_first(workspace):
    store = shared_store(workspace, "read", "write", writes="direct")
    governor = as_person(workspace, store.id, "read", "admin")

    answer = answer_when_stopped(
        lambda: store.put("/a", "x"),
        reading="memory_versiontree",
        meanwhile=lambda: governor.patch(canonical_writes="review").ok(),
    )

    assert (answer.status, answer.error) == (403, "memory.read_only")
    assert len(_chain(store.id)) == 1


def test_a_refused_write_leaves_its_key_free(workspace):
    store = personal_store(workspace)
    answer_when_stopped(
        lambda: store.put("/a", "x", key="k"),
        reading="memory_versiontree",
        meanwhile=lambda: store.patch(lifecycle="archived").ok(),
    )
    store.patch(lifecycle="active").ok()

    store.put("/a", "x", key="k").ok()


def test_revoking_a_key_ends_reads_at_one_moment(workspace):
    store = personal_store(workspace)
    store.put("/a", "text").ok()
    admin = Api(make_admin_key(workspace)[1])
    key = ApiKey.objects.exclude(principal=None).get()

    def read_on() -> list[int]:
        return [store.read("/a").status for _ in range(25)]

    *reads, revoked = race(
        *[read_on] * 4, lambda: admin.delete(f"/v1/api-keys/{key.id}", key=None).status
    )

    assert revoked in {200, 204}
    for statuses in outcomes(reads, list):
        assert statuses == sorted(statuses)  # 200 until 401, and never back
        assert set(statuses) <= {200, 401}
    assert store.read("/a").status == 401


def test_revoking_a_grant_ends_reads_at_one_moment(workspace):
    made = shared_store(workspace)
    made.put("/a", "text").ok()
    reader = as_person(workspace, made.id, "read")
    assignment = PermissionAssignment.objects.latest("id")
    admin = Api(make_admin_key(workspace)[1])

    def read_on() -> list[int]:
        return [reader.read("/a").status for _ in range(25)]

    *reads, revoked = race(
        *[read_on] * 4,
        lambda: admin.delete(f"/v1/permission-assignments/{assignment.id}", key=None).status,
    )

    assert revoked == 204
    for statuses in outcomes(reads, list):
        assert statuses == sorted(statuses)
        assert set(statuses) <= {200, 404}


def test_an_exact_read_is_the_same_whatever_is_written_meanwhile(workspace):
    store = personal_store(workspace)
    version = store.put("/a", "first").ok()["version"]

    def write_on() -> set[Any]:
        over = "first"
        for number in range(12):
            store.put("/a", str(number), over=over).ok()
            over = str(number)
        return {"written"}

    def read_on() -> set[Any]:
        return {store.read("/a", version).ok()["content"] for _ in range(30)}

    assert race(write_on, read_on, read_on) == [{"written"}, {"first"}, {"first"}]


def test_patches_of_one_version_win_once(workspace):
    store = personal_store(workspace)

    answers = _race(*(partial(store.patch, version=1, name=f"Name {n}") for n in range(8)))

    assert Counter(answer.status for answer in answers) == {200: 1, 409: 7}
    assert store.get().ok()["version"] == 2
