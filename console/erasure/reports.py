"""What an erasure took away, and what is known of each place where its text may still be (X4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from console.people import ConsoleRequest
from jobs.models import Job
from memory.erasure.readback import READABLE
from memory.erasure.reports import is_under_way
from memory.models import ErasureSink, Sink, SinkEvidence, SinkState
from memory.queries.erasure_reports import reports_of


@dataclass(frozen=True, slots=True)
class Place:
    """A sink in words: what it is called, and what it is or how it is cleared."""

    label: str
    about: str


PLACES: Final[Mapping[Sink, Place]] = {
    Sink.ROWS: Place("Rows", "What the database answers with."),
    Sink.SEARCH_INDEX: Place("Search index", "The words by which search finds a text."),
    Sink.RECEIPTS: Place("Receipts", "What repeated requests are answered from."),
    Sink.CACHES: Place("Caches", "The broker and the counters of requests."),
    Sink.NATIVE_CONTINUATION_STATE: Place(
        "Native continuation state", "What agents' own runtimes keep of a Session."
    ),
    Sink.TABLE_PAGES: Place(
        "Table pages",
        "Deleted rows leave their bytes in the database's files until"
        " `manage.py scrub_storage` has rewritten them.",
    ),
    Sink.WAL: Place("Write-ahead log", "The database's journal, until it is recycled or archived."),
    Sink.REPLICAS: Place("Replicas", "Standby servers, and their files."),
    Sink.POINT_IN_TIME_RECOVERY: Place(
        "Point-in-time recovery", "Archived journals, until their time is over."
    ),
    Sink.RESTORE_BRANCHES: Place("Restore branches", "Copies of the database made from backups."),
    Sink.BACKUPS: Place("Backups", "Dumps and snapshots, until their time is over."),
}

_EVIDENCE: Final = {
    SinkEvidence.READ_BACK: "looked at, nothing found",
    SinkEvidence.SCRUBBED: "storage rewritten and checked",
    SinkEvidence.ATTESTED: "attested by an operator",
}


def told_report(request: ConsoleRequest, job: Job) -> dict[str, Any] | None:
    """The erasure report of a job, for admins; None when there is none."""
    if not request.caller.is_admin:
        return None
    report = reports_of(request.caller).filter(job=job).first()
    if report is None:
        return None
    has_ended = not is_under_way(report)
    return {
        "report": report,
        "sinks": [_told(sink, has_ended=has_ended) for sink in report.sinks.all()],
    }


def _told(sink: ErasureSink, *, has_ended: bool) -> dict[str, Any]:
    is_pending = sink.state == SinkState.PENDING
    return {
        "name": sink.sink,
        "place": PLACES[Sink(sink.sink)],
        "state": sink.state,
        "at": sink.at,
        "evidence": _EVIDENCE[SinkEvidence(sink.evidence)] if sink.evidence else None,
        "may_attest": has_ended and is_pending and sink.sink not in READABLE,
    }
