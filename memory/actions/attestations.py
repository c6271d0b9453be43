"""Attesting that a sink which nobody here can look at holds nothing any more (contract X4)."""

from database.transactions import durable
from memory.erasure.readback import READABLE
from memory.erasure.reports import clear, is_under_way
from memory.models import ErasureReport, Sink, SinkEvidence
from memory.queries.erasure_reports import get_report
from tenancy.administration import require_admin, require_bound, take_turn
from tenancy.audit import record
from tenancy.caller import Caller
from wire.errors import Conflict, Malformed


@durable
def attest_sink(*, caller: Caller, report_id: str, sink: Sink) -> ErasureReport:
    """Let an operator say that a sink is cleared; one that is cleared already stays as it is.

    Args:
        report_id: the ID of the erasure's job.

    Raises:
        PolicyDenied: the caller does not administer the Workspace, or acts for a principal that
            was only named.
        NotFound: the Workspace has no such report.
        Malformed: the sink is one that is looked at.
        Conflict: the erasure has not ended; what was attested now would not hold for its rest.
    """
    caller = take_turn(caller)
    require_admin(caller)
    require_bound(caller)
    report = get_report(caller, report_id)
    if sink in READABLE:
        raise Malformed(f"sink: {sink} is looked at; nobody can attest it.")
    if is_under_way(report):
        raise Conflict("The erasure has not ended yet. Attest what it left when its job is done.")
    attested = clear(
        report_id=report.job_id, sinks=[sink], evidence=SinkEvidence.ATTESTED, attested_by=caller
    )
    if attested:
        _audit(caller, report, sink)
    return get_report(caller, report_id)


def _audit(caller: Caller, report: ErasureReport, sink: Sink) -> None:
    record(
        caller=caller,
        event="erasure_sink.attested",
        target_kind="job",
        target_id=report.job_id,
        detail={"sink": sink, "store": report.store_id},
    )
