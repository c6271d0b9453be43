"""What the deletion of a store takes of Sessions (contract X2, X5).

A redaction takes nothing: events hold no path and no text, and what a mount tells its agent is
about no document in particular; it goes with the store, or with its Session.
"""

from collections.abc import Collection, Sequence

from django.db import connection
from django.db.models import Q

from database.transactions import step
from memory.erasure.erasers import Eraser, Redaction
from memory.erasure.erasers import register as register_eraser
from memory.models import ErasureReport, Sink
from sessions.models import Checkpoint, Mount
from wire.ids import uuid_from_id

_BLANK = """
UPDATE agent_sessions_mount SET instructions = NULL, mount_path = NULL
WHERE id IN (
    SELECT id FROM agent_sessions_mount
    WHERE store_id = %s AND (instructions IS NOT NULL OR mount_path IS NOT NULL) LIMIT %s
)
"""
_DELETE = """
DELETE FROM agent_sessions_checkpoint
WHERE id IN (SELECT id FROM agent_sessions_checkpoint WHERE store_id = %s LIMIT %s)
"""


def register() -> None:
    """Let what Sessions keep about a store go with it."""
    register_eraser(SessionEraser())


class SessionEraser(Eraser):
    """Blanks the words of mounts and deletes checkpoints. `Eraser` tells when."""

    def hold(self, store_id: str, paths: Sequence[str]) -> None:
        """Nothing: a redaction ends nothing here."""

    def redact(self, redaction: Redaction) -> None:
        """Nothing: no text here is about a path."""

    @step
    def delete_rows(self, store_id: str, limit: int) -> int:
        """Blank words, then delete checkpoints, which refer to the store's versions."""
        return _run(_BLANK, store_id, limit) or _run(_DELETE, store_id, limit)

    def sinks_holding(self, report: ErasureReport) -> Collection[Sink]:
        """Words and checkpoints of a deleted store."""
        if report.operation != ErasureReport.Operation.STORE_DELETION:
            return ()
        told = Q(instructions__isnull=False) | Q(mount_path__isnull=False)
        words = Mount.objects.filter(told, store=report.store_id)
        checkpoints = Checkpoint.objects.filter(store=report.store_id)
        return (Sink.ROWS,) if words.exists() or checkpoints.exists() else ()


def _run(statement: str, store_id: str, limit: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, [uuid_from_id(store_id), limit])
        return int(cursor.rowcount)
