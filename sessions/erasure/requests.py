"""Requests that told words of a Session: their receipts keep digests of these (contract X4)."""

from typing import Any

from django.db.models import QuerySet

from database.transactions import step
from memory import receipts
from sessions.models import Round, Run, Session, SessionInput


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
    made: dict[str, QuerySet[Any]] = {
        "run": Run.objects.filter(session=session.id),
        "input": SessionInput.objects.filter(session=session.id),
        "round": Round.objects.filter(input__session=session.id),
    }
    named = {naming: list(rows.values_list("id", flat=True)) for naming, rows in made.items()}
    return {"session": [session.id], **named}
