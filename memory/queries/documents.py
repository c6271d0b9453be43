"""Documents at an exact version (contract R1, R3)."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile
from typing import Any
from uuid import UUID

from django.db import connection

from database.arrays import array_literal
from memory.documents.paths import is_under
from memory.models import BodyErasure, PathFence
from memory.trees.editing import PagedTree, TreeEntry
from memory.trees.storage import load_tree
from wire.errors import NotFound
from wire.ids import id_from_uuid, uuid_from_id
from wire.times import now, render_time

_READ = """
SELECT v.id, d.id, d.content_sha256, d.media_type, d.bytes, d.provenance_sha256, d.expires_at,
       d.introduced_by_id, b.text, b.provenance, e.reason, e.erased_at
FROM memory_memoryversion v
JOIN memory_versiontree t ON t.version_id = v.id
LEFT JOIN memory_treepage p
       ON p.id = t.pages[width_bucket(%(path)s COLLATE "C", t.first_paths)]
LEFT JOIN memory_documentversion d
       ON d.id = p.document_versions[array_position(p.paths, %(path)s COLLATE "C")]
LEFT JOIN memory_documentbody b ON b.document_version_id = d.id
LEFT JOIN memory_bodyerasure e ON e.document_version_id = d.id
WHERE v.store_id = %(store)s AND v.id = {version}
"""
_AT_VERSION = _READ.format(version="%(version)s")
_AT_CANONICAL = _READ.format(
    version="""(
        SELECT version_id FROM memory_ref
        WHERE store_id = %(store)s AND kind = 'canonical' AND owner_uuid IS NULL
    )"""
)


_DESCRIBE = """
SELECT d.id, v.id, v.created_at, d.expires_at, e.reason, e.erased_at
FROM memory_documentversion d
JOIN memory_memoryversion v ON v.id = d.introduced_by_id
LEFT JOIN memory_bodyerasure e ON e.document_version_id = d.id
WHERE d.id = ANY(%s::uuid[])
"""


@dataclass(frozen=True, slots=True)
class Erasure:
    """That a body is gone, why and since when (contract M7)."""

    reason: str
    erased_at: datetime

    def sentence(self, subject: str) -> str:
        """A sentence for people and clients."""
        return f"The body of {subject} was erased ({self.reason}) at {render_time(self.erased_at)}."


@dataclass(frozen=True, slots=True)
class DocumentAt:
    """A document as one exact version holds it. `text` is None when its body was erased."""

    store_id: str
    version_id: str
    document_id: str
    path: str
    content_sha256: bytes
    media_type: str
    size: int
    provenance: dict[str, Any] | None
    provenance_sha256: bytes | None
    expires_at: datetime | None
    introduced_by: str
    text: str | None
    erasure: Erasure | None


def read_document(store_id: str, path: str, version_id: str | None = None) -> DocumentAt:
    """Read a document at an exact version, or at canonical resolved once. One statement.

    The answer may be an erased document: `text` is None then and `erasure` says why.

    Raises:
        NotFound: the store has no such version, or the version no such document.
    """
    arguments: dict[str, Any] = {"store": uuid_from_id(store_id), "path": path}
    if version_id:
        arguments["version"] = uuid_from_id(version_id)
    with connection.cursor() as cursor:
        cursor.execute(_AT_VERSION if version_id else _AT_CANONICAL, arguments)
        row = cursor.fetchone()
    if row is None:
        raise NotFound("The store has no such version.")
    if row[1] is None:
        raise _not_in_tree(store_id, path, id_from_uuid("version", row[0]))
    return _document_at(store_id, path, row)


def _not_in_tree(store_id: str, path: str, version_id: str) -> NotFound:
    """The error for a path that is not in a tree; a redaction may have taken it."""
    if PathFence.objects.filter(store=store_id, path=path).exists():
        return NotFound(f"This path was redacted; {version_id} has no document there.")
    return NotFound(f"There is no document at this path in {version_id}.")


def _document_at(store_id: str, path: str, row: tuple[Any, ...]) -> DocumentAt:
    expires_at, text = row[6], row[8]
    erasure = erasure_of(text, expires_at, row[10], row[11])
    return DocumentAt(
        store_id=store_id,
        version_id=id_from_uuid("version", row[0]),
        document_id=id_from_uuid("document", row[1]),
        path=path,
        content_sha256=bytes(row[2]),
        media_type=row[3],
        size=row[4],
        provenance=json.loads(row[9]) if row[9] and erasure is None else None,
        provenance_sha256=row[5] and bytes(row[5]),
        expires_at=expires_at,
        introduced_by=id_from_uuid("version", row[7]),
        text=text if erasure is None else None,
        erasure=erasure,
    )


class BodyMissing(Exception):
    """A body's row is gone, and no erasure says why: somebody edited behind our back.

    `manage.py verify` finds all of these.
    """


def erasure_of(
    text: str | None, expires_at: datetime | None, reason: str | None, erased_at: datetime | None
) -> Erasure | None:
    """Whether a body counts as erased: its row is gone, or its ceiling has passed (X3).

    Raises:
        BodyMissing: the row is gone, and nothing is recorded of why and when.
    """
    if text is None:
        if reason is None or erased_at is None:
            raise BodyMissing
        return Erasure(reason, erased_at)
    if expires_at is not None and expires_at <= now():
        return Erasure(BodyErasure.Reason.EXPIRED, expires_at)
    return None


def require_text(document: DocumentAt) -> str:
    """The document's text. Raises NotFound saying erased and why."""
    if document.text is None:
        assert document.erasure is not None
        raise NotFound(document.erasure.sentence("this document"))
    return document.text


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A row of a tree listing."""

    path: str
    document_id: str
    content_sha256: bytes
    media_type: str
    size: int
    introduced_by: str
    introduced_at: datetime
    expires_at: datetime | None
    erasure: Erasure | None


def list_documents(
    version_id: str, *, prefix: str = "", after: str | None = None, limit: int
) -> list[ListedDocument]:
    """The documents of a version under a prefix, by path bytes, behind `after`.

    Reads the pages it needs and no others: the cost is that of `limit`, not of the tree.

    Args:
        prefix: as `parse_prefix` has it; empty for the whole tree.
    """
    tree = load_tree(version_id)
    directory = _as_directory(tree, prefix)
    start = directory if after is None else max(directory, after + "\x00")
    under = takewhile(lambda entry: is_under(entry.path, directory), tree.entries_from(start))
    return describe_entries(islice(under, limit))


def _as_directory(tree: PagedTree, prefix: str) -> str:
    """The prefix as a directory; the path itself when it names a document.

    A document is never another's directory (contract M2), so a name is one of the two.
    """
    if prefix.endswith("/") or not prefix:
        return prefix
    return prefix if tree.find(prefix) else prefix + "/"


@dataclass(frozen=True, slots=True)
class Directory:
    """One level of a tree: what stands directly in a directory, and where to continue.

    `after` is the last name shown when there is more behind it, else None.
    """

    directories: list[str]
    documents: list[ListedDocument]
    after: str | None


def list_directory(
    version_id: str, directory: str = "/", *, after: str | None = None, limit: int
) -> Directory:
    """One level of a version's tree, in path order, stepping over what is below.

    Args:
        directory: `/` or a path that ends in a slash.
        after: continue behind this path (a document's, or a directory's with its slash).
    """
    tree = load_tree(version_id)
    names: list[str] = []
    found: list[TreeEntry] = []
    position, last = _behind(after) if after else directory, None
    while (entry := tree.first_from(position)) and entry.path.startswith(directory):
        if len(names) + len(found) == limit:
            return Directory(names, describe_entries(found), last)
        name, slash, _ = entry.path[len(directory) :].partition("/")
        last = directory + name + slash
        names.append(last) if slash else found.append(entry)
        position = _behind(last)
    return Directory(names, describe_entries(found), None)


def _behind(path: str) -> str:
    """The least text behind a document's path, or behind all that is in a directory."""
    return path[:-1] + chr(ord("/") + 1) if path.endswith("/") else path + "\x00"


def find_paths(version_id: str, text: str, *, limit: int) -> list[ListedDocument]:
    """The documents whose path contains a text, whatever its case, in path order."""
    wanted = text.casefold()
    matching = (
        entry for entry in load_tree(version_id).entries_from() if wanted in entry.path.casefold()
    )
    return describe_entries(islice(matching, limit))


def describe_entries(entries: Iterable[TreeEntry]) -> list[ListedDocument]:
    """Add to tree entries who wrote them when, and whether their bodies are still there."""
    wanted = list(entries)
    ids = array_literal([entry.document_version for entry in wanted])
    with connection.cursor() as cursor:
        cursor.execute(_DESCRIBE, [ids])
        rows = {row[0]: row[1:] for row in cursor.fetchall()}
    return [_listed(entry, *rows[entry.document_version]) for entry in wanted]


def _listed(
    entry: TreeEntry,
    introduced_by: UUID,
    introduced_at: datetime,
    expires_at: datetime | None,
    reason: str | None,
    erased_at: datetime | None,
) -> ListedDocument:
    return ListedDocument(
        path=entry.path,
        document_id=id_from_uuid("document", entry.document_version),
        content_sha256=entry.content_sha256,
        media_type=entry.media_type,
        size=entry.size,
        introduced_by=id_from_uuid("version", introduced_by),
        introduced_at=introduced_at,
        expires_at=expires_at,
        erasure=erasure_of("" if reason is None else None, expires_at, reason, erased_at),
    )
