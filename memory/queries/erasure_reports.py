"""Reads of erasures: what their reports tell (contract X4)."""

from django.db.models import Prefetch, QuerySet

from memory.models import ErasureReport, ErasureSink
from tenancy.caller import Caller
from wire.errors import NotFound


def reports_of(caller: Caller) -> QuerySet[ErasureReport]:
    """The erasure reports of the caller's Workspace, newest first, each with its sinks."""
    reports = ErasureReport.objects.filter(workspace=caller.workspace_id)
    return with_sinks(reports).order_by("-job")


def with_sinks(reports: QuerySet[ErasureReport]) -> QuerySet[ErasureReport]:
    """Some reports, each with its sinks in their order."""
    return reports.prefetch_related(Prefetch("sinks", ErasureSink.objects.order_by("id")))


def get_report(caller: Caller, report_id: str) -> ErasureReport:
    """One report, by the ID of its job. Raises NotFound when the Workspace has none."""
    report = reports_of(caller).filter(job=report_id).first()
    if report is None:
        raise NotFound("There is no such erasure report.")
    return report
