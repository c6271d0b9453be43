"""What was received of an export, kept until the import ends (contract I1)."""

from collections.abc import Collection, Sequence
from itertools import count as count_from
from itertools import islice
from typing import Final

from database.transactions import step
from memory.importing.faults import BundleFault
from memory.importing.pages import CheckedPage
from memory.importing.shapes import KINDS
from memory.models import ImportPage, StoreImport
from wire.errors import NAMED_AT_MOST, Conflict

PAGES_AT_ONCE: Final = 8


@step
def stage_page(made: StoreImport, page: CheckedPage) -> None:
    """Keep a page; one of the same ordinal that came before is replaced.

    Args:
        made: locked for the transaction; the caller saves it.

    Raises:
        BundleFault: its manifest is not the one of the pages before it.
        Conflict: a whole export came before.
    """
    if made.whole:
        raise Conflict("A whole export was received; it has no further pages.")
    if made.manifest not in (None, page.manifest):
        raise BundleFault(
            f"page {page.ordinal}: its manifest is not the one of the page that came first."
        )
    _keep(made, [page])


@step
def stage_whole(made: StoreImport, pages: Sequence[CheckedPage]) -> None:
    """Keep a whole export, cut into pages; one that came before is replaced.

    Raises:
        Conflict: pages came before.
    """
    if made.manifest is not None and not made.whole:
        raise Conflict("Pages were received; a whole export does not go with them.")
    ImportPage.objects.filter(store=made.store_id).delete()
    made.whole = True
    _keep(made, pages)


def _keep(made: StoreImport, pages: Sequence[CheckedPage]) -> None:
    """Store pages, or what replaces them; one statement for some of them."""
    made.manifest = pages[-1].manifest
    ImportPage.objects.bulk_create(
        [_row(made.store_id, page) for page in pages],
        batch_size=PAGES_AT_ONCE,
        update_conflicts=True,
        unique_fields=["store", "ordinal"],
        update_fields=["items", "kind_counts", "is_last"],
    )


def _row(store_id: str, page: CheckedPage) -> ImportPage:
    return ImportPage(
        store_id=store_id,
        ordinal=page.ordinal,
        items=page.items,
        kind_counts=page.kind_counts,
        is_last=page.is_last,
    )


def require_all_pages(made: StoreImport) -> None:
    """Refuse to go on until all pages are there.

    Raises:
        Conflict: pages are missing.
        BundleFault: a page says of itself that it is the last and is not, or the other way round,
            or there are not as many items of a kind as the manifest says.
    """
    pages = ImportPage.objects.filter(store=made.store_id).order_by("ordinal")
    rows = list(pages.values_list("ordinal", "kind_counts", "is_last"))
    if not rows:
        raise Conflict("No page was received.")
    last = rows[-1][0]
    _require_none_between({ordinal for ordinal, _, _ in rows}, last)
    for ordinal, _, is_last in rows:
        if is_last != (ordinal == last):
            sentence = "it has no next_page" if is_last else "its next_page was not received"
            raise BundleFault(f"page {ordinal}: {sentence}; the last page is {last}.")
    found = [sum(counts) for counts in zip(*(counts for _, counts, _ in rows), strict=True)]
    for kind, count in zip(KINDS, found, strict=True):
        declared = made.declared[kind]
        if count != declared:
            raise BundleFault(
                f"The manifest's {kind}_count says {declared:,}; the pages have {count:,}."
            )


def _require_none_between(received: Collection[int], last: int) -> None:
    """Refuse to go on when ordinals are missing; a last one far away costs no more than a near."""
    missing = last + 1 - len(received)
    if not missing:
        return
    first = islice(
        (one for one in count_from() if one not in received), min(missing, NAMED_AT_MOST)
    )
    more = f" and {missing - NAMED_AT_MOST:,} more" if missing > NAMED_AT_MOST else ""
    raise Conflict(f"Pages were not received: {', '.join(map(str, first))}{more}.")
