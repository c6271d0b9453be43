from collections.abc import Sequence
from time import sleep
from typing import Any, Final

from memory.actions.storage import clear_table_pages
from memory.erasure.storage import (
    STATISTICS,
    database_time,
    give_back,
    holders,
    one_session,
    other_sessions,
    rewrite,
    tables,
)
from tenancy.commands import OperatorCommand, Refused

MORE_TRIES: Final = 4
PAUSE: Final = 2
"""Seconds between them. Autovacuum counts as nobody, and may write statistics in any moment."""


class Command(OperatorCommand):
    help = "Rewrite the database's files, so that erased text is gone from them; see operations.md."

    def handle(self, **_: Any) -> None:
        with one_session():
            self._rewrite_all()

    def _rewrite_all(self) -> None:
        _require_window()
        began = database_time()
        unclean = self._rewrite_each([*tables(), STATISTICS])
        for _ in range(MORE_TRIES):
            if unclean:
                sleep(PAUSE)
                unclean = self._rewrite_each(unclean)
        if unclean:
            raise Refused(
                "Rows that were deleted are still in the files of "
                f"{', '.join(unclean)}: somebody connected meanwhile. No report was changed."
            )
        self._tell_of_files(given_back=give_back())
        cleared = clear_table_pages(began=began)
        self.stdout.write(f"Erasure reports with their table pages cleared: {cleared}.")

    def _rewrite_each(self, names: Sequence[str]) -> list[str]:
        """Rewrite some tables. Returns those that still hold rows which were deleted."""
        return [table for table in names if not self._rewrite(table)]

    def _rewrite(self, table: str) -> bool:
        done = rewrite(table)
        verdict = "rewritten" if done.is_clean else "NOT CLEAN"
        self.stdout.write(f"{table}: {verdict}, {done.bytes:,} bytes")
        return done.is_clean

    def _tell_of_files(self, *, given_back: bool) -> None:
        if not given_back:
            self.stdout.write("The old files go with the database's next checkpoint.")
        self.stdout.write(
            "The write-ahead log, replicas and backups are not looked at. They keep what was"
            " erased until it is recycled or its time is over: attest them when that is so."
        )


def _require_window() -> None:
    """Refuse while anybody may see or write rows."""
    others = other_sessions()
    if others:
        raise Refused(
            f"Others are connected to the database: {others}. This needs a maintenance window:"
            " stop web processes and workers first."
        )
    if holders():
        raise Refused(
            "A prepared transaction, a replication slot or a standby server keeps deleted rows."
            " End or detach it first."
        )
