"""What erasures take of notices: nothing but rows, for there is no text in them (X1, X2, X5)."""

from collections.abc import Collection, Sequence

from django.db import connection

from database.transactions import step
from memory.erasure.erasers import Eraser, Redaction
from memory.erasure.erasers import register as register_eraser
from memory.models import ErasureReport, Sink
from notices.models import Notice, OutboxEntry
from wire.ids import uuid_from_id

_DELETE_LETTERS = """
DELETE FROM notices_letter WHERE id IN (
    SELECT letter.id FROM notices_letter letter
    JOIN notices_notice notice ON notice.id = letter.notice_id
    WHERE notice.store_id = %s LIMIT %s
)
"""
_DELETE = "DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE store_id = %s LIMIT %s)"


def register() -> None:
    """Let notices go with their store."""
    register_eraser(NoticeEraser())


class NoticeEraser(Eraser):
    """Deletes what was, and was to be, told of a store. `Eraser` tells when."""

    @step
    def hold(self, store_id: str, paths: Sequence[str]) -> None:
        """Nothing: a redaction ends no notice."""

    @step
    def redact(self, redaction: Redaction) -> None:
        """Nothing: a notice names things by their identifiers and shows what they say today."""

    @step
    def delete_rows(self, store_id: str, limit: int) -> int:
        """Letters first, which refer to notices."""
        store = uuid_from_id(store_id)
        with connection.cursor() as cursor:
            for statement in (
                _DELETE_LETTERS,
                _DELETE.format(table="notices_notice"),
                _DELETE.format(table="notices_outboxentry"),
            ):
                cursor.execute(statement, [store, limit])
                if cursor.rowcount:
                    return int(cursor.rowcount)
        return 0

    def sinks_holding(self, report: ErasureReport) -> Collection[Sink]:
        """Any row of a deleted store."""
        if report.operation != ErasureReport.Operation.STORE_DELETION:
            return ()
        kept = (model.objects.filter(store=report.store_id) for model in (Notice, OutboxEntry))
        return (Sink.ROWS,) if any(rows.exists() for rows in kept) else ()
