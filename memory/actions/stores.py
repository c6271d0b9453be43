"""Creating, changing and archiving stores (contract M1, M6)."""

from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import F

from database.transactions import durable, step
from memory import receipts, refs
from memory.access import HIDDEN, StoreAccess, open_store, reopened
from memory.actors import Actor, actor_of
from memory.agents import refuse_agents
from memory.models import (
    SHARED_OWNERS,
    CanonicalWrites,
    Lifecycle,
    MemoryStore,
    OwnerKind,
    SelfApproval,
    VersionKind,
)
from memory.reviewrules import ReviewRule, require_reviewers
from memory.versions.sealing import draft, seal
from tenancy import registry
from tenancy.actions.permissions import assign_to_owner
from tenancy.audit import record
from tenancy.authority import require, workspace_permissions
from tenancy.caller import Caller, Subject
from tenancy.models import Permission, SubjectKind
from wire.errors import ApiError, Conflict, Malformed, PolicyDenied
from wire.idempotency import IdempotencyKey
from wire.ids import new_id
from wire.times import now

OWNER_SUBJECTS = {
    OwnerKind.PRINCIPAL: SubjectKind.PRINCIPAL,
    OwnerKind.AGENT_DEFINITION: SubjectKind.AGENT,
    OwnerKind.SESSION: SubjectKind.SESSION,
    OwnerKind.COLLABORATION_SPACE: SubjectKind.COLLABORATION_SPACE,
}
"""Owners that creation grants read and write; a Workspace is granted nothing (M6)."""

GOVERNING: Final = ("canonical_writes", "self_approval", "minimum_approvals", "review_rules")
"""Settings that decide how review works, and so need `admin` (contract §0)."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who owns a store."""

    kind: OwnerKind
    id: str


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What a store is made with."""

    name: str
    owner: Owner
    description: str = ""
    canonical_writes: CanonicalWrites | None = None
    self_approval: SelfApproval = SelfApproval.DENIED
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def lifts_review(self) -> bool:
        """Whether the truth of many may move without somebody else's review."""
        return self.owner.kind in SHARED_OWNERS and (
            self.canonical_writes == CanonicalWrites.DIRECT
            or self.self_approval == SelfApproval.ALLOWED
        )


@dataclass(frozen=True, slots=True)
class StoreChanges:
    """New values for some of a store's settings; None leaves one as it is."""

    name: str | None = None
    description: str | None = None
    metadata: dict[str, str] | None = None
    lifecycle: Lifecycle | None = None
    canonical_writes: CanonicalWrites | None = None
    self_approval: SelfApproval | None = None
    minimum_approvals: int | None = None
    review_rules: tuple[ReviewRule, ...] | None = None

    @property
    def governs_review(self) -> bool:
        """Whether a setting is among them that decides how review works."""
        return any(getattr(self, name) is not None for name in GOVERNING)

    def columns(self) -> dict[str, Any]:
        """The values to store."""
        values = {name: getattr(self, name) for name in self.__slots__}
        if self.review_rules is not None:
            values["review_rules"] = [rule.stored() for rule in self.review_rules]
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class CreatedStore:
    """A new store as its creator sees it, and whether this request only told it again."""

    store_id: str
    replayed: bool


@durable
def create_store(
    *, caller: Caller, settings: StoreSettings, key: IdempotencyKey | None = None
) -> CreatedStore:
    """Create a store, its owner's grant and its empty `initial` version (contract M3, M6).

    Raises:
        PolicyDenied: the caller may not make stores for this owner, or not one that lifts
            review.
        Malformed: the owner does not exist here, or canonical_writes on a store that is not
            shared.
        Conflict: the Idempotency-Key was used with another request.
    """
    require_creation(caller, settings)
    receipt = receipts.claim(caller=caller, key=key)
    if receipt.outcome:
        return CreatedStore(receipt.outcome["store"], replayed=True)
    store = insert_store(caller=caller, settings=settings, lifecycle=Lifecycle.ACTIVE)
    seal_initial(store_id=store.id, actor=actor_of(caller))
    receipts.keep(receipt, {"store": store.id}, store_id=store.id)
    return CreatedStore(store.id, replayed=False)


@step
def insert_store(
    *,
    caller: Caller,
    settings: StoreSettings,
    lifecycle: Lifecycle,
    store_id: str | None = None,
) -> MemoryStore:
    """Insert a store's row, its owner's grant and the audit row; no version yet.

    The owner of a pending store is granted nothing before it opens.

    Args:
        store_id: the ID that its versions, stored before it, name already.
    """
    moment = now()
    store = MemoryStore.objects.create(
        id=store_id or new_id("store"),
        workspace_id=caller.workspace_id,
        name=settings.name,
        description=settings.description,
        owner_kind=settings.owner.kind,
        owner_uuid=settings.owner.id,
        canonical_writes=_canonical_writes(settings),
        self_approval=settings.self_approval,
        metadata=settings.metadata,
        lifecycle=lifecycle,
        created_at=moment,
        updated_at=moment,
    )
    if lifecycle != Lifecycle.PENDING:
        grant_to_owner(caller=caller, owner=settings.owner, store_id=store.id)
    _audit(caller, store.id, "store.created", {"owner_kind": settings.owner.kind})
    return store


@step
def grant_to_owner(*, caller: Caller, owner: Owner, store_id: str) -> None:
    """Grant the owner of a store that opens read and write; a Workspace is granted nothing.

    The grant locks the Workspace's row, and so does what ends an owner: it is asked for once more.

    Raises:
        Malformed: the owner was erased meanwhile.
    """
    subject_kind = OWNER_SUBJECTS.get(owner.kind)
    if subject_kind:
        subject = Subject(subject_kind, owner.id)
        assign_to_owner(caller=caller, subject=subject, store_id=store_id)
        _require_existing(caller, owner)


@step
def seal_initial(*, store_id: str, actor: Actor) -> None:
    """Seal the empty tree as a store's first version and point canonical at it."""
    first = seal(store_id=store_id, draft=draft(None, {}), kind=VersionKind.INITIAL, actor=actor)
    refs.create(store_id=store_id, name=refs.CANONICAL, at=first.id, actor=actor)


def require_creation(caller: Caller, settings: StoreSettings) -> None:
    """Check that the caller may make a store of these settings.

    Raises:
        PolicyDenied, Malformed: as `create_store` says.
    """
    _require_governable(settings.owner.kind, settings.canonical_writes)
    require_owner(caller, settings.owner)
    if settings.lifts_review and not caller.is_admin:
        require(workspace_permissions(caller), Permission.ADMIN, caller.workspace_id)


def require_owner(caller: Caller, owner: Owner) -> None:
    """Check that the owner exists and that the caller may make stores for it.

    Everyone may for the principal they act for; for any other owner it takes a Workspace
    admin, or `write` on the Workspace.

    Raises:
        PolicyDenied, Malformed: as `create_store` says.
    """
    refuse_agents(caller)
    if owner.id != caller.acting_principal_id and not caller.is_admin:
        permissions = workspace_permissions(caller)
        if not {Permission.READ, Permission.WRITE} <= permissions:
            raise PolicyDenied(
                f"Making a store for {owner.id} needs a Workspace admin or a grant of"
                f" `read` and `write` on {caller.workspace_id}."
            )
    _require_existing(caller, owner)


def _require_existing(caller: Caller, owner: Owner) -> None:
    if not registry.exists(owner.kind, caller.workspace_id, owner.id):
        raise Malformed(f"owner.id: there is no {owner.kind} {owner.id} in this Workspace.")


def _require_governable(owner_kind: str, canonical_writes: CanonicalWrites | None) -> None:
    """Refuse canonical_writes where canonical is not the truth of many (contract M1)."""
    if canonical_writes is not None and owner_kind not in SHARED_OWNERS:
        raise Malformed(f"canonical_writes: not on a store owned by a {owner_kind}.")


def _canonical_writes(settings: StoreSettings) -> CanonicalWrites | None:
    if settings.owner.kind in SHARED_OWNERS:
        return settings.canonical_writes or CanonicalWrites.REVIEW
    return None


@durable
def change_store(*, access: StoreAccess, version: int, changes: StoreChanges) -> StoreAccess:
    """Change a store's settings or archive state (contract M1, M9).

    Raises:
        PolicyDenied: the caller is neither the owner nor holds `admin`, or lacks `admin` for a
            setting that governs review.
        Malformed: canonical_writes on a store that is not shared, a review rule that names
            somebody who can never review, or the store of a Session that is being erased is to
            be active again.
        Conflict: the store is not at `version` any more.
    """
    _require_governable(access.store.owner_kind, changes.canonical_writes)
    _require_change(access, changes)
    access.require_visible()
    require_reviewers(access.caller.workspace_id, changes.review_rules or ())
    if changes.lifecycle == Lifecycle.ACTIVE:
        _require_existing(
            access.caller, Owner(OwnerKind(access.store.owner_kind), access.store.owner_id)
        )
    stores = MemoryStore.objects.filter(id=access.store_id, version=version)
    lifecycle_bump = {"generation": F("generation") + 1} if changes.lifecycle else {}
    changed = stores.exclude(lifecycle__in=HIDDEN).update(
        version=F("version") + 1, updated_at=now(), **lifecycle_bump, **changes.columns()
    )
    if not changed:
        raise _elsewhere(access, version)
    _audit(access.caller, access.store_id, "store.changed", _told(changes))
    fresh = reopened(access)
    _require_change(fresh, changes)
    return fresh


def _elsewhere(access: StoreAccess, version: int) -> ApiError:
    """The error for a store that is not at the version that was named, or dying."""
    fresh = open_store(access.caller, access.store_id)
    fresh.require_visible()
    return Conflict(f"The store's version is {fresh.store.version}, not {version}.")


def _require_change(access: StoreAccess, changes: StoreChanges) -> None:
    refuse_agents(access.caller)
    if changes.governs_review or not access.is_owner:
        access.require(Permission.ADMIN)


def _told(changes: StoreChanges) -> dict[str, Any]:
    """What the audit row may say: which settings, and the closed words among the values."""
    closed = {"lifecycle", "canonical_writes", "self_approval", "minimum_approvals"}
    columns = changes.columns()
    return {
        "changed": sorted(columns),
        **{name: str(value) for name, value in columns.items() if name in closed},
    }


def _audit(caller: Caller, store_id: str, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        event=event,
        target_kind="store",
        target_id=store_id,
        detail=detail,
    )
