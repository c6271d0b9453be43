"""Requests that told words of a Session: their receipts keep digests of these (contract X4)."""

from database.transactions import step
from memory import receipts
from sessions.models import Run, Session


@step
def forget_requests(session: Session) -> None:
    """Forget the digests of requests that told words of a Session, and what they answered."""
    for naming, ids in _told_by(session).items():
        receipts.forget_beside_stores(session.workspace_id, naming, ids)


def are_requests_told(session: Session) -> bool:
    """Whether a receipt still tells of such a request."""
    return any(
        receipts.is_told_beside_stores(session.workspace_id, naming, ids)
        for naming, ids in _told_by(session).items()
    )


def _told_by(session: Session) -> dict[str, list[str]]:
    runs = Run.objects.filter(session=session.id)
    return {"session": [session.id], "run": list(runs.values_list("id", flat=True))}
