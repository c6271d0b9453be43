"""Reading is publishing: one last look before content leaves (contract R5).

Acquire content, render it to bytes, call `recheck`, send. Ordinary writes refuse no reader:
only authority, the store's lifecycle and erasures of the very texts read are looked at.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.db.models import Q, QuerySet

from database.compiled import compiled
from memory.access import HIDDEN, NO_SUCH_STORE, StoreAccess, open_store
from memory.models import DocumentBody, MemoryStore, VersionNote
from tenancy.recheck import recheck_authority
from wire.errors import AuthorizationUnavailable, Conflict, NotFound
from wire.times import has_passed, now


@dataclass(frozen=True, slots=True)
class Held:
    """Words beside documents that an answer holds, by the rows that a room keeps them in.

    Attributes:
        rows: those of them that still have their words; not evaluated yet.
        count: how many had them when they were read.
    """

    rows: QuerySet[Any]
    count: int

    def is_intact(self) -> bool:
        """Whether no word of them has been erased since."""
        return not self.count or self.rows.count() == self.count


@dataclass(frozen=True, slots=True)
class Acquired:
    """What was read and is about to be released.

    Attributes:
        access: the authority it was read under.
        bodies: the document versions whose text it holds or calls available (`mdoc_…`).
        notes: the versions whose message it holds (`memver_…`).
        held: other words that it holds, as higher rooms keep them.
        expires_at: the earliest ceiling of those bodies.
        whole: True for a single document, whose erasure answers 404; False for lists, diffs
            and the like, which answer 409.
    """

    access: StoreAccess
    bodies: Collection[str] = ()
    notes: Collection[str] = ()
    held: Collection[Held] = ()
    expires_at: datetime | None = None
    whole: bool = False


def recheck(acquired: Acquired) -> None:
    """Look again in a fresh snapshot and refuse what may not be released any more.

    One query when nothing of it changed since the store was opened.

    Raises:
        NotFound, Conflict: a text that was read has been erased or has expired since, or the
            store is being deleted.
        InvalidKey, DisabledTenancy, PolicyDenied: what a fresh request would get.
        AuthorizationUnavailable: the question could not be answered; retry.
    """
    erasure_epoch = _recheck_authority(acquired.access)
    erased = erasure_epoch != acquired.access.store.erasure_epoch
    if (erased or has_passed(acquired.expires_at)) and not _is_intact(acquired):
        message = "A text that this answer holds was erased while it was prepared."
        raise NotFound(message) if acquired.whole else Conflict(message)


def _recheck_authority(access: StoreAccess) -> int:
    """Ask again for what may have changed; return the store's erasure epoch now."""
    try:
        authority_epoch, erasure_epoch, lifecycle = _look(access.store_id)
        if authority_epoch != access.caller.authority_epoch or access.caller.has_expired:
            caller = recheck_authority(access.caller)
            open_store(caller, access.store_id).require_content()
    except (DatabaseError, InterfaceError) as error:
        raise AuthorizationUnavailable(
            "Whether this may still be released could not be established. Retry the request."
        ) from error
    if lifecycle in HIDDEN:
        raise NotFound(NO_SUCH_STORE)
    return erasure_epoch


def _look(store_id: str) -> tuple[int, int, str]:
    found = _epochs(store_id=store_id)
    if not found:
        raise NotFound(NO_SUCH_STORE)
    authority_epoch, erasure_epoch, lifecycle = found[0]
    return authority_epoch, erasure_epoch, lifecycle


@compiled
def _epochs(*, store_id: str) -> QuerySet[MemoryStore, Any]:
    stores = MemoryStore.objects.filter(id=store_id)
    return stores.values_list("workspace__authority_epoch", "erasure_epoch", "lifecycle")


def _is_intact(acquired: Acquired) -> bool:
    """Whether all that was read is still there."""
    bodies, notes = set(acquired.bodies), set(acquired.notes)
    unexpired = Q(document_version__expires_at=None) | Q(document_version__expires_at__gt=now())
    living = DocumentBody.objects.filter(unexpired, document_version__in=bodies)
    told = VersionNote.objects.filter(version__in=notes, message__isnull=False)
    own_are = living.count() == len(bodies) and told.count() == len(notes)
    return own_are and all(held.is_intact() for held in acquired.held)
