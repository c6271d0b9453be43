"""One bounded batch of a verification after another: pages, documents, versions, then refs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from memory.access import GONE, NO_SUCH_STORE
from memory.models import DocumentVersion, MemoryStore, MemoryVersion, TreePage
from memory.verification.documents import check_documents
from memory.verification.findings import Finding, Report
from memory.verification.pages import check_pages
from memory.verification.refs import check_refs
from memory.verification.versions import check_versions
from wire.errors import NotFound

REFS: Final = "refs"
"""The last part, done in one batch."""


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of rows that a store is made of, and how they are checked."""

    rows: Callable[[str], QuerySet[Any]]
    check: Callable[[str, Sequence[Any]], Iterator[Finding]]
    batch: int


PARTS: Final[Mapping[str, Part]] = {
    "pages": Part(lambda store: TreePage.objects.filter(store=store), check_pages, 50),
    "documents": Part(
        lambda store: DocumentVersion.objects.filter(store=store).select_related("body", "erasure"),
        check_documents,
        200,
    ),
    "versions": Part(
        lambda store: MemoryVersion.objects.filter(store=store).select_related(
            "tree", "parent__jump__jump"
        ),
        check_versions,
        25,
    ),
}


@dataclass(frozen=True, slots=True)
class Verified:
    """How far a verification is. `position` is where the next batch begins, None at the end."""

    report: Report
    position: dict[str, Any] | None
    rows: int
    """How many rows this batch looked at."""


def count_rows(store_id: str) -> int:
    """How many rows a verification looks at, as it stands now; refs count as one."""
    return sum(part.rows(store_id).count() for part in PARTS.values()) + 1


def verify_batch(store_id: str, position: Mapping[str, Any], report: Report) -> Verified:
    """Verify the next rows of a store.

    What is written meanwhile is not mistaken for a fault: whatever has to agree is read in one
    statement, or is immutable and committed together.

    Args:
        position: where the batch before ended; empty at the beginning.

    Raises:
        NotFound: the store is not there (any more).
    """
    if not MemoryStore.objects.filter(id=store_id).exclude(lifecycle__in=GONE).exists():
        raise NotFound(NO_SUCH_STORE)
    name = position.get("part", next(iter(PARTS)))
    if name == REFS:
        report.add(check_refs(store_id))
        report.count(REFS, 1)
        return Verified(report, None, 1)
    return _verify_rows(store_id, name, position.get("after"), report)


def _verify_rows(store_id: str, name: str, after: Any, report: Report) -> Verified:
    part = PARTS[name]
    rows = part.rows(store_id).order_by("id")
    found = list((rows.filter(id__gt=after) if after is not None else rows)[: part.batch])
    report.add(part.check(store_id, found))
    report.count(name, len(found))
    if len(found) < part.batch:
        return Verified(report, {"part": _part_after(name)}, len(found))
    return Verified(report, {"part": name, "after": found[-1].pk}, len(found))


def _part_after(name: str) -> str:
    names = [*PARTS, REFS]
    return names[names.index(name) + 1]
