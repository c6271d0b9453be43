"""A whole export (contract E1), taken apart into the items that the paged one has (E2).

A whole export repeats a text at every revision that holds it and does not say which write it was.
It is taken as the write of the parent revision as long as path, content, media type, provenance and
body are the same there; else as a new one. That is what a tree of versions says, too.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import batched
from operator import itemgetter
from typing import Any

from pydantic import ValidationError

from memory.importing.faults import BundleFault, malformed, name_item
from memory.importing.pages import CheckedPage, checked_page, read_item
from memory.importing.shapes import FORMAT, MAX_PAGE_ITEMS, Manifest, Whole, WholeRow, ref_order
from wire.ids import new_id
from wire.times import now, render_time

type Fields = dict[str, Any]

type Rows = dict[str, dict[str, Fields]]
"""Revision → path → the row of the whole export there, without the revision."""


def read_whole(raw: Mapping[str, Any]) -> list[CheckedPage]:
    """Check a whole export part by part, and cut it into pages.

    Its parts may come in any order; E1 names none.

    Raises:
        BundleFault: naming what is wrong, and with which part.
    """
    try:
        whole = Whole.model_validate(raw)
    except ValidationError as error:
        raise malformed("The export", error) from error
    paths = [{"path": path} for path in whole.path_fences]
    revisions = _in_order(list(_read("revision", whole.revisions, "revisions", whole.store)))
    documents, entries = _told_apart(revisions, _rows(whole.documents, revisions))
    kinds = {
        "revision": revisions,
        "path_fence": sorted(
            _read("path_fence", paths, "path_fences", whole.store), key=itemgetter("path")
        ),
        "document_version": documents,
        "revision_entry": entries,
        "ref": sorted(_read("ref", whole.refs, "refs", whole.store), key=ref_order),
    }
    return list(_pages(whole.store, kinds))


def _read(kind: str, parts: Sequence[Any], name: str, store_id: str) -> Iterator[Fields]:
    for index, part in enumerate(parts):
        item, place = {"kind": kind, kind: part}, f"{name}[{index}]"
        held = read_item(item, place)
        if getattr(held, "store", store_id) != store_id:
            raise BundleFault(
                f"{name_item(place, item)}: store: {store_id} is exported, not {held.store}."
            )
        yield part


def _in_order(revisions: Sequence[Fields]) -> list[Fields]:
    """Revisions in the order of E2: parents first, then ID."""
    children: dict[str | None, list[Fields]] = defaultdict(list)
    for revision in revisions:
        children[revision["parent_revision"]].append(revision)
    ordered: list[Fields] = []
    level = children.pop(None, [])
    while level:
        level.sort(key=itemgetter("id"))
        ordered += level
        level = [child for parent in level for child in children.pop(parent["id"], [])]
    for orphans in children.values():
        item = {"kind": "revision", "revision": orphans[0]}
        raise BundleFault(
            f"{name_item('revisions', item)}: no line of parents leads to it from the first."
        )
    return ordered


def _rows(parts: Sequence[Any], revisions: Sequence[Fields]) -> Rows:
    rows: Rows = {revision["id"]: {} for revision in revisions}
    for index, part in enumerate(parts):
        place = f"documents[{index}]"
        try:
            row = WholeRow.model_validate(part)
        except ValidationError as error:
            raise malformed(_name_row(place, part), error) from error
        there = rows.get(row.revision)
        if there is None:
            raise BundleFault(f"{_name_row(place, part)}: the export has no such revision.")
        if row.document.path in there:
            raise BundleFault(f"{_name_row(place, part)}: the revision has this path already.")
        there[row.document.path] = {key: part[key] for key in part if key != "revision"}
    return rows


def _name_row(place: str, part: Any) -> str:
    fields = part if isinstance(part, Mapping) else {}
    document = fields.get("document")
    path = document.get("path") if isinstance(document, Mapping) else None
    entry = {"revision": fields.get("revision"), "path": path}
    return name_item(place, {"kind": "revision_entry", "revision_entry": entry})


def _told_apart(revisions: Sequence[Fields], rows: Rows) -> tuple[list[Fields], list[Fields]]:
    """The document versions that rows amount to, and which revision holds which."""
    documents: list[Fields] = []
    entries: list[Fields] = []
    written: dict[str | None, dict[str, str]] = {}
    for revision in revisions:
        parent, here = revision["parent_revision"], revision["id"]
        written[here] = {}
        for path, row in sorted(rows[here].items()):
            if parent is None or rows[parent].get(path) != row:
                documents.append({"id": new_id("document"), **row})
                written[here][path] = documents[-1]["id"]
            else:
                written[here][path] = written[parent][path]
            document = written[here][path]
            entries.append({"revision": here, "path": path, "document_version": document})
    return sorted(documents, key=itemgetter("id")), entries


def _pages(store_id: str, kinds: Mapping[str, Sequence[Fields]]) -> Iterator[CheckedPage]:
    manifest = Manifest.model_validate(
        {
            "format": FORMAT,
            "version": 2,
            "source_store": store_id,
            "scope": {"kind": "container"},
            "generation": 0,
            "as_of": render_time(now()),
            **{f"{kind}_count": len(fields) for kind, fields in kinds.items()},
        }
    )
    items = [{"kind": kind, kind: fields} for kind, parts in kinds.items() for fields in parts]
    pages = list(batched(items, MAX_PAGE_ITEMS))
    for ordinal, page in enumerate(pages):
        yield checked_page(manifest, ordinal, page, is_last=ordinal == len(pages) - 1)
