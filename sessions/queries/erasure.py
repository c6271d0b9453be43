"""How the erasure of a Session stands (contract S7)."""

from memory.models import ErasureReport
from memory.queries.erasure_reports import with_sinks
from sessions.models import Session
from wire.errors import NotFound


def erasure_of(session: Session) -> ErasureReport:
    """The report of a Session's erasure, with its job. Raises NotFound when nobody asked for it."""
    reports = ErasureReport.objects.filter(
        operation=ErasureReport.Operation.SESSION_ERASURE, job__target_uuid=session.id
    )
    found = with_sinks(reports).select_related("job").first()
    if found is None:
        raise NotFound("Nobody asked for the erasure of this Session.")
    return found
