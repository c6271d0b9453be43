"""Texts that a Proposal writes again because some version holds them already (contract P4, C3)."""

from collections.abc import Collection

from django.db import connection

from database.arrays import array_literal
from database.transactions import step
from memory.models import DocumentVersion
from memory.trees.editing import TreeEntry
from memory.versions.sealing import Change, Put
from wire.errors import Conflict, name_some
from wire.ids import id_from_uuid
from wire.times import has_passed

_HOLD = """
SELECT FROM memory_documentbody WHERE document_version_id = ANY(%s::uuid[])
ORDER BY document_version_id FOR KEY SHARE
"""


@step
def copies_of(entries: Collection[TreeEntry]) -> dict[str, Change]:
    """What writes these entries again, by path. One query.

    Each text brings its own ceiling along, so that it does not outlive what it copies. What
    erases one of them waits until the copy is stored, or is seen here: nothing is copied that is
    gone by then.

    Raises:
        Conflict: naming the paths whose text is erased.
    """
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [array_literal([entry.document_version for entry in entries])])
    ids = [id_from_uuid("document", entry.document_version) for entry in entries]
    documents = DocumentVersion.objects.select_related("body").defer("body__search_vector")
    rows = documents.in_bulk(ids).values()
    puts: dict[str, Change] = {row.path: _put(row) for row in rows if _is_there(row)}
    erased = sorted(entry.path for entry in entries if entry.path not in puts)
    if erased:
        raise Conflict(f"The text to propose again is erased: {name_some(erased)}.")
    return puts


def _is_there(row: DocumentVersion) -> bool:
    return hasattr(row, "body") and not has_passed(row.expires_at)


def _put(row: DocumentVersion) -> Put:
    return Put(
        text=row.body.text,
        media_type=row.media_type,
        provenance=row.body.provenance,
        provenance_sha256=row.provenance_sha256,
        expires_at=row.expires_at,
    )
