"""Contract X1 and P5: a redaction erases paths everywhere and for ever."""

from typing import Any

import pytest
from django.db import transaction

from jobs.models import Job
from jobs.runner import run_slice
from memory import refs
from memory.actors import IMPORTER
from memory.management.commands.verify import verify_store
from memory.models import (
    BodyErasure,
    DocumentBody,
    ErasureReport,
    IdempotencyReceipt,
    MemoryStore,
    MemoryVersion,
    PathFence,
    Ref,
    RefKind,
    Sink,
    VersionNote,
)
from memory.refs import RefName
from proposals.erasing import ProposalEraser
from proposals.models import Proposal
from tenancy.models import ApiKey, AuditEntry
from tests.client import Answer, Api, random_id
from tests.factories import make_admin_key, make_key, make_person
from tests.stores import StoreClient, as_person, delete_operation, put_operation, shared_store
from wire.times import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace) -> StoreClient:
    """A store whose canonical takes direct writes, through somebody who may write and review."""
    return shared_store(workspace, "read", "write", "review")


@pytest.fixture
def redact(workspace, store) -> Any:
    """Redacts paths of the store with an admin key that holds no grant on it."""
    api = Api(make_admin_key(workspace)[1])

    def send(*paths: str, key: str = "", store: StoreClient = store) -> Answer:
        return api.post(store.url("redactions"), {"paths": list(paths)}, key=key)

    return send


def _session_ref(store: StoreClient, at: str) -> dict[str, str]:
    session = random_id("session")
    with transaction.atomic():
        name = RefName(RefKind.SESSION, session)
        refs.create(store_id=store.id, name=name, at=at, actor=IMPORTER)
    return {"kind": "session", "session": session}


def _at(store: StoreClient, ref: dict[str, str]) -> str:
    kind, *owner = ref.values()
    return Ref.objects.get(
        store=store.id, kind=kind, owner_uuid=owner[0] if owner else None
    ).version_id


def _paths(store: StoreClient, version: str) -> list[str]:
    return [row["path"] for row in store.pages("documents", version=version)]


def _propose(store: StoreClient, *operations: Any, **more: Any) -> str:
    body = {"title": "A title", "description": "A description", "operations": list(operations)}
    made = store.api.post(store.url("proposals"), body | more).ok(201)
    return str(made["id"])


def _history(store: StoreClient) -> list[str]:
    """Three texts at /a.md, the last in canonical; /b.md beside it."""
    first = store.change(put_operation("/a.md", "one"), put_operation("/b.md", "b")).ok()
    second = store.change(put_operation("/a.md", "two", over="one")).ok()
    third = store.change(put_operation("/a.md", "three", over="two")).ok()
    return [first["version"], second["version"], third["version"]]


# --- bodies -------------------------------------------------------------------------------------


def test_X1_bodies_go_in_every_version_and_the_paths_stay(store, redact):
    versions = _history(store)

    counts = redact("/a.md").ok()

    assert counts == {"version_count": 3, "path_count": 1, "hash_count": 3}
    for version in versions:
        gone = store.read("/a.md", version)
        assert (gone.status, gone.error) == (404, "memory.not_found")
        assert "erased (redacted)" in gone.message
        entries = store.get("documents", {"version": version}).ok()["data"]
        assert [(row["path"], row["erased"] is not None) for row in entries] == [
            ("/a.md", True),
            ("/b.md", False),
        ]
        assert entries[0]["erased"]["reason"] == "redacted"
    assert not DocumentBody.objects.filter(document_version__path="/a.md").exists()
    assert store.read("/b.md").ok()["content"] == "b"


def test_X1_search_finds_nothing_of_it_at_any_version(store, redact):
    versions = _history(store)
    redact("/a.md").ok()

    for version in (None, *versions):
        query = {"query": "one two three"} | ({"version": version} if version else {})
        assert store.api.post(store.url("search"), query, key=None).ok()["results"] == []


def test_X1_what_expired_before_keeps_its_reason(store, redact):
    first, *_ = _history(store)
    from tests.erasure import erase_bodies

    old = DocumentBody.objects.get(document_version__introduced_by=first, text="one")
    erase_bodies(store.id, [old.pk], BodyErasure.Reason.EXPIRED)

    counts = redact("/a.md").ok()

    assert counts == {"version_count": 3, "path_count": 1, "hash_count": 2}
    assert "erased (expired)" in store.read("/a.md", first).message


def test_X1_counts_are_of_versions_paths_and_distinct_contents(store, redact):
    store.put("/a.md", "same").ok()
    store.put("/b.md", "same").ok()
    store.put("/c.md", "other").ok()
    store.delete("/a.md", over="same").ok()
    store.put("/d.md", "not asked for").ok()

    counts = redact("/a.md", "/b.md", "/c.md", "/never.md").ok()

    assert counts == {"version_count": 5, "path_count": 3, "hash_count": 2}


def test_X1_a_path_that_never_was_counts_nothing_and_seals_nothing(store, redact):
    _history(store)
    before = store.canonical

    assert redact("/never.md").ok() == {"version_count": 0, "path_count": 0, "hash_count": 0}

    assert store.canonical == before
    assert PathFence.objects.get(store=store.id).path == "/never.md"


def test_X1_redacting_again_finds_the_paths_and_nothing_to_erase(store, redact):
    _history(store)
    redact("/a.md").ok()
    canonical = store.canonical

    assert redact("/a.md").ok() == {"version_count": 3, "path_count": 1, "hash_count": 0}

    assert store.canonical == canonical
    assert BodyErasure.objects.count() == 3


def test_X1_copies_at_other_paths_and_other_stores_stay(workspace, store, redact):
    store.put("/a.md", "same").ok()
    store.put("/copy.md", "same").ok()
    other = shared_store(workspace, "read", "write")
    other.put("/a.md", "same").ok()

    redact("/a.md").ok()

    assert store.read("/copy.md").ok()["content"] == "same"
    assert other.read("/a.md").ok()["content"] == "same"
    other.put("/a.md", "still written", over="same").ok()


# --- fences -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/a.md", "/never.md"])
def test_X1_nothing_is_ever_written_there_again(store, redact, path):
    _history(store)
    session = _session_ref(store, store.canonical)
    redact("/a.md", "/never.md").ok()

    for refused in (
        store.put(path, "again"),
        store.change(put_operation(path, "again")),
        store.change(put_operation(path, "again"), ref=session, base=_at(store, session)),
        store.api.post(
            store.url("proposals"), {"title": "T", "operations": [put_operation(path, "again")]}
        ),
    ):
        assert (refused.status, refused.error) == (409, "memory.conflict")
        assert "redacted" in refused.message
        assert path in refused.message
    store.put("/other.md", "free").ok()


def test_X1_an_older_head_that_holds_it_cannot_be_proposed(store, redact):
    first, second, _ = _history(store)
    redact("/a.md").ok()

    for body in (
        {"title": "T", "base_version": first, "head_version": second},
        {"title": "T", "restore_version": first},
    ):
        refused = store.api.post(store.url("proposals"), body)
        assert (refused.status, refused.error) == (409, "memory.conflict")


def test_X1_P5_a_ref_lets_go_of_it_and_no_proposal_touches_it(store, redact):
    held = _history(store)[-1]
    redact("/a.md").ok()
    session, deletion = _session_ref(store, held), delete_operation("/a.md", over="three")

    body = {"title": "T", "base_version": held, "operations": [deletion]}
    refused = store.api.post(store.url("proposals"), body)
    assert (refused.status, refused.error) == (409, "memory.conflict")
    let_go = store.change(deletion, ref=session, base=held).ok()
    assert let_go["changed_paths"] == ["/a.md"]
    body = {"title": "T", "base_version": held, "head_version": let_go["version"]}
    assert store.api.post(store.url("proposals"), body).error == "memory.conflict"
    assert verify_store(store.id).found == {}


# --- redaction versions -------------------------------------------------------------------------


def test_X1_each_ref_that_moves_and_held_one_gets_a_version_without(store, redact):
    _history(store)
    same, apart, before = (
        _session_ref(store, store.canonical),
        _session_ref(store, store.canonical),
        _session_ref(store, MemoryVersion.objects.filter(store=store.id).earliest("id").id),
    )
    curation = random_id("curation")
    with transaction.atomic():
        name = RefName(RefKind.CURATION, curation)
        refs.create(store_id=store.id, name=name, at=store.canonical, actor=IMPORTER)
    store.change(put_operation("/new.md", "x"), ref=apart, base=store.canonical).ok()
    old = {"canonical": store.canonical, "apart": _at(store, apart), "before": _at(store, before)}

    redact("/a.md").ok()

    canonical = MemoryVersion.objects.get(id=store.canonical)
    assert (canonical.kind, canonical.parent_id) == ("redaction", old["canonical"])
    assert (canonical.actor_kind, canonical.actor_operation) == ("platform", "redaction")
    assert _at(store, same) == canonical.id
    assert _at(store, {"kind": "curation", "run": curation}) == canonical.id
    assert MemoryVersion.objects.get(id=_at(store, apart)).parent_id == old["apart"]
    assert _at(store, before) == old["before"]
    assert _paths(store, _at(store, apart)) == ["/b.md", "/new.md"]
    change = store.get("diff", {"base": old["canonical"], "head": canonical.id}).ok()
    assert [row["path"] for row in change["data"]] == ["/a.md"]


def test_X1_the_reflog_says_that_the_platform_moved_them(store, redact):
    _history(store)
    redact("/a.md").ok()

    last = store.pages("reflog")[0]
    assert last["actor"] == {"kind": "platform", "operation": "redaction"}
    assert last["after"] == store.canonical


def test_X1_a_store_verifies_afterwards(store, redact):
    _history(store)
    _session_ref(store, store.canonical)
    _propose(store, put_operation("/a.md", "four", over="three"))
    redact("/a.md").ok()

    assert verify_store(store.id).found == {}


# --- words --------------------------------------------------------------------------------------


def test_X1_messages_of_versions_that_touched_one_go(store, redact):
    touched = [
        store.change(put_operation("/a.md", "one"), message="adds").ok()["version"],
        store.change(put_operation("/a.md", "two", over="one"), message="changes").ok()["version"],
        store.change(delete_operation("/a.md", over="two"), message="deletes").ok()["version"],
    ]
    other = store.change(put_operation("/b.md", "b"), message="stays").ok()["version"]

    redact("/a.md").ok()

    told = {note.version_id: note for note in VersionNote.objects.all()}
    assert {one: told[one].message for one in touched} == dict.fromkeys(touched)
    assert all(told[one].erased_at for one in touched)
    assert (told[other].message, told[other].erased_at) == ("stays", None)


def test_P5_open_proposals_that_touch_one_are_superseded(workspace, store, redact):
    _history(store)
    touches = _propose(
        store, put_operation("/a.md", "four", over="three"), put_operation("/c.md", "c")
    )
    other = _propose(store, put_operation("/d.md", "d"))

    redact("/a.md").ok()

    ended = Proposal.objects.get(id=touches)
    assert (ended.status, ended.superseded_because) == ("superseded", "redacted")
    assert not Ref.objects.filter(kind="proposal", owner_uuid=touches).exists()
    assert Proposal.objects.get(id=other).status == "open"
    told = store.get(f"proposals/{touches}").ok()
    assert told["resolution"]["by"] == {"kind": "platform", "operation": "redaction"}
    assert told["resolution"]["reason"] == "redacted"
    assert store.get(f"proposals/{other}").ok()["stale"] is True


def test_P5_it_is_neither_approved_nor_proposed_again(workspace, store, redact):
    _history(store)
    touches = _propose(store, put_operation("/a.md", "four", over="three"))
    redact("/a.md").ok()
    reviewer = as_person(workspace, store.id, "read", "review")

    for response in ("approve", "reject"):
        refused = reviewer.api.post(
            store.url(f"proposals/{touches}/respond"), {"response": response}
        )
        assert (refused.status, refused.error) == (409, "memory.conflict")
    refused = store.api.post(store.url(f"proposals/{touches}/repropose"))
    assert (refused.status, refused.error) == (409, "memory.conflict")


def test_X1_words_of_proposals_that_touched_one_go_however_they_ended(workspace, store, redact):
    store.put("/a.md", "one").ok()
    rejected = _propose(store, put_operation("/a.md", "two", over="one"))
    reviewer = as_person(workspace, store.id, "read", "review")
    answer = {"response": "reject", "note": "a note"}
    reviewer.api.post(store.url(f"proposals/{rejected}/respond"), answer).ok()
    open_one = _propose(store, put_operation("/a.md", "three", over="one"))
    other = _propose(store, put_operation("/b.md", "b"))

    redact("/a.md").ok()

    for touched in (rejected, open_one):
        row = Proposal.objects.get(id=touched)
        assert (row.title, row.description, row.resolution_note) == ("", "", None)
        assert row.words_erased_at
    assert Proposal.objects.get(id=rejected).status == "rejected"
    assert Proposal.objects.get(id=other).title == "A title"
    assert set(VersionNote.objects.values_list("message", flat=True)) == {None, "A title"}


def test_X1_words_that_a_re_proposal_took_along_go_too(workspace, store, redact):
    """Canonical left it nothing to change at the path, and it still tells of it."""
    store.put("/a.md", "one").ok()
    old = _propose(store, delete_operation("/a.md", over="one"), put_operation("/b.md", "b"))
    store.delete("/a.md", over="one").ok()
    new = store.api.post(store.url(f"proposals/{old}/repropose")).ok(201)["id"]

    redact("/a.md").ok()

    told = Proposal.objects.get(id=new)
    assert (told.status, told.title) == ("open", "")
    assert told.words_erased_at
    assert VersionNote.objects.get(version=told.head_id).message is None
    store.put("/c.md", "moves on").ok()
    refused = store.api.post(store.url(f"proposals/{new}/repropose"))
    assert (refused.status, refused.error) == (409, "memory.conflict")


def test_X1_words_of_others_on_the_same_versions_stay(store, redact):
    """The message of a head is its own Proposal's title, and not that of whoever names it too."""
    empty = store.canonical
    store.put("/a.md", "one").ok()
    own = _propose(store, put_operation("/b.md", "b"), title="About b")
    head = store.get(f"proposals/{own}").ok()["head_version"]
    body = {"title": "About both", "base_version": empty, "head_version": head}
    both = store.api.post(store.url("proposals"), body).ok(201)["id"]

    redact("/a.md").ok()

    assert Proposal.objects.get(id=both).title == ""
    assert Proposal.objects.get(id=own).title == "About b"
    assert store.get(f"versions/{head}").ok()["message"] == "About b"


# --- receipts -----------------------------------------------------------------------------------


def test_X1_a_retry_of_what_was_redacted_is_a_clear_409(store, redact):
    put = {"content": "one"}
    store.api.put(store.url("document") + "?path=/a.md", put, key="put", If_None_Match="*").ok()
    change = [put_operation("/a.md", "two", over="one")]
    base = store.canonical
    store.change(*change, base=base, key="change").ok()
    body = {"title": "T", "operations": [put_operation("/a.md", "three", over="two")]}
    store.api.post(store.url("proposals"), body, key="proposal").ok(201)
    store.change(put_operation("/b.md", "b"), key="other").ok()
    versions = MemoryVersion.objects.count()

    redact("/a.md").ok()

    retries = (
        store.api.put(store.url("document") + "?path=/a.md", put, key="put", If_None_Match="*"),
        store.change(*change, base=base, key="change"),
        store.api.post(store.url("proposals"), body, key="proposal"),
    )
    for refused in retries:
        assert (refused.status, refused.error) == (409, "memory.conflict")
        assert "redacted" in refused.message
    assert MemoryVersion.objects.count() == versions + 1
    kept = IdempotencyReceipt.objects.filter(fingerprint__isnull=False)
    assert set(kept.filter(key__in=["put", "change", "proposal", "other"]).values_list("key")) == {
        ("other",)
    }


def test_X1_what_altered_nothing_is_forgotten_too(store, redact):
    """No version tells that its request held a text that was redacted, and its digest would."""
    store.put("/a.md", "one").ok()
    same = [put_operation("/a.md", "one", over="one")]
    base = store.canonical
    assert store.change(*same, base=base, key="same").ok()["unchanged"] is True

    redact("/a.md").ok()

    refused = store.change(*same, base=base, key="same")
    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert "redacted" in refused.message
    assert IdempotencyReceipt.objects.get(key="same").fingerprint is None


def test_X1_the_request_itself_is_told_again(store, redact):
    _history(store)
    first = redact("/a.md", key="once")

    again = redact("/a.md", key="once")

    assert again.ok() == first.ok()
    assert again.headers["Checkfu-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    assert redact("/b.md", key="once").error == "memory.conflict"
    assert "/a.md" not in str(IdempotencyReceipt.objects.get(key="once").outcome)


# --- the report ---------------------------------------------------------------------------------


def test_X4_a_redaction_opens_a_report_that_a_worker_reads_back(store, redact, admin_api):
    _history(store)
    _propose(store, put_operation("/a.md", "four", over="three"))
    answer = redact("/a.md")

    report = admin_api.get(answer.headers["Location"]).ok()
    assert (report["operation"], report["store"]) == ("redaction", store.id)
    assert {name: report[name] for name in answer.ok()} == answer.ok()
    run_slice(report["job"])

    assert Job.objects.get(id=report["job"]).result == {"pending": []}
    read_back = admin_api.get(answer.headers["Location"]).ok()
    assert {row["sink"] for row in read_back["sinks"] if row["state"] == "cleared"} == {
        *("rows", "search_index", "receipts", "caches")
    }
    assert BodyErasure.objects.filter(job_uuid=report["job"]).count() == 4


def test_X4_what_came_after_a_redaction_is_nothing_that_it_left(workspace, store, redact):
    """A response told again, and a ref that was opened at an old version and drops the path."""
    old = store.put("/a.md", "one").ok()["version"]
    rejected = _propose(store, put_operation("/a.md", "two", over="one"))
    reviewer = as_person(workspace, store.id, "read", "review")
    respond = store.url(f"proposals/{rejected}/respond")
    reviewer.api.post(respond, {"response": "reject"}).ok()
    redact("/a.md").ok()

    reviewer.api.post(respond, {"response": "reject"}, key="again").ok()
    told_again = reviewer.api.post(respond, {"response": "reject"}, key="again")
    session = _session_ref(store, old)
    store.change(
        delete_operation("/a.md", over="one"), base=old, ref=session, message="Dropped"
    ).ok()

    job = redact("/b.md").headers["Location"].rpartition("/")[2]
    run_slice(job)
    assert Job.objects.get(id=job).result == {"pending": []}
    assert (told_again.status, told_again.error) == (409, "memory.conflict")


def test_X4_what_is_left_of_a_proposal_is_found(store, redact):
    job = redact("/never.md").headers["Location"].rpartition("/")[2]
    report = ErasureReport.objects.get(job=job)
    assert ProposalEraser().sinks_holding(report) == set()

    _propose(store, put_operation("/c.md", "c"))
    PathFence.objects.create(store_id=store.id, path="/c.md", fenced_at=now())

    assert ProposalEraser().sinks_holding(report) == {Sink.ROWS, Sink.RECEIPTS}


def test_X1_the_audit_row_counts_and_names_no_path(store, redact):
    _history(store)
    counts = redact("/a.md").ok()

    entry = AuditEntry.objects.get(event="store.redacted")
    assert entry.target_id == store.id
    assert counts.items() <= entry.detail.items()
    assert "a.md" not in str(entry.detail)


# --- who and when -------------------------------------------------------------------------------


def test_X1_only_admins_redact_and_not_for_somebody_they_only_name(workspace, store):
    _history(store)
    person = make_person(workspace)
    naming = make_key(workspace, may_act_for=[person], key_class=ApiKey.Class.ADMIN)[1]
    body = {"paths": ["/a.md"]}

    by_writer = store.api.post(store.url("redactions"), body)
    by_named = Api(naming).post(store.url("redactions"), body, Checkfu_Acting_Principal=person.id)

    assert by_writer.error == by_named.error == "policy.denied"
    assert "named" in by_named.message
    assert not PathFence.objects.exists()


def test_X1_an_archived_store_can_be_redacted_and_stays_archived(store, redact):
    _history(store)
    MemoryStore.objects.update(lifecycle="archived")

    redact("/a.md").ok()

    assert MemoryStore.objects.get().lifecycle == "archived"
    assert store.read("/a.md").status == 404


@pytest.mark.parametrize("lifecycle", ["pending", "deleting", "deleted"])
def test_X1_of_a_store_that_is_not_there_nothing_is_redacted(store, redact, lifecycle):
    MemoryStore.objects.update(lifecycle=lifecycle)

    refused = redact("/a.md")

    assert (refused.status, refused.error) == (404, "memory.not_found")


@pytest.mark.parametrize(
    "paths", [[], ["/a"] * 101, ["a.md"], ["/a/../b"], ["/e\u0301.md"], [7], "x", None]
)
def test_X1_paths_are_checked_like_all_input(store, admin_api, paths):
    refused = admin_api.post(store.url("redactions"), {"paths": paths})

    assert (refused.status, refused.error) == (400, "validation.malformed")
    assert "paths" in refused.message


def test_X1_it_needs_an_idempotency_key(store, admin_api):
    refused = admin_api.post(store.url("redactions"), {"paths": ["/a.md"]}, key=None)

    assert (refused.status, refused.error) == (400, "validation.malformed")
