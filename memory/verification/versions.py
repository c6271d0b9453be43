"""Versions: their tree's hash and counts, their place in the history, what they changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from django.db import connection

from memory.models import MemoryVersion, TreePage, VersionChange, VersionTree
from memory.trees.hashing import closes_page, tree_hash
from memory.verification.findings import Finding
from memory.verification.pages import entries_of
from memory.versions.ancestry import jump_from
from wire.ids import uuid_from_id

_PAGES = """
SELECT id, page_hash, paths[1], paths[cardinality(paths)], cardinality(paths),
       (SELECT coalesce(sum(size), 0) FROM unnest(sizes) AS size)
FROM memory_treepage WHERE store_id = %s AND id = ANY(%s)
"""

type Changes = dict[str, tuple[UUID | None, UUID | None]]
"""Path → the document version before and after."""


@dataclass(frozen=True, slots=True)
class PageSummary:
    """What a version's claims are computed from."""

    page_hash: bytes
    first_path: str
    last_path: str
    documents: int
    size: int


def check_versions(store_id: str, versions: Sequence[MemoryVersion]) -> Iterator[Finding]:
    """Compute versions again, from pages that `check_pages` has looked at."""
    trees = _trees(versions)
    summaries = _summaries(store_id, {page for pages in trees.values() for page in pages})
    for version in versions:
        for what in _faults(version, trees, summaries):
            yield Finding(what, version.id)


def _faults(
    version: MemoryVersion, trees: Mapping[str, list[int]], summaries: Mapping[int, PageSummary]
) -> Iterator[str]:
    if not _has_its_place(version):
        yield "version_ancestry"
    pages = [summaries[page] for page in trees.get(version.id, ()) if page in summaries]
    if version.id not in trees or len(pages) != len(trees[version.id]):
        yield "tree_missing"
        return
    yield from _tree_faults(version, pages)
    if _changes_of_trees(version, trees) != _changes_told(version):
        yield "version_changes"


def _tree_faults(version: MemoryVersion, pages: Sequence[PageSummary]) -> Iterator[str]:
    if tree_hash(page.page_hash for page in pages) != version.tree_hash:
        yield "tree_hash"
    if [page.first_path for page in pages] != version.tree.first_paths:
        yield "tree_first_paths"
    if not all(_follows(*both) for both in pairwise(pages)):
        yield "tree_cut"
    documents, size = sum(page.documents for page in pages), sum(page.size for page in pages)
    if (documents, size) != (version.document_count, version.total_bytes):
        yield "version_counts"


def _follows(page: PageSummary, next_page: PageSummary) -> bool:
    return page.last_path < next_page.first_path and closes_page(page.last_path)


def _has_its_place(version: MemoryVersion) -> bool:
    """Whether parent, depth and far ancestor fit each other."""
    parent = version.parent
    if parent is None:
        return version.depth == 0 and version.jump_id is None
    same_store = parent.store_id == version.store_id
    far = jump_from(parent).id
    return same_store and (parent.depth + 1, far) == (version.depth, version.jump_id)


def _changes_of_trees(version: MemoryVersion, trees: Mapping[str, list[int]]) -> Changes:
    """What differs between a version's tree and its parent's; shared pages are not loaded."""
    before = set(trees.get(version.parent_id or "", ()))
    after = set(trees[version.id])
    rows = TreePage.objects.in_bulk(before ^ after)
    old = _documents(rows[page] for page in before - after if page in rows)
    new = _documents(rows[page] for page in after - before)
    changes = {path: (old.get(path), new.get(path)) for path in old.keys() | new.keys()}
    return {path: sides for path, sides in changes.items() if sides[0] != sides[1]}


def _documents(pages: Iterator[TreePage]) -> dict[str, UUID]:
    return {entry.path: entry.document_version for page in pages for entry in entries_of(page)}


def _changes_told(version: MemoryVersion) -> Changes:
    rows = VersionChange.objects.filter(version=version)
    return {
        path: (_uuid(before), _uuid(after))
        for path, before, after in rows.values_list("path", "before", "after")
    }


def _uuid(document_id: str | None) -> UUID | None:
    return uuid_from_id(document_id) if document_id else None


def _trees(versions: Sequence[MemoryVersion]) -> dict[str, list[int]]:
    """The page IDs of versions and of their parents."""
    wanted = [id_ for version in versions for id_ in (version.id, version.parent_id) if id_]
    return dict(VersionTree.objects.filter(version__in=wanted).values_list("version", "pages"))


def _summaries(store_id: str, page_ids: set[int]) -> dict[int, PageSummary]:
    with connection.cursor() as cursor:
        cursor.execute(_PAGES, [uuid_from_id(store_id), sorted(page_ids)])
        return {row[0]: PageSummary(bytes(row[1]), *row[2:]) for row in cursor.fetchall()}
