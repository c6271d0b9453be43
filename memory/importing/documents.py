"""Fences and document versions of an export (contract I1, X1)."""

from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from database.rows import copy_rows
from database.transactions import step
from memory.importing.reading import Run
from memory.models import ImportDocument, PathFence
from memory.trees.hashing import parse_hash
from wire.ids import id_from_uuid, uuid_from_id
from wire.times import now, parse_time


def derived_uuid(store: UUID, source: UUID) -> UUID:
    """What a document version of an export is called in the store that is made of it.

    A UUIDv7 of the store's time. Derived, so that entries are compared with the parent's without
    looking up what each document version became.
    """
    drawn = sha256(store.bytes + source.bytes).digest()
    raw = bytearray(store.bytes[:6] + drawn[:10])
    raw[6] = raw[6] & 0x0F | 0x70
    raw[8] = raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))


@step
def take_fences(store_id: str, run: Run) -> None:
    """Fence the paths of an export in the new store, too.

    Raises:
        BundleFault: the paths are not in order.
    """
    fences = PathFence.objects.filter(store=store_id)
    last = fences.order_by("-path").values_list("path", flat=True).first() or ""
    for index, fields in enumerate(run.fields):
        if fields["path"] <= last:
            raise run.fault(index, "fences come by path; this one is not in order")
        last = fields["path"]
    moment = now()
    copy_rows(
        [PathFence(store_id=store_id, path=each["path"], fenced_at=moment) for each in run.fields]
    )


@step
def take_documents(store_id: str, run: Run, last: str) -> str:
    """Keep the next document versions until the revision comes that introduces each.

    Args:
        last: the identifier of the one before them; empty when there is none.

    Returns:
        the identifier of the last of them.

    Raises:
        BundleFault: they are not in order, or a text stands at a path that was redacted.
    """
    paths = [fields["document"]["path"] for fields in run.fields]
    fenced = PathFence.objects.filter(store=store_id, path__in=paths)
    fenced_paths = set(fenced.values_list("path", flat=True))
    for index, fields in enumerate(run.fields):
        if fields["id"] <= last:
            raise run.fault(index, "document versions come by ID; this one is not in order")
        last = fields["id"]
        if fields["body"]["state"] == "available" and paths[index] in fenced_paths:
            raise run.fault(index, f"its text is there, and its path is fenced: {paths[index]}")
    copy_rows([_document(store_id, fields) for fields in run.fields])
    return last


def _document(store_id: str, fields: dict[str, Any]) -> ImportDocument:
    source = uuid_from_id(fields["id"])
    document, body, digest = fields["document"], fields["body"], fields["provenance_sha256"]
    return ImportDocument(
        id=id_from_uuid("document", derived_uuid(uuid_from_id(store_id), source)),
        store_id=store_id,
        source_uuid=source,
        path=document["path"],
        content_sha256=parse_hash(document["content_sha256"]),
        media_type=document["media_type"],
        bytes=document["bytes"],
        provenance_sha256=parse_hash(digest) if digest else None,
        provenance=document["provenance"],
        text=body.get("content"),
        expires_at=_expiry(body),
    )


def _expiry(body: dict[str, Any]) -> datetime | None:
    expires_at = body.get("expires_at")
    return parse_time(expires_at) if expires_at else None
