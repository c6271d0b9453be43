"""Erasure reports: each sink with its own state, never a promise about all of them (X4)."""

from collections.abc import Collection
from typing import Final

from django.db.models import Q

from database.transactions import step
from jobs.models import LIVE, JobState
from memory.models import ErasureReport, ErasureSink, Sink, SinkEvidence, SinkState
from tenancy.caller import Caller
from wire.times import now

UNDER_WAY: Final = Q(job__state__in=LIVE) & ~Q(operation=ErasureReport.Operation.REDACTION) | Q(
    job__state=JobState.FAILED,
    operation__in=[
        ErasureReport.Operation.STORE_DELETION,
        ErasureReport.Operation.SESSION_ERASURE,
    ],
)
"""Reports of erasures that still take something away, or would if they were asked to go on.

A redaction is done when it commits; its job only reads back.
"""


def is_under_way(report: ErasureReport) -> bool:
    """Whether a report's erasure has not ended, so that nobody can say what it left."""
    return ErasureReport.objects.filter(UNDER_WAY, job=report.job_id).exists()


@step
def open_report(
    *,
    caller: Caller,
    job_id: str,
    store_id: str | None,
    operation: ErasureReport.Operation,
    version_count: int = 0,
    path_count: int = 0,
    hash_count: int = 0,
) -> ErasureReport:
    """Begin the report of an erasure: every sink is pending until somebody has looked.

    Args:
        job_id: the job that reads back what can be looked at; the report goes by its ID.
    """
    report = ErasureReport.objects.create(
        job_id=job_id,
        workspace_id=caller.workspace_id,
        store_id=store_id,
        operation=operation,
        version_count=version_count,
        path_count=path_count,
        hash_count=hash_count,
        created_at=now(),
    )
    ErasureSink.objects.bulk_create(ErasureSink(report=report, sink=sink) for sink in Sink)
    return report


@step
def clear(
    *,
    report_id: str,
    sinks: Collection[Sink],
    evidence: SinkEvidence,
    attested_by: Caller | None = None,
) -> int:
    """Say that sinks of a report are cleared; one that is cleared already stays as it is.

    Args:
        report_id: `job_…`.
        attested_by: who says so, when nobody could look.

    Returns:
        how many were pending.
    """
    pending = ErasureSink.objects.filter(report=report_id, sink__in=sinks, state=SinkState.PENDING)
    return pending.update(
        state=SinkState.CLEARED,
        evidence=evidence,
        at=now(),
        attested_by_kind=attested_by and attested_by.kind,
        attested_by_uuid=attested_by and (attested_by.id or None),
    )
