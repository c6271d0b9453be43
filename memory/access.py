"""Opening a store: fetch, authorise and 404 in one call and one query (contract §0)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypedDict

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from database.compiled import compiled
from database.fields import IdField
from database.transactions import step
from memory.models import Lifecycle, MemoryStore, OwnerKind, Ref, RefKind, StoreImport
from tenancy import authority
from tenancy.authority import permissions_of
from tenancy.caller import Caller, Subject
from tenancy.models import Permission, SubjectKind, TargetKind
from tenancy.recheck import recheck_authority
from wire.errors import NotFound, ReadOnly

GONE = frozenset({Lifecycle.DELETING, Lifecycle.DELETED})
"""Lifecycles in which nothing is told of a store any more (contract X2)."""

HIDDEN = GONE | {Lifecycle.PENDING}
"""Lifecycles in which a store's content routes answer 404 (contract M1)."""

NO_SUCH_STORE = "There is no such memory store."


class BesideStore(TypedDict):
    """What is read of canonical, grants and retention in the statement that fetches a store."""

    granted: list[str]
    canonical_id: str | None
    document_count: int | None
    total_bytes: int | None
    body_lifetime_days: int | None
    zero_data_retention: bool | None


if TYPE_CHECKING:  # only the type checker knows what a queryset adds to its rows
    from django_stubs_ext import WithAnnotations

    type KnownStore = WithAnnotations[MemoryStore, BesideStore]
else:
    KnownStore = MemoryStore


@dataclass(frozen=True, slots=True)
class StoreAccess:
    """A store that this caller may know of, and what they may do with it."""

    caller: Caller
    store: KnownStore
    permissions: frozenset[str]

    @property
    def store_id(self) -> str:
        """The store's identifier."""
        return self.store.id

    def may(self, permission: Permission) -> bool:
        """Whether a check of `permission` would pass."""
        return authority.holds(self.permissions, permission)

    def require(self, permission: Permission) -> None:
        """Raise PolicyDenied naming the missing grant unless the caller holds it.

        On a pending store nobody holds any, and it has no content: NotFound (contract M1).
        """
        if self.store.lifecycle == Lifecycle.PENDING:
            raise NotFound(NO_SUCH_STORE)
        authority.require(self.permissions, permission, self.store_id)

    def require_content(self) -> None:
        """Raise unless the caller may read content here: a grant of read, and a live store.

        Workspace admins know of every store and read none without a grant (contract §0).
        """
        self.require(Permission.READ)
        self.require_visible()

    def require_known(self) -> None:
        """Raise NotFound once the store is being deleted."""
        if self.store.lifecycle in GONE:
            raise NotFound(NO_SUCH_STORE)

    def require_visible(self) -> None:
        """Raise NotFound while the store is pending, deleting or deleted."""
        if self.store.lifecycle in HIDDEN:
            raise NotFound(NO_SUCH_STORE)

    def require_active(self) -> None:
        """Raise NotFound or ReadOnly unless the store takes writes."""
        self.require_visible()
        if self.store.lifecycle != Lifecycle.ACTIVE:
            raise archived()

    @property
    def is_owner(self) -> bool:
        """Whether the caller acts for the principal that owns the store. An agent never does."""
        return (
            self.caller.agent is None
            and self.store.owner_kind == OwnerKind.PRINCIPAL
            and self.store.owner_id == self.caller.acting_principal_id
        )


def archived() -> ReadOnly:
    """The error for a write to an archived store."""
    return ReadOnly("The store is archived and takes no writes.")


def open_store(caller: Caller, store_id: str) -> StoreAccess:
    """Fetch a store of the caller's Workspace that they may know of.

    Raises:
        NotFound: there is none, it is another Workspace's, or the caller may not read it; all
            three answer alike.
    """
    found = _known_store(
        caller.subjects[-1].kind,
        subject_id=caller.subjects[-1].id,
        agent_id=caller.agent and caller.agent.agent_id,
        session_id=caller.agent and caller.agent.session_id,
        workspace_id=caller.workspace_id,
        store_id=store_id,
    )
    if not found:
        raise NotFound(NO_SUCH_STORE)
    access = StoreAccess(caller, found[0], frozenset(found[0].granted))
    if not _may_know(access):
        raise NotFound(NO_SUCH_STORE)
    return access


def open_stores(caller: Caller, store_ids: Collection[str]) -> list[StoreAccess]:
    """The same for several stores at once, by their IDs. One query.

    Raises:
        NotFound: one of them is not there for the caller.
    """
    stores = _stores_of(caller.subjects, caller.workspace_id).filter(id__in=list(store_ids))
    accesses = [
        StoreAccess(caller, store, frozenset(store.granted)) for store in stores.order_by("id")
    ]
    if len(accesses) < len(store_ids) or not all(map(_may_know, accesses)):
        raise NotFound(NO_SUCH_STORE)
    return accesses


def _may_know(access: StoreAccess) -> bool:
    """Whether the caller may know of a store; of a pending one only who began its import (M1)."""
    if access.store.lifecycle == Lifecycle.PENDING:
        begun = StoreImport.objects.filter(begun_by(access.caller), store=access.store_id)
        return begun.exists()
    return access.may(Permission.READ) or access.caller.is_admin


def begun_by(caller: Caller) -> Q:
    """A condition on imports: this credential began it, or one that acts for the same principal."""
    mine = Q(created_by_kind=caller.kind, created_by_uuid=caller.id or None)
    if caller.acting_principal_id and caller.agent is None:
        mine |= Q(acting_principal_uuid=caller.acting_principal_id)
    return mine


@step
def reopened(access: StoreAccess) -> StoreAccess:
    """The access as it stands now: the same when nothing that governs the store has changed.

    That is authority, the retention policy, the store's settings and what was erased of it.

    For the end of a write, when the store's row is locked: what was taken back, or decided about
    the store, before the write commits is not passed by.

    Raises:
        InvalidKey, DisabledTenancy, NotFound, PolicyDenied: what a fresh request would get before
            its grants count.
    """
    return _reopened(access, _marks(store_id=access.store_id)[0])


@step
def all_reopened(accesses: Sequence[StoreAccess]) -> list[StoreAccess]:
    """The same for several stores at once. One query when nothing has changed."""
    stores = MemoryStore.objects.filter(id__in=[access.store_id for access in accesses])
    marks = {row[0]: row[1:] for row in stores.values_list("id", *_MARKS)}
    return [_reopened(access, marks[access.store_id]) for access in accesses]


def _reopened(access: StoreAccess, marks: tuple[int, ...]) -> StoreAccess:
    caller = access.caller
    seen = (caller.authority_epoch, access.store.version, access.store.erasure_epoch)
    if marks == seen and not caller.has_expired:
        return access
    return open_store(recheck_authority(caller), access.store_id)


_MARKS: Final = ("workspace__authority_epoch", "version", "erasure_epoch")
"""What counts changes of a Workspace's authority, of a store's settings and erasures."""


@compiled
def _marks(*, store_id: str) -> QuerySet[MemoryStore, Any]:
    return MemoryStore.objects.filter(id=store_id).values_list(*_MARKS)


@compiled
def _known_store(
    subject_kind: SubjectKind,
    *,
    subject_id: str,
    agent_id: str | None,
    session_id: str | None,
    workspace_id: str,
    store_id: str,
) -> QuerySet[Any]:
    subjects = [Subject(subject_kind, subject_id)]
    if agent_id:
        subjects.insert(0, Subject(SubjectKind.AGENT, agent_id, session_id))
    return _stores_of(subjects, workspace_id).filter(id=store_id)


def _stores_of(subjects: Sequence[Subject], workspace_id: str) -> QuerySet[Any]:
    """A Workspace's stores, each with what its subjects hold on it and what canonical holds."""
    canonical = Ref.objects.filter(store=OuterRef("id"), kind=RefKind.CANONICAL)
    return MemoryStore.objects.filter(workspace=workspace_id).annotate(
        granted=permissions_of(subjects, workspace_id, TargetKind.STORE, OuterRef("id")),
        canonical_id=Subquery(canonical.values("version"), output_field=IdField("version")),
        document_count=Subquery(canonical.values("version__document_count")),
        total_bytes=Subquery(canonical.values("version__total_bytes")),
        body_lifetime_days=F("workspace__retention_policy__body_lifetime_days"),
        zero_data_retention=F("workspace__retention_policy__zero_data_retention"),
    )


def listable_stores(caller: Caller) -> QuerySet[Any]:
    """The stores that a list shows: readable ones, or all of them for an admin.

    A pending one is shown to who began its import, and to nobody else (contract M1).
    """
    begun = Exists(StoreImport.objects.filter(begun_by(caller), store=OuterRef("id")))
    stores = _stores_of(caller.subjects, caller.workspace_id).exclude(lifecycle__in=GONE)
    stores = stores.filter(~Q(lifecycle=Lifecycle.PENDING) | Q(begun))
    if caller.is_admin:
        return stores
    readable = authority.readable(TargetKind.STORE, caller, "id")
    return stores.filter(readable | Q(lifecycle=Lifecycle.PENDING))
