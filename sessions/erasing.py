"""What erasures take of Sessions, and what is left of them (contract S7, X2, X4, X5).

A redaction takes little: events hold no path and no text, and what a mount tells its agent is
about no document in particular; it goes with the store, or with its Session. What a call was sent
with is known to its receipt alone, as a digest, and receipts forget what was redacted.
"""

from collections.abc import Collection, Sequence
from typing import Final

from django.db import connection
from django.db.models import Q

from database.transactions import step
from memory.erasure.erasers import Eraser, Redaction
from memory.erasure.erasers import register as register_eraser
from memory.models import ErasureReport, Sink
from sessions.erasure.native import is_native_left
from sessions.erasure.requests import are_requests_told
from sessions.models import Checkpoint, InputMount, MemoryCall, Mount, Session
from wire.ids import uuid_from_id

_BLANK = """
UPDATE agent_sessions_mount SET instructions = NULL, mount_path = NULL
WHERE id IN (
    SELECT id FROM agent_sessions_mount
    WHERE store_id = %s AND (instructions IS NOT NULL OR mount_path IS NOT NULL) LIMIT %s
)
"""
_BLANK_PLANS = """
UPDATE agent_sessions_inputmount SET version_id = NULL
WHERE id IN (
    SELECT id FROM agent_sessions_inputmount
    WHERE store_id = %s AND version_id IS NOT NULL LIMIT %s
)
"""
_DELETE_CALLS = """
DELETE FROM agent_sessions_memorycall
WHERE id IN (
    SELECT c.id FROM agent_sessions_memorycall c
    JOIN agent_sessions_inputmount m ON m.id = c.mount_id
    WHERE m.store_id = %s LIMIT %s
)
"""
_DELETE_CHECKPOINTS = """
DELETE FROM agent_sessions_checkpoint
WHERE id IN (SELECT id FROM agent_sessions_checkpoint WHERE store_id = %s LIMIT %s)
"""
_TOLD: Final = Q(instructions__isnull=False) | Q(mount_path__isnull=False)

_DRAINED = (_BLANK, _BLANK_PLANS, _DELETE_CALLS, _DELETE_CHECKPOINTS)
"""In this order: calls refer to checkpoints, and all of them to the store's versions."""


def register() -> None:
    """Let what Sessions keep about a store go with it."""
    register_eraser(SessionEraser())


class SessionEraser(Eraser):
    """Blanks the words of mounts and the plans of inputs; deletes calls and checkpoints.

    `Eraser` tells when.
    """

    def hold(self, store_id: str, paths: Sequence[str]) -> None:
        """Nothing: a redaction ends nothing here."""

    def redact(self, redaction: Redaction) -> None:
        """Nothing: no event holds a path, and the store's receipts are forgotten with it."""

    @step
    def delete_rows(self, store_id: str, limit: int) -> int:
        """Blank words and plans, then delete what refers to the store's versions."""
        return next((rows for it in _DRAINED if (rows := _run(it, store_id, limit))), 0)

    def sinks_holding(self, report: ErasureReport) -> Collection[Sink]:
        """Words, plans, calls and checkpoints of a deleted store; all of an erased Session's."""
        if report.operation == ErasureReport.Operation.SESSION_ERASURE:
            return _left_of_session(report)
        if report.operation != ErasureReport.Operation.STORE_DELETION:
            return ()
        left = (
            Mount.objects.filter(_TOLD, store=report.store_id),
            InputMount.objects.filter(version__isnull=False, store=report.store_id),
            MemoryCall.objects.filter(mount__store=report.store_id),
            Checkpoint.objects.filter(store=report.store_id),
        )
        return (Sink.ROWS,) if any(rows.exists() for rows in left) else ()


def _left_of_session(report: ErasureReport) -> set[Sink]:
    session = Session.objects.get(id=report.job.target_id)
    left = set()
    if Mount.objects.filter(_TOLD, session=session).exists() or is_native_left(session.id):
        left.add(Sink.ROWS)
    if are_requests_told(session):
        left.add(Sink.RECEIPTS)
    return left


def _run(statement: str, store_id: str, limit: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, [uuid_from_id(store_id), limit])
        return int(cursor.rowcount)
