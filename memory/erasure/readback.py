"""Reading back: looking whether what was erased is really gone, sink by sink (contract X4)."""

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from database.transactions import step
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory import receipts
from memory.erasure import caches
from memory.erasure.erasers import erasers
from memory.erasure.reports import clear
from memory.erasure.touched import fenced_paths, versions_touching_fenced
from memory.models import (
    DocumentBody,
    DocumentVersion,
    ErasureReport,
    ErasureSink,
    IdempotencyReceipt,
    MemoryVersion,
    OwnerKind,
    PathFence,
    Sink,
    SinkEvidence,
    SinkState,
    TreePage,
    VersionNote,
)
from memory.queries.owned import owned_stores

READ_BACK: Final = "erasure.read_back"
LOOK_AGAIN: Final = "erasure.look_again"

READABLE: Final = (Sink.ROWS, Sink.SEARCH_INDEX, Sink.RECEIPTS, Sink.CACHES)
"""The sinks that can be looked at. The others stay pending until scrubbed or attested."""

REPORTS_AT_ONCE: Final = 20


def register() -> None:
    """Let workers read back what was erased, and look again where something was left."""
    register_kind(JobKind(READ_BACK, read_back))
    register_kind(JobKind(LOOK_AGAIN, look_again, every=timedelta(hours=1)))


def read_back(work: Work) -> Progress:
    """Look once at the sinks of the report that goes by the job's ID."""
    left = look(ErasureReport.objects.get(job=work.job_id))
    return Progress(finished=True, done=1, total=1, result={"pending": sorted(left)})


def look_again(work: Work) -> Progress:
    """Look at the sinks of some reports where something was left when it was last looked."""
    pending = ErasureSink.objects.filter(
        report=OuterRef("job"), sink__in=READABLE, state=SinkState.PENDING
    )
    reports = ErasureReport.objects.filter(Exists(pending), job__finished_at__isnull=False)
    after = work.position.get("after")
    if after:
        reports = reports.filter(job__gt=after)
    found = list(reports.order_by("job")[:REPORTS_AT_ONCE])
    for report in found:
        look(report)
    return Progress(
        finished=len(found) < REPORTS_AT_ONCE,
        done=work.done + len(found),
        position={"after": found[-1].job_id} if found else {},
    )


@step
def look(report: ErasureReport) -> frozenset[Sink]:
    """Look at each sink that can be looked at, and clear those in which nothing was found.

    Call it in a transaction after the erasure's own, or as the last step of its last batch.

    Returns:
        the sinks in which something is left, or could not be looked for.
    """
    left = frozenset(_left(report)) | {
        sink for one in erasers() for sink in one.sinks_holding(report)
    }
    gone = [sink for sink in READABLE if sink not in left]
    clear(report_id=report.job_id, sinks=gone, evidence=SinkEvidence.READ_BACK)
    return left


def _left(report: ErasureReport) -> Collection[Sink]:
    left = set(_LOOKS[ErasureReport.Operation(report.operation)](report))
    if not caches.hold_no_content():
        left.add(Sink.CACHES)
    return left


def _left_of_retention(report: ErasureReport) -> Collection[Sink]:
    """Bodies that the job erased. A receipt holds none: what was sent as a digest, and IDs."""
    erased = DocumentBody.objects.filter(document_version__erasure__job_uuid=report.job_id)
    return _sinks_of_bodies(erased)


def _left_of_redaction(report: ErasureReport) -> Collection[Sink]:
    """Whatever the store still tells of any path that was ever redacted."""
    assert report.store_id
    paths = fenced_paths(report.store_id)
    touching = versions_touching_fenced(report.store_id)
    bodies = DocumentBody.objects.filter(
        document_version__store=report.store_id, document_version__path__in=paths
    )
    left = {*_left_of_retention(report), *_sinks_of_bodies(bodies)}
    if VersionNote.objects.filter(version__in=touching, message__isnull=False).exists():
        left.add(Sink.ROWS)
    if receipts.is_told(report.store_id, "version", touching):
        left.add(Sink.RECEIPTS)
    return left


_OF_A_STORE: Final = (
    DocumentVersion.objects,
    MemoryVersion.objects,
    TreePage.objects,
    PathFence.objects,
)
"""What holds paths and texts of a store, or cannot be deleted before that."""


def _left_of_store(report: ErasureReport) -> Collection[Sink]:
    bodies = DocumentBody.objects.filter(document_version__store=report.store_id)
    left = set(_sinks_of_bodies(bodies))
    if any(rows.filter(store=report.store_id).exists() for rows in _OF_A_STORE):
        left.add(Sink.ROWS)
    if IdempotencyReceipt.objects.filter(store=report.store_id).exists():
        left.add(Sink.RECEIPTS)
    return left


def _left_of_session(report: ErasureReport) -> Collection[Sink]:
    """Whatever is left of the Session's own stores."""
    owned = owned_stores(report.workspace_id, OwnerKind.SESSION, report.job.target_id)
    return {
        sink
        for store_id in owned.values_list("id", flat=True)
        for sink in _left_of_store(ErasureReport(store_id=store_id))
    }


def _sinks_of_bodies(bodies: QuerySet[DocumentBody]) -> Collection[Sink]:
    """A body's row holds its text and the words that search finds it by."""
    return (Sink.ROWS, Sink.SEARCH_INDEX) if bodies.exists() else ()


_LOOKS: Final[Mapping[ErasureReport.Operation, Callable[[ErasureReport], Collection[Sink]]]] = {
    ErasureReport.Operation.REDACTION: _left_of_redaction,
    ErasureReport.Operation.STORE_DELETION: _left_of_store,
    ErasureReport.Operation.RETENTION: _left_of_retention,
    ErasureReport.Operation.SESSION_ERASURE: _left_of_session,
}
