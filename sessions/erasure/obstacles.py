"""What stands in the way of an erasure, because somebody has to decide first (contract S7)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from memory.access import GONE
from memory.erasure import undecided
from memory.models import SHARED_OWNERS, MemoryVersion, Ref, VersionKind
from memory.queries.versions import canonical_id
from memory.versions.ancestry import is_ancestor
from sessions.erasure.stores import curations_in, failed_deletions, own_stores
from sessions.models import Session
from sessions.queries.rounds import entered_rounds
from sessions.turns.workingrefs import working_refs_of


class ObstacleKind(StrEnum):
    """What an erasure waits for. The list is closed."""

    WORKING_REF = "working_ref"
    PROPOSAL = "proposal"
    CURATION = "curation"
    STORE = "store"
    ROUND = "round"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing that an erasure waits for.

    Attributes:
        id: of the Proposal, the curation run or the round; of a working ref or a store, the store.
        store_id: where it is; None of a round, which is in no store.
    """

    kind: ObstacleKind
    id: str
    store_id: str | None = None


def obstacles(session: Session) -> list[Obstacle]:
    """All that the erasure of a Session waits for now, but for workers at work."""
    return [*_rounds(session), *_working_refs(session), *_proposals(session), *_own(session)]


def _rounds(session: Session) -> Iterator[Obstacle]:
    """Rounds that nobody has finished: their owners have not come back."""
    for entered in entered_rounds(session.id).order_by("id").values_list("id", flat=True):
        yield Obstacle(ObstacleKind.ROUND, entered)


def _working_refs(session: Session) -> Iterator[Obstacle]:
    """Its refs in stores of many that hold what was never proposed: somebody's work there."""
    shared = working_refs_of(session.id).filter(store__owner_kind__in=SHARED_OWNERS)
    for ref in shared.exclude(store__lifecycle__in=GONE).select_related("version"):
        if _is_unproposed(ref):
            yield Obstacle(ObstacleKind.WORKING_REF, ref.store_id, ref.store_id)


def _is_unproposed(ref: Ref) -> bool:
    written = _before_redactions(ref.version)
    if is_ancestor(written.id, canonical_id(ref.store_id)):
        return False
    return not undecided.is_proposed({ref.version_id, written.id})


def _before_redactions(version: MemoryVersion) -> MemoryVersion:
    """What a ref was at before redactions moved it: these are nobody's work."""
    while version.kind == VersionKind.REDACTION and version.parent:
        version = version.parent
    return version


def _proposals(session: Session) -> Iterator[Obstacle]:
    """Open Proposals of its agent in stores of others; those in its own go with the store."""
    own = set(own_stores(session.workspace_id, session.id).values_list("id", flat=True))
    for proposal, store in undecided.open_proposals(session.id).items():
        if store not in own:
            yield Obstacle(ObstacleKind.PROPOSAL, proposal, store)


def _own(session: Session) -> Iterator[Obstacle]:
    """What keeps stores of its own: curation runs that go on, deletions that gave up."""
    stores = own_stores(session.workspace_id, session.id)
    for ref in curations_in(stores.exclude(lifecycle__in=GONE)):
        yield Obstacle(ObstacleKind.CURATION, ref.owner_id or "", ref.store_id)
    reports = (
        failed_deletions(stores).order_by("id").values_list("erasure_report__store", flat=True)
    )
    for store in reports:
        yield Obstacle(ObstacleKind.STORE, store, store)
