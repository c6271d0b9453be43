from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from database.transactions import durable_once
from memory.access import GONE
from memory.models import MemoryStore
from memory.operating import parse_store
from memory.verification.batches import verify_batch
from memory.verification.findings import Report
from tenancy.commands import OperatorCommand, Refused


class Command(OperatorCommand):
    help = "Compute a store again from its rows; exits with 1 when anything differs."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("store", nargs="?", help="the store's ID")
        what.add_argument("--all", action="store_true", help="every store of every Workspace")

    def handle(self, *, store: str | None, **_: Any) -> None:
        differing = 0
        for store_id in _stores(store):
            report = verify_store(store_id)
            self.stdout.write(_sentence(store_id, report))
            for what, entry in sorted(report.found.items()):
                self.stdout.write(f"  {what}: {entry['count']} ({', '.join(entry['ids'])})")
            differing += bool(report.differences)
        if differing:
            raise Refused(f"Stores that differ from what they claim: {differing}.")


def verify_store(store_id: str) -> Report:
    """Verify a whole store here and now, a transaction a batch. Raises NotFound."""
    report = Report()
    position: dict[str, Any] | None = {}
    while position is not None:
        position = durable_once(verify_batch)(store_id, position, report).position
    return report


def _stores(text: str | None) -> Iterator[str]:
    if text is None:
        stores = MemoryStore.objects.exclude(lifecycle__in=GONE).order_by("id")
        yield from stores.values_list("id", flat=True)
        return
    yield parse_store(text)


def _sentence(store_id: str, report: Report) -> str:
    looked_at = ", ".join(f"{count:,} {part}" for part, count in report.checked.items())
    verdict = f"{report.differences} DIFFERENCES" if report.differences else "all as it should be"
    return f"{store_id}: {verdict} ({looked_at})"
