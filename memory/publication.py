"""Reading is publishing: one last look before content leaves (contract R5).

Acquire content, render it to bytes, call `recheck`, send. Ordinary writes refuse no reader:
only authority, the store's lifecycle and erasures of the very bodies read are looked at.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, InterfaceError
from django.db.models import Q
from tenancy.recheck import recheck_authority

from memory.access import HIDDEN, NO_SUCH_STORE, StoreAccess, open_store
from memory.models import DocumentBody, MemoryStore
from wire.errors import AuthorizationUnavailable, Conflict, NotFound
from wire.times import now


@dataclass(frozen=True, slots=True)
class Acquired:
    """What was read and is about to be released.

    Attributes:
        access: the authority it was read under.
        bodies: the document versions whose text is in it (`mdoc_…`).
        expires_at: the earliest ceiling of those bodies.
        whole: True for a single document, whose erasure answers 404; False for lists, diffs
            and the like, which answer 409.
    """

    access: StoreAccess
    bodies: Collection[str] = ()
    expires_at: datetime | None = None
    whole: bool = False


def recheck(acquired: Acquired) -> None:
    """Look again in a fresh snapshot and refuse what may not be released any more.

    Raises:
        NotFound, Conflict: a body that was read has been erased or has expired since, or the
            store is being deleted.
        InvalidKey, DisabledTenancy, PolicyDenied: what a fresh request would get.
        AuthorizationUnavailable: the question could not be answered; retry.
    """
    access = acquired.access
    try:
        authority_epoch, erasure_epoch, lifecycle = _look(access.store_id)
        if authority_epoch != access.caller.authority_epoch or access.caller.has_expired:
            _reauthorise(access)
        if lifecycle in HIDDEN:
            raise NotFound(NO_SUCH_STORE)
        if acquired.bodies:
            _require_bodies(acquired, erasure_epoch)
    except (DatabaseError, InterfaceError) as error:
        raise AuthorizationUnavailable(
            "Whether this may still be released could not be established. Retry the request."
        ) from error


def _look(store_id: str) -> tuple[int, int, str]:
    row = (
        MemoryStore.objects.filter(id=store_id)
        .values_list("workspace__authority_epoch", "erasure_epoch", "lifecycle")
        .first()
    )
    if row is None:
        raise NotFound(NO_SUCH_STORE)
    return row


def _reauthorise(access: StoreAccess) -> None:
    caller = recheck_authority(access.caller)
    open_store(caller, access.store_id).require_content()


def _require_bodies(acquired: Acquired, erasure_epoch: int) -> None:
    """Check that every body is still there, when anything can have gone at all."""
    elapsed = acquired.expires_at is not None and acquired.expires_at <= now()
    if erasure_epoch == acquired.access.store.erasure_epoch and not elapsed:
        return
    living = DocumentBody.objects.filter(
        Q(document_version__expires_at=None) | Q(document_version__expires_at__gt=now()),
        document_version__in=list(acquired.bodies),
    ).count()
    if living != len(set(acquired.bodies)):
        message = "A body that this answer holds was erased while it was prepared."
        raise NotFound(message) if acquired.whole else Conflict(message)
