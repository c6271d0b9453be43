"""Documents and versions of many stores at once, by a part of a path or of a message."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from database.arrays import array_literal
from memory.models import DocumentVersion, MemoryVersion
from wire.ids import id_from_uuid, uuid_from_id

_DOCUMENTS = """
SELECT r.store_id, r.version_id, entry.path, entry.document_version
FROM memory_ref r
JOIN memory_versiontree t ON t.version_id = r.version_id
CROSS JOIN unnest(t.pages) page(id)
JOIN memory_treepage p ON p.id = page.id
CROSS JOIN unnest(p.paths, p.document_versions) entry(path, document_version)
WHERE r.kind = 'canonical'
  AND r.store_id = ANY(%(stores)s::uuid[])
  AND position(lower(%(text)s) IN lower(entry.path)) > 0
LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document of some store's canonical."""

    store_id: str
    version_id: str
    path: str
    document_id: str


def find_documents(store_ids: Collection[str], text: str, *, limit: int) -> list[FoundDocument]:
    """Documents of canonical whose path contains a text, whatever its case. One query.

    Reads the paths of those stores until it has found enough, in no order: bound the stores.
    """
    values: dict[str, Any] = {
        "stores": array_literal([uuid_from_id(store_id) for store_id in store_ids]),
        "text": text,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(_DOCUMENTS, values)
        return [
            FoundDocument(
                id_from_uuid("store", store),
                id_from_uuid("version", version),
                path,
                id_from_uuid("document", document),
            )
            for store, version, path, document in cursor.fetchall()
        ]


def find_versions(stores: QuerySet[Any], text: str) -> QuerySet[MemoryVersion]:
    """Versions whose message contains a text, newest first, each with its store and note."""
    told = Q(note__message__icontains=text)
    versions = MemoryVersion.objects.filter(told, store__in=stores)
    return versions.select_related("store", "note").order_by("-id")


def store_of_version(workspace_id: str, version_id: str) -> str | None:
    """The store that a version of the Workspace is in."""
    versions = MemoryVersion.objects.filter(id=version_id, store__workspace=workspace_id)
    return versions.values_list("store", flat=True).first()


def written_document(workspace_id: str, document_id: str) -> DocumentVersion | None:
    """A document as it was written once, without its text."""
    documents = DocumentVersion.objects.filter(id=document_id, store__workspace=workspace_id)
    return documents.first()
