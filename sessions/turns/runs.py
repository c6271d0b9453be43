"""What a Run or an input finds when it begins, and the refs that it will write on (S3, S5, S6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from database.transactions import step
from memory import refs
from memory.access import open_stores
from memory.actors import actor_of
from memory.models import MemoryVersion
from memory.stores import finish_writes
from sessions.access import sent_for
from sessions.models import Access, Mount, Session
from sessions.mounts.refusals import REASONS, denial_of, refusal_of
from sessions.mounts.resolver import Reason, Resolution
from sessions.queries.facts import (
    AS_MOUNTED,
    Chosen,
    captures_trees,
    has_native_writer,
    principal_may_act,
    resolve_mounts,
)
from sessions.turns.workingrefs import ref_of
from sessions.turns.writing import require_still_writable
from tenancy.caller import Caller
from wire.errors import ApiError, PolicyDenied

type Resolved = Sequence[tuple[Mount, Resolution]]


@dataclass(frozen=True, slots=True)
class Begun:
    """What came of asking for a Run or an input. What is told of a refusal was committed.

    Attributes:
        id: of the Run or input; None when nothing was accepted.
        error: why it was refused, or failed as it began; None when neither.
        replayed: it began when the same request came before.
    """

    id: str | None
    error: ApiError | None = None
    replayed: bool = False

    def require(self) -> str:
        """What began. Raises what kept it from that."""
        if self.error:
            raise self.error
        assert self.id is not None
        return self.id


@dataclass(frozen=True, slots=True)
class Resources:
    """What the mounts of a Session come to for one Run, or one input."""

    session: Session
    resolved: Resolved

    @property
    def denied(self) -> Resolved:
        """The mounts that come to nothing (contract S1)."""
        return [pair for pair in self.resolved if pair[1].effective == Access.NONE]

    @property
    def denial(self) -> PolicyDenied | None:
        """Why nothing may run: a mount comes to nothing, or nobody may act through the agent."""
        if self.denied:
            return denial_of(self.denied[0][1])
        if self.resolved or principal_may_act(self.session):
            return None
        return PolicyDenied(REASONS[Reason.PRINCIPAL_WITHOUT_ACT_AS])

    @property
    def would_lose_writes(self) -> bool:
        """Whether what is written could not become versions: nobody lists or calls it (S5)."""
        environment = self.session.environment
        if captures_trees(environment) or has_native_writer(environment):
            return False
        return any(found.effective == Access.READ_WRITE for _, found in self.resolved)

    def require_mountable(self) -> None:
        """Raise the error of the first mount that cannot be had as it was asked for."""
        for _, resolution in self.resolved:
            error = refusal_of(resolution)
            if error:
                raise error

    @property
    def shown(self) -> dict[int, MemoryVersion]:
        """The version that each mount shows, by its position."""
        wanted = {mount.position: found.version for mount, found in self.resolved if found.version}
        versions = MemoryVersion.objects.in_bulk(list(wanted.values()))
        return {position: versions[version] for position, version in wanted.items()}


@step
def hold_resources(session: Session, chosen: Chosen = AS_MOUNTED) -> Resources:
    """Resolve the mounts of a Session, and keep canonical where working refs are to be made."""
    resolved = resolve_mounts(session, chosen)
    missing = [found.facts.store_id for _, found in resolved if found.makes_working_ref]
    if not missing:
        return Resources(session, resolved)
    refs.hold_canonical(missing)
    return Resources(session, resolve_mounts(session, chosen))


@step
def make_working_refs(caller: Caller, resources: Resources) -> list[str]:
    """Make the refs that a Session is going to write on; returns the stores that got one.

    Canonical of each is held, so nobody else makes them. `finish_stores` ends the transaction.
    """
    at = {
        found.facts.store_id: found.version
        for _, found in resources.resolved
        if found.makes_working_ref and found.version
    }
    if at:
        actor = actor_of(sent_for(caller, resources.session))
        refs.create_in_each(name=ref_of(resources.session.id), at=at, actor=actor)
    return list(at)


@step
def finish_stores(caller: Caller, session: Session, store_ids: Sequence[str]) -> None:
    """Count the new refs as changes of their stores, last in the transaction, by their IDs."""
    if store_ids:
        finish_writes(
            open_stores(sent_for(caller, session), store_ids),
            lambda access: require_still_writable(session, access.store_id),
        )
