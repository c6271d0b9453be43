"""Bodies as rows: a text never goes without the words that search finds it by (contract M7, Q1)."""

from typing import Any

from memory.models import DocumentBody, DocumentVersion
from memory.search.vectors import document_vector
from wire.ids import uuid_from_id


def body_row(
    document: DocumentVersion, text: str, provenance: dict[str, Any] | None
) -> DocumentBody:
    """The body of a document version as its row, not yet stored.

    Args:
        provenance: as the export spells it.
    """
    return DocumentBody(
        document_version=document,
        text=text,
        provenance=provenance,
        search_vector=document_vector(uuid_from_id(document.store_id), document.path, text),
    )
