"""Erasing bodies whose ceiling has passed (contract X3).

No read tells a body after its ceiling, swept or not; a sweep only takes the row away.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from jobs.models import Job, JobState
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.access import GONE
from memory.erasure.sweeps import Due, sweep
from memory.models import BodyErasure, DocumentBody, DocumentVersion
from wire.times import now

EXPIRE: Final = "retention.expire"
BATCH: Final = 500

LATECOMERS: Final = timedelta(days=1)
"""How long a write may take that brings an earlier ceiling along, so that no sweep misses it."""


def register() -> None:
    """Let workers erase what has expired in a Workspace."""
    register_kind(JobKind(EXPIRE, expire))


def expire(work: Work) -> Progress:
    """Erase the next bodies whose ceiling has passed."""
    assert work.workspace_id
    since = _swept_until(work.workspace_id)

    def find_due(store_id: str, behind: str | None) -> Due:
        return _expired(store_id, behind, since)

    return sweep(work, find_due, BodyErasure.Reason.EXPIRED)


def has_expired_bodies(workspace_id: str) -> bool:
    """Whether there is a body left whose ceiling has passed."""
    left = Exists(DocumentBody.objects.filter(document_version=OuterRef("id")))
    passed = _passed(_swept_until(workspace_id)).filter(left, store__workspace=workspace_id)
    return passed.exclude(store__lifecycle__in=GONE).exists()


def _expired(store_id: str, behind: str | None, since: datetime | None) -> Due:
    passed = _passed(since).filter(store=store_id).order_by("expires_at", "id")
    if behind:
        ceiling = DocumentVersion.objects.values_list("expires_at", flat=True).get(id=behind)
        passed = passed.filter(Q(expires_at__gt=ceiling) | Q(expires_at=ceiling, id__gt=behind))
    found = list(passed.values_list("id", flat=True)[:BATCH])
    return Due(found, found[-1] if len(found) == BATCH else None)


def _passed(since: datetime | None) -> QuerySet[DocumentVersion]:
    """The document versions whose ceiling has passed, without those that a sweep went through."""
    passed = DocumentVersion.objects.filter(expires_at__lte=now())
    return passed.filter(expires_at__gt=since) if since else passed


def _swept_until(workspace_id: str) -> datetime | None:
    """The ceiling up to which nothing can be left since the last sweep that ended well."""
    swept = Job.objects.filter(
        workspace=workspace_id, kind=EXPIRE, state=JobState.SUCCEEDED
    ).order_by("-id")
    created = swept.values_list("created_at", flat=True).first()
    return created - LATECOMERS if created else None
