"""Keeping in erasure reports that the database's files were rewritten (contract X4)."""

from datetime import datetime

from database.transactions import durable
from memory.erasure.reports import UNDER_WAY, clear
from memory.models import ErasureReport, Sink, SinkEvidence, SinkState
from tenancy.audit import record
from tenancy.caller import platform_caller


@durable
def clear_table_pages(*, began: datetime) -> int:
    """Clear the table pages in the reports of all erasures that had ended when rewriting began.

    Args:
        began: by the database's clock.

    Returns:
        how many reports waited for it.
    """
    waiting = ErasureReport.objects.filter(
        job__finished_at__lte=began, sinks__sink=Sink.TABLE_PAGES, sinks__state=SinkState.PENDING
    )
    ended = waiting.exclude(UNDER_WAY)
    reports = list(ended.select_related("workspace").order_by("job"))
    for report in reports:
        clear(report_id=report.job_id, sinks=[Sink.TABLE_PAGES], evidence=SinkEvidence.SCRUBBED)
        record(
            caller=platform_caller(report.workspace),
            event="erasure_sink.scrubbed",
            target_kind="job",
            target_id=report.job_id,
            detail={"sink": Sink.TABLE_PAGES, "store": report.store_id},
        )
    return len(reports)
