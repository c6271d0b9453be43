"""Document versions: a body with the very bytes, or a reason why there is none."""

from collections.abc import Iterator, Sequence

from memory.documents.provenance import provenance_sha256
from memory.models import BodyErasure, DocumentBody, DocumentVersion
from memory.trees.hashing import content_sha256
from memory.verification.findings import Finding


def check_documents(_store_id: str, documents: Sequence[DocumentVersion]) -> Iterator[Finding]:
    """Compute digests again. Bodies and erasures come with the rows, in one snapshot."""
    for document in documents:
        body = getattr(document, "body", None)
        erasure = getattr(document, "erasure", None)
        for what in _faults(document, body, erasure):
            yield Finding(what, document.id)


def _faults(
    document: DocumentVersion, body: DocumentBody | None, erasure: BodyErasure | None
) -> Iterator[str]:
    if body is None:
        if erasure is None:
            yield "body_missing"
        return
    if erasure is not None:
        yield "body_kept"
    raw = body.text.encode()
    if content_sha256(raw) != document.content_sha256 or len(raw) != document.bytes:
        yield "body_content"
    if _digest(body) != document.provenance_sha256:
        yield "body_provenance"


def _digest(body: DocumentBody) -> bytes | None:
    return None if body.provenance is None else provenance_sha256(body.provenance)
