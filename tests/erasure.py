"""Erases bodies and messages as later work will: the row goes, a BodyErasure says why (M7)."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import F

from memory.models import BodyErasure, DocumentBody, MemoryStore, VersionNote
from wire.times import now


@transaction.atomic
def erase_bodies(
    store_id: str,
    documents: Collection[str],
    reason: BodyErasure.Reason = BodyErasure.Reason.REDACTED,
) -> None:
    """Erase the bodies of some document versions (`mdoc_…`) and count the store's erasures."""
    gone, _ = DocumentBody.objects.filter(document_version__in=documents).delete()
    assert gone == len(documents)
    moment = now()
    BodyErasure.objects.bulk_create(
        BodyErasure(document_version_id=one, reason=reason, erased_at=moment) for one in documents
    )
    _count(store_id)


@transaction.atomic
def erase_message(store_id: str, version_id: str) -> None:
    """Blank the message of a version."""
    assert VersionNote.objects.filter(version=version_id).update(message=None)
    _count(store_id)


def _count(store_id: str) -> None:
    MemoryStore.objects.filter(id=store_id).update(
        erasure_epoch=F("erasure_epoch") + 1, generation=F("generation") + 1
    )
