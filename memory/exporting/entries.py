"""Revision entries: what each version holds at each path, read through tree pages (E2, E3).

A store of 10,000 documents and 1,000 versions has ten million of them, and none has a row of its
own. Going on behind one costs the same wherever it stands: the version is found by an index, the
path by the first paths of the version's pages.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from memory.exporting.items import Item, Key, entry_item
from memory.trees.storage import load_trees
from wire.ids import id_from_uuid, uuid_from_id

PAGES_AHEAD: Final = 4
"""Tree pages of a large version fetched together: about 256 entries."""

_FROM = """
SELECT id, depth, document_count FROM memory_memoryversion
WHERE store_id = %(store)s AND (depth, id) >= (%(depth)s, %(id)s)
ORDER BY depth, id LIMIT %(limit)s
"""


class _Line(NamedTuple):
    """A version, and how many entries it has."""

    id: str
    depth: int
    entries: int


def entries_behind(store_id: str, key: Key | None, ahead: int) -> Iterator[Item]:
    """The entries behind one, by their version's place among the revisions, then by path.

    Args:
        ahead: about how many will be taken.
    """
    depth, version_id, path = key or (0, "memver_" + "0" * 32, "")
    while lines := _lines_from(store_id, depth, str(version_id), ahead):
        trees = load_trees([line.id for line in lines], at_once=PAGES_AHEAD)
        for line in lines:
            start = f"{path}\0" if line.id == version_id and path else ""
            for entry in trees[line.id].entries_from(start, ahead=PAGES_AHEAD):
                yield entry_item(line.depth, line.id, entry.path, entry.document_version)
        depth, version_id, path = lines[-1].depth, _next_id(lines[-1].id), ""


def _lines_from(store_id: str, depth: Any, version_id: str, ahead: int) -> list[_Line]:
    """As many versions from one on as it takes to have `ahead` entries, or all that are left."""
    values = {
        "store": uuid_from_id(store_id),
        "depth": depth,
        "id": uuid_from_id(version_id),
        "limit": ahead,
    }
    with connection.cursor() as cursor:
        cursor.execute(_FROM, values)
        rows = cursor.fetchall()
    lines: list[_Line] = []
    found = 0
    for row_id, row_depth, entries in rows:
        lines.append(_Line(id_from_uuid("version", row_id), row_depth, entries))
        found += entries
        if found >= ahead:
            break
    return lines


def _next_id(version_id: str) -> str:
    """The least identifier behind one."""
    return id_from_uuid("version", UUID(int=uuid_from_id(version_id).int + 1))
