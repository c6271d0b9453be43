"""Texts of an export: each document version is introduced by the first revision that holds it."""

from collections.abc import Collection
from datetime import datetime
from itertools import batched
from typing import Final

from database.rows import copy_rows
from database.transactions import step
from memory.documents.bodies import body_row
from memory.models import BodyErasure, DocumentBody, DocumentVersion, ImportDocument, MemoryVersion
from wire.times import earliest, now

FULL_BYTES: Final = 4 * 1024 * 1024
FULL_DOCUMENTS: Final = 2_000
FETCHED_AT_ONCE: Final = 100


class TextWriter:
    """Writes document versions with their bodies, as much as fits into a batch."""

    def __init__(self, store_id: str, ceiling: datetime | None) -> None:
        """Begin a batch.

        Args:
            ceiling: when the texts have to go, by the retention policy; one that brings an
                earlier ceiling along keeps that.
        """
        self._store_id = store_id
        self._ceiling = ceiling
        self._moment = now()
        self._written: set[str] = set()
        self._bytes = 0
        self._documents: list[DocumentVersion] = []
        self._bodies: list[DocumentBody] = []
        self._erasures: list[BodyErasure] = []

    @property
    def has_room(self) -> bool:
        """Whether more fits into the batch."""
        return self._bytes < FULL_BYTES and len(self._written) < FULL_DOCUMENTS

    def write(self, version: MemoryVersion, documents: Collection[ImportDocument]) -> bool:
        """Write those that no revision before has introduced. Returns whether all fitted."""
        ids = {document.id for document in documents} - self._written
        stored = DocumentVersion.objects.filter(id__in=ids).values_list("id", flat=True)
        for some in batched(sorted(ids - set(stored)), FETCHED_AT_ONCE):
            if not self.has_room:
                return False
            for document in ImportDocument.objects.filter(id__in=some).order_by("id"):
                self._write(version, document)
        return True

    @step
    def store(self) -> None:
        """Store what was written since it was last called."""
        for rows in (self._documents, self._bodies, self._erasures):
            copy_rows(rows)
            rows.clear()

    def _write(self, version: MemoryVersion, document: ImportDocument) -> None:
        expires_at = (
            earliest([document.expires_at, self._ceiling]) if document.text is not None else None
        )
        row = DocumentVersion(
            id=document.id,
            store_id=self._store_id,
            path=document.path,
            content_sha256=document.content_sha256,
            media_type=document.media_type,
            bytes=document.bytes,
            provenance_sha256=document.provenance_sha256,
            introduced_by=version,
            expires_at=expires_at,
        )
        self._written.add(document.id)
        self._documents.append(row)
        self._bytes += document.bytes
        reason = self._erased(document, expires_at)
        if reason:
            self._erasures.append(
                BodyErasure(document_version=row, reason=reason, erased_at=self._moment)
            )
        else:
            self._bodies.append(body_row(row, document.text or "", document.provenance))

    def _erased(
        self, document: ImportDocument, expires_at: datetime | None
    ) -> BodyErasure.Reason | None:
        """Why a document has no body here; one that expired on its way is not kept either."""
        if document.text is None:
            return BodyErasure.Reason.IMPORTED
        if expires_at is not None and expires_at <= self._moment:
            return BodyErasure.Reason.EXPIRED
        return None
