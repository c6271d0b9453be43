"""The facts that a resolution depends on, gathered in four queries at most for all mounts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import OuterRef, Q, QuerySet, Subquery

from database.fields import IdField
from memory.models import Lifecycle, MemoryStore, OwnerKind, Ref, RefKind
from memory.queries.retained import retained_versions
from memory.refs import CANONICAL, RefName
from sessions.models import Access, Mount, Selecting, SelectionKind, Session
from sessions.mounts.resolver import MountFacts, Resolution, resolve
from sessions.mounts.selections import Selection
from tenancy.authority import permissions_of
from tenancy.caller import Subject
from tenancy.models import Agent, Environment, Permission, SubjectKind, TargetKind

type Pointers = dict[tuple[str, RefName], str]
"""Where refs are, by store and name."""


@dataclass(frozen=True, slots=True)
class Parties:
    """Who takes part in a Session, and where.

    Attributes:
        session_id: None before there is one; its grants and its working refs count.
    """

    workspace_id: str
    agent_id: str
    principal_id: str
    in_shared_place: bool
    has_native_writer: bool
    session_id: str | None = None

    @classmethod
    def of(cls, session: Session) -> "Parties":
        """Those of a Session; its environment should be loaded."""
        return cls(
            workspace_id=session.workspace_id,
            agent_id=session.agent_id,
            principal_id=session.principal_id,
            in_shared_place=session.is_in_a_shared_place,
            has_native_writer=has_native_writer(session.environment),
            session_id=session.id,
        )


@dataclass(frozen=True, slots=True)
class Wish:
    """A mount as it is asked for."""

    store_id: str
    requested: Access
    selection: Selection | None = None

    @classmethod
    def of(cls, mount: Mount) -> "Wish":
        """The wish that a mount keeps."""
        return cls(mount.store_id, Access(mount.requested), selection_of(mount))


def has_native_writer(environment: Environment) -> bool:
    """Whether what runs there can write on a base that was selected (contract S3)."""
    return environment.memory_writer == Environment.MemoryWriter.NATIVE


def captures_trees(environment: Environment) -> bool:
    """Whether a runner there can tell what a turn wrote, deletions too (contract S5)."""
    capturing = environment.memory_writer == Environment.MemoryWriter.CAPTURE
    return capturing and environment.can_enumerate


def selection_of(mount: Selecting) -> Selection | None:
    """What a mount, or an input's, selects; None for the current state."""
    kind = mount.selection_kind
    return Selection(SelectionKind(kind), mount.selection_id) if kind else None


def mounts_of(session_id: str) -> QuerySet[Mount]:
    """A Session's mounts in their order."""
    return Mount.objects.filter(session=session_id).order_by("position")


type Chosen = Mapping[int, Selection]
"""What is selected instead of what mounts select, by their positions."""

AS_MOUNTED: Final[Chosen] = {}


def resolve_mounts(session: Session, chosen: Chosen = AS_MOUNTED) -> list[tuple[Mount, Resolution]]:
    """What each mount of a Session comes to now, in their order."""
    mounts = list(mounts_of(session.id))
    found = gather(Parties.of(session), [_wish(mount, chosen) for mount in mounts])
    return [(mount, resolve(facts)) for mount, facts in zip(mounts, found, strict=True) if facts]


def _wish(mount: Mount, chosen: Chosen) -> Wish:
    wish = Wish.of(mount)
    if mount.position not in chosen:
        return wish
    return replace(wish, selection=chosen[mount.position])


def resolve_use(
    session: Session, store_ids: Sequence[str], requested: Access
) -> list[Resolution | None]:
    """What using some stores in a Session comes to now, whatever its mounts select.

    None where the Workspace has no such store.
    """
    wishes = [Wish(store_id, requested) for store_id in store_ids]
    found = gather(Parties.of(session), wishes)
    return [resolve(facts) if facts else None for facts in found]


def principal_may_act(session: Session) -> bool:
    """Whether a Session's principal may still act through its agent (contract S1)."""
    return _may_act(Parties.of(session))


@dataclass(frozen=True, slots=True)
class _Found:
    """What was looked up once for all mounts."""

    parties: Parties
    may_act: bool
    pointers: Pointers
    retained: Collection[tuple[str, str]]

    def facts(self, wish: Wish, store: Any) -> MountFacts:
        """All that the resolution of one wish depends on."""
        own = RefName(RefKind.SESSION, self.parties.session_id)
        return MountFacts(
            store_id=store.id,
            owner_kind=OwnerKind(store.owner_kind),
            lifecycle=Lifecycle(store.lifecycle),
            requested=wish.requested,
            principal=frozenset(store.principal_holds),
            agent=frozenset(store.agent_holds),
            may_act=self.may_act,
            in_shared_place=self.parties.in_shared_place,
            has_native_writer=self.parties.has_native_writer,
            canonical=store.canonical_id,
            working_ref=self.pointers.get((store.id, own)),
            selection=wish.selection,
            selected=self._selected(wish, store.canonical_id),
        )

    def _selected(self, wish: Wish, canonical: str | None) -> str | None:
        """What a selection resolves to now."""
        if wish.selection is None:
            return None
        if wish.selection.version_id:
            exact = (wish.store_id, wish.selection.version_id)
            return exact[1] if exact in self.retained else None
        if wish.selection.ref == CANONICAL:
            return canonical
        return self.pointers.get((wish.store_id, wish.selection.ref or CANONICAL))


def resolve_mount(session: Session, store_id: str) -> Resolution | None:
    """What a Session's mount of a store comes to now; None when it does not mount it."""
    mount = mounts_of(session.id).filter(store=store_id).first()
    if mount is None:
        return None
    facts = gather(Parties.of(session), [Wish.of(mount)])[0]
    return resolve(facts) if facts else None


def gather(parties: Parties, wishes: Sequence[Wish]) -> list[MountFacts | None]:
    """The facts about each wish, in their order; None where the Workspace has no such store."""
    stores = {store.id: store for store in _stores(parties, wishes)}
    found = _Found(
        parties,
        may_act=bool(wishes) and _may_act(parties),
        pointers=_pointers(parties, wishes),
        retained=retained_versions(_exact(wishes)),
    )
    return [
        found.facts(wish, stores[wish.store_id]) if wish.store_id in stores else None
        for wish in wishes
    ]


def _stores(parties: Parties, wishes: Sequence[Wish]) -> QuerySet[Any]:
    """The stores, each with where canonical is and what either party holds on it."""
    agent = Subject(SubjectKind.AGENT, parties.agent_id, parties.session_id)
    principal = Subject(SubjectKind.PRINCIPAL, parties.principal_id)
    canonical = Ref.objects.filter(store=OuterRef("id"), kind=RefKind.CANONICAL)
    on = (parties.workspace_id, TargetKind.STORE, OuterRef("id"))
    return MemoryStore.objects.filter(
        workspace=parties.workspace_id, id__in=[wish.store_id for wish in wishes]
    ).annotate(
        canonical_id=Subquery(canonical.values("version"), output_field=IdField("version")),
        agent_holds=permissions_of([agent], *on),
        principal_holds=permissions_of([principal], *on),
    )


def _may_act(parties: Parties) -> bool:
    """Whether the principal may act through the agent (contract S1)."""
    principal = Subject(SubjectKind.PRINCIPAL, parties.principal_id)
    held = permissions_of([principal], parties.workspace_id, TargetKind.AGENT, OuterRef("id"))
    agents: QuerySet[Any] = Agent.objects.filter(id=parties.agent_id).annotate(held=held)
    return agents.filter(held__contains=[Permission.ACT_AS]).exists()


def _exact(wishes: Sequence[Wish]) -> list[str]:
    versions = [wish.selection.version_id for wish in wishes if wish.selection]
    return [version for version in versions if version]


def _pointers(parties: Parties, wishes: Sequence[Wish]) -> Pointers:
    """Where the Session's own refs and the selected ones are."""
    wanted = Q()
    if parties.session_id:
        stores = [wish.store_id for wish in wishes]
        wanted |= _ref(RefName(RefKind.SESSION, parties.session_id)) & Q(store__in=stores)
    for wish in wishes:
        if wish.selection and wish.selection.ref:
            wanted |= _ref(wish.selection.ref) & Q(store=wish.store_id)
    if not wanted:
        return {}
    return {
        (ref.store_id, RefName(RefKind(ref.kind), ref.owner_id)): ref.version_id
        for ref in Ref.objects.filter(wanted)
    }


def _ref(name: RefName) -> Q:
    return Q(kind=name.kind, owner_uuid=name.owner_id)
