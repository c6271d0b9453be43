"""Tree pages: their hash, their order, and the document versions that they name."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from memory.models import DocumentVersion, TreePage
from memory.trees.editing import Page, TreeEntry
from memory.trees.hashing import closes_page, page_hash
from memory.trees.storage import entries_of_page
from memory.verification.findings import Finding
from wire.ids import uuid_from_id


def check_pages(store_id: str, pages: Sequence[TreePage]) -> Iterator[Finding]:
    """Compute the pages again. Two queries, with the one that fetched them."""
    entries = {page.id: entries_of(page) for page in pages}
    wanted = [entry.document_version for page in entries.values() for entry in page]
    documents = _documents(store_id, wanted)
    for page in pages:
        for what in _faults(page, entries[page.id], documents):
            yield Finding(what, f"page_{page.id}")


def _faults(page: TreePage, entries: Page, documents: dict[UUID, TreeEntry]) -> Iterator[str]:
    if not entries or page_hash(entries) != page.page_hash:
        yield "page_hash"
    paths = [entry.path for entry in entries]
    if paths != sorted(set(paths)):
        yield "page_order"
    if any(closes_page(path) for path in paths[:-1]):
        yield "page_cut"
    if any(documents.get(entry.document_version) != entry for entry in entries):
        yield "page_entry"


def entries_of(page: TreePage) -> Page:
    """The page's entries; none when its arrays do not fit each other."""
    columns: list[Any] = [
        page.paths,
        page.document_versions,
        page.content_hashes,
        page.media_types,
        page.sizes,
    ]
    if len({len(column) for column in columns}) > 1:
        return ()
    return entries_of_page(*columns)


def _documents(store_id: str, wanted: Sequence[UUID]) -> dict[UUID, TreeEntry]:
    """The store's document versions as entries should have them."""
    rows = DocumentVersion.objects.filter(store=store_id, id__in=wanted)
    entries = (
        TreeEntry(row.path, uuid_from_id(row.id), row.content_sha256, row.media_type, row.bytes)
        for row in rows
    )
    return {entry.document_version: entry for entry in entries}
