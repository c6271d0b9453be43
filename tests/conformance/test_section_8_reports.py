"""Contract X4: an erasure report names each sink with its own state, and promises nothing."""

from typing import Any

import pytest
from django.db import transaction
from redis import Redis

from jobs import messages
from jobs.enqueueing import enqueue
from jobs.models import Job
from jobs.runner import run_slice
from memory import receipts
from memory.actions.storage import clear_table_pages
from memory.erasure.bodies import count_erasure, erase_bodies
from memory.erasure.notes import erase_messages
from memory.erasure.readback import LOOK_AGAIN, READ_BACK, READABLE, look
from memory.erasure.reports import open_report
from memory.models import (
    BodyErasure,
    DocumentBody,
    DocumentVersion,
    ErasureReport,
    ErasureSink,
    IdempotencyReceipt,
    PathFence,
    Sink,
    VersionNote,
)
from tenancy.models import AuditEntry
from tests.client import Api
from tests.factories import caller_for, make_admin_key, make_key, make_person, platform
from tests.stores import StoreClient, put_operation, shared_store
from wire.ids import new_id
from wire.times import now

pytestmark = pytest.mark.django_db

UNREADABLE = [sink for sink in Sink if sink not in READABLE]


@pytest.fixture
def store(workspace) -> StoreClient:
    """A store with a document that was written with a message and a key."""
    store = shared_store(workspace, "read", "write")
    store.change(put_operation("/a.md", "text"), message="words", key="first").ok()
    return store


def _erase(workspace: Any, store: StoreClient, *, forget: bool = True) -> ErasureReport:
    """Erase the body of a document and open its report; `forget` its message and receipt too."""
    with transaction.atomic():
        job = enqueue(
            caller=platform(workspace), kind=READ_BACK, target_kind="store", target_id=store.id
        )
        documents = DocumentVersion.objects.filter(path="/a.md").values_list("id", flat=True)
        erase_bodies(documents=documents, reason=BodyErasure.Reason.REDACTED, job_id=job.id)
        PathFence.objects.create(store_id=store.id, path="/a.md", fenced_at=now())
        count_erasure(store.id)
        report = open_report(
            caller=platform(workspace),
            job_id=job.id,
            store_id=store.id,
            operation=ErasureReport.Operation.REDACTION,
            path_count=1,
        )
    if forget:
        VersionNote.objects.update(message=None)
        IdempotencyReceipt.objects.update(fingerprint=None, outcome={})
    return report


def _states(report: ErasureReport) -> dict[str, tuple[str, str | None]]:
    rows = ErasureSink.objects.filter(report=report)
    return {row.sink: (row.state, row.evidence) for row in rows}


def test_X4_each_sink_begins_pending(workspace, store):
    report = _erase(workspace, store)

    assert _states(report) == {sink.value: ("pending", None) for sink in Sink}


def test_X4_a_worker_clears_what_it_looked_at_and_nothing_else(workspace, store):
    report = _erase(workspace, store)

    assert run_slice(report.job_id) is False

    job = Job.objects.get(id=report.job_id)
    assert (job.state, job.result) == ("succeeded", {"pending": []})
    looked_at = {sink.value: ("cleared", "read_back") for sink in READABLE}
    assert _states(report) == looked_at | {sink.value: ("pending", None) for sink in UNREADABLE}


def _body_again(_store):
    """A body that is back, say by a restore from a backup."""
    document = DocumentVersion.objects.get(path="/a.md")
    DocumentBody.objects.create(document_version=document, text="text", search_vector="'text':1")


LEFT = {
    "a body": (_body_again, {Sink.ROWS, Sink.SEARCH_INDEX}),
    "a message": (lambda _: VersionNote.objects.update(message="words"), {Sink.ROWS}),
    "a receipt": (
        lambda store: IdempotencyReceipt.objects.update(
            fingerprint=b"\0" * 32, outcome={"version": store.canonical}
        ),
        {Sink.RECEIPTS},
    ),
}


@pytest.mark.parametrize("what", LEFT)
def test_X4_a_sink_in_which_something_is_left_stays_pending(workspace, store, what):
    leave, sinks = LEFT[what]
    report = _erase(workspace, store)
    leave(store)

    with transaction.atomic():
        assert look(report) == sinks

    states = _states(report)
    assert {sink for sink in READABLE if states[sink][0] == "pending"} == sinks


def test_X4_content_that_somebody_cached_is_found(workspace, store, settings):
    report = _erase(workspace, store)
    with Redis.from_url(settings.REDIS_URL) as valkey:
        valkey.set("checkfu:pages:1", "text")
        try:
            with transaction.atomic():
                assert look(report) == {Sink.CACHES}
        finally:
            valkey.delete("checkfu:pages:1")


def test_X4_jobs_that_wait_in_the_broker_are_no_content(workspace, store):
    report = _erase(workspace, store)
    messages.wake(report.job_id)

    with transaction.atomic():
        assert look(report) == set()


def test_X4_caches_that_nobody_could_look_at_stay_pending(workspace, store, settings):
    report = _erase(workspace, store)
    settings.REDIS_URL = "unix:///nowhere?db=0"

    with transaction.atomic():
        assert look(report) == {Sink.CACHES}


def test_X4_it_is_looked_again_until_nothing_is_left(workspace, store):
    report = _erase(workspace, store, forget=False)
    run_slice(report.job_id)
    assert Job.objects.get(id=report.job_id).result == {"pending": ["receipts", "rows"]}

    VersionNote.objects.update(message=None)
    IdempotencyReceipt.objects.update(fingerprint=None, outcome={})
    chore = Job.objects.create(id=new_id("job"), kind=LOOK_AGAIN)
    run_slice(chore.id)

    assert {_states(report)[sink] for sink in READABLE} == {("cleared", "read_back")}


def test_X4_reports_are_listed_and_read_by_admins(workspace, store, admin_api, standard_api):
    reports = [_erase(workspace, store)]
    other = shared_store(workspace, "read", "write")
    other.change(put_operation("/a.md", "text")).ok()
    reports.append(_erase(workspace, other))

    listed = admin_api.pages("/v1/erasure-reports", {"limit": 1})

    assert [row["job"] for row in listed] == [report.job_id for report in reversed(reports)]
    one = admin_api.get(f"/v1/erasure-reports/{reports[0].job_id}").ok()
    assert one == listed[1]
    assert (one["store"], one["operation"], one["path_count"]) == (store.id, "redaction", 1)
    assert [sink["sink"] for sink in one["sinks"]] == Sink.values
    assert standard_api.get("/v1/erasure-reports").error == "policy.denied"
    assert standard_api.get(f"/v1/erasure-reports/{reports[0].job_id}").error == "policy.denied"
    assert admin_api.get(f"/v1/erasure-reports/{new_id('job')}").status == 404


def test_X4_another_workspaces_report_is_none(workspace, store, admin_api):
    from tests.factories import make_workspace

    report = _erase(workspace, store)
    elsewhere = Api(make_admin_key(make_workspace())[1])

    assert elsewhere.get(f"/v1/erasure-reports/{report.job_id}").status == 404
    assert elsewhere.pages("/v1/erasure-reports") == []
    assert _attest(elsewhere, report, "wal").status == 404


def _attest(api: Api, report: ErasureReport, sink: str) -> Any:
    address = f"/v1/erasure-reports/{report.job_id}/attestations"
    return api.post(address, {"sink": sink}, key=None)


@pytest.mark.parametrize("sink", UNREADABLE)
def test_X4_an_operator_attests_what_nobody_here_can_look_at(workspace, store, sink):
    report = _erase(workspace, store)
    key, secret = make_admin_key(workspace)

    answer = _attest(Api(secret), report, sink).ok()

    told = next(row for row in answer["sinks"] if row["sink"] == sink)
    assert (told["state"], told["evidence"]) == ("cleared", "attested")
    assert told["attested_by"] == {"kind": "api_key", "id": key.id}
    assert told["at"]
    entry = AuditEntry.objects.get(event="erasure_sink.attested")
    assert (entry.target_id, entry.detail["sink"]) == (report.job_id, sink)


def test_X4_an_attestation_is_never_taken_back_or_repeated(workspace, store, admin_api):
    report = _erase(workspace, store)
    first = _attest(admin_api, report, "wal").ok()

    again = _attest(Api(make_admin_key(workspace)[1]), report, "wal").ok()

    assert again == first
    assert AuditEntry.objects.filter(event="erasure_sink.attested").count() == 1


@pytest.mark.parametrize("sink", READABLE)
def test_X4_what_is_looked_at_cannot_be_attested(workspace, store, admin_api, sink):
    from memory.actions.attestations import attest_sink
    from wire.errors import Malformed

    report = _erase(workspace, store)

    refused = _attest(admin_api, report, sink)

    assert (refused.status, refused.error) == (400, "validation.malformed")
    with pytest.raises(Malformed):
        attest_sink.__wrapped__(  # type: ignore[attr-defined]
            caller=caller_for(make_admin_key(workspace)[0]), report_id=report.job_id, sink=sink
        )


def test_X4_only_admins_attest_and_not_for_somebody_they_only_name(workspace, store, standard_api):
    from tenancy.models import ApiKey

    report = _erase(workspace, store)
    person = make_person(workspace)
    secret = make_key(workspace, may_act_for=[person], key_class=ApiKey.Class.ADMIN)[1]
    naming = Api(secret)
    address = f"/v1/erasure-reports/{report.job_id}/attestations"

    assert _attest(standard_api, report, "wal").error == "policy.denied"
    refused = naming.post(address, {"sink": "wal"}, key=None, Checkfu_Acting_Principal=person.id)
    assert refused.error == "policy.denied"
    assert set(_states(report).values()) == {("pending", None)}


def test_X4_nobody_attests_what_an_erasure_left_before_it_has_ended(workspace, store, admin_api):
    """X4: what was attested while more was still to go would not hold for that."""
    admin_api.delete(store.url()).ok(202)
    report = ErasureReport.objects.get(operation="store_deletion")

    early = _attest(admin_api, report, "wal")
    Job.objects.filter(id=report.job_id).update(state="failed", finished_at=now())
    stuck = _attest(admin_api, report, "wal")

    assert [each.error for each in (early, stuck)] == ["memory.conflict"] * 2
    assert not ErasureSink.objects.filter(report=report, state="cleared").exists()
    admin_api.delete(store.url()).ok(202)
    while run_slice(report.job_id, seconds=0):
        pass
    _attest(admin_api, report, "wal").ok()


def test_X4_table_pages_are_not_cleared_by_a_scrub_amid_a_deletion(workspace, store, admin_api):
    """X4: a deletion that gave up goes on later, and leaves rows in pages anew."""
    admin_api.delete(store.url()).ok(202)
    report = ErasureReport.objects.get(operation="store_deletion")
    Job.objects.filter(id=report.job_id).update(state="failed", finished_at=now())

    assert clear_table_pages.__wrapped__(began=now()) == 0  # type: ignore[attr-defined]
    assert _states(report)["table_pages"] == ("pending", None)


def test_X1_words_of_a_history_of_any_length_are_found_and_erased(workspace, store):
    """X1: no statement names more versions than PostgreSQL takes parameters."""
    others = [new_id("version") for _ in range(70_000)]
    written = [*others, *VersionNote.objects.values_list("version", flat=True)]

    assert receipts.is_told(store.id, "version", written)
    with transaction.atomic():
        assert erase_messages(written) == 1
        assert receipts.forget(store.id, "version", written) == 1
    assert not receipts.is_told(store.id, "version", written)
    assert VersionNote.objects.get(erased_at__isnull=False).message is None
