"""/v1/erasure-reports: what each erasure took away, and the state of every sink (contract X4)."""

from typing import Literal, TypedDict, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory.actions.attestations import attest_sink
from memory.models import ErasureReport, ErasureSink, Sink
from memory.queries.erasure_reports import get_report, reports_of
from tenancy.administration import require_admin
from tenancy.api.base import ApiView, caller_of
from wire.errors import Conflict, NotFound, PolicyDenied
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

OperationName = Literal["redaction", "store_deletion", "retention", "session_erasure"]
LookedAt = Literal["rows", "search_index", "receipts", "caches"]
Attested = Literal[
    "native_continuation_state",
    "table_pages",
    "wal",
    "replicas",
    "point_in_time_recovery",
    "restore_branches",
    "backups",
]


class AttestSink(Body):
    """A sink that nobody here can look at, and that holds nothing any more."""

    sink: Attested


class AttesterOut(TypedDict):
    """The credential that attested; the platform's own commands have no ID."""

    kind: str
    id: str | None


class ErasureSinkOut(TypedDict):
    """A place where erased text may still be, what is known of it, how, and since when."""

    sink: LookedAt | Attested
    state: Literal["pending", "cleared"]
    evidence: Literal["read_back", "scrubbed", "attested"] | None
    attested_by: AttesterOut | None
    at: str | None


class ErasureReportOut(TypedDict):
    """What one erasure took away, by counts; it goes by the ID of its job."""

    job: str
    workspace: str
    store: str | None
    operation: OperationName
    version_count: int
    path_count: int
    hash_count: int
    sinks: list[ErasureSinkOut]
    created_at: str


def render_report(report: ErasureReport) -> ErasureReportOut:
    """A report with its sinks."""
    return {
        "job": report.job_id,
        "workspace": report.workspace_id,
        "store": report.store_id,
        "operation": cast("OperationName", report.operation),
        "version_count": report.version_count,
        "path_count": report.path_count,
        "hash_count": report.hash_count,
        "sinks": [_sink(sink) for sink in report.sinks.all()],
        "created_at": render_time(report.created_at),
    }


def _sink(row: ErasureSink) -> ErasureSinkOut:
    rendered = {
        "sink": row.sink,
        "state": row.state,
        "evidence": row.evidence,
        "attested_by": row.attested_by_kind
        and {"kind": row.attested_by_kind, "id": row.attested_by_id},
        "at": render_time(row.at) if row.at else None,
    }
    return cast("ErasureSinkOut", rendered)


class ErasureReportsView(ApiView):
    versioned = True

    @operation(
        "erasureReports.listErasureReports",
        summary="List erasure reports",
        query=PagedQuery,
        answers={200: Listing[ErasureReportOut]},
    )
    def get(self, request: Request) -> Response:
        """Newest first. Counts and states, no paths. Needs an admin key."""
        caller = caller_of(request)
        query = parse_query(request, PagedQuery)
        require_admin(caller)
        rows, next_page = newest_first(reports_of(caller), query)
        return Response(list_body([render_report(row) for row in rows], next_page))


class ErasureReportView(ApiView):
    versioned = True

    @operation(
        "erasureReports.getErasureReport",
        summary="Get an erasure report",
        answers={200: ErasureReportOut},
        errors=(NotFound,),
    )
    def get(self, request: Request, id: str) -> Response:
        """By the ID of the erasure's job. Needs an admin key.

        `rows`, `search_index`, `receipts` and `caches` are looked at; the other sinks stay
        pending until the storage was scrubbed or an operator attests them.
        """
        caller = caller_of(request)
        report = get_report(caller, parse_path_id("job", id))
        parse_nothing(request)
        require_admin(caller)
        return Response(render_report(report))


class AttestationsView(ApiView):
    versioned = True

    @operation(
        "erasureReports.attestErasureSink",
        summary="Attest that a sink is cleared",
        body=AttestSink,
        answers={200: ErasureReportOut},
        errors=(NotFound, PolicyDenied, Conflict),
    )
    def post(self, request: Request, id: str) -> Response:
        """Recorded with who said so and when, and never taken back. Needs an admin key.

        A sink that is cleared already stays as it is. While the erasure's job is not done, it is a
        409: nobody can tell yet what it leaves.
        """
        caller = caller_of(request)
        report = get_report(caller, parse_path_id("job", id))
        body = parse_body(request, AttestSink)
        attested = attest_sink(caller=caller, report_id=report.job_id, sink=Sink(body.sink))
        return Response(render_report(attested))
