"""Sealing what a Proposal changes once more, on another base, as the head of a new one."""

from collections.abc import Collection, Mapping

from database.transactions import step
from memory.access import StoreAccess
from memory.actors import actor_of
from memory.agents import refuse_agents
from memory.erasure.fences import refuse_fenced
from memory.models import MemoryVersion, VersionKind
from memory.retention import body_ceiling, require_durable_bodies
from memory.versions.sealing import Change, Note, draft, seal
from tenancy.models import Permission
from wire.errors import Conflict


def require_resealing(access: StoreAccess, paths: Collection[str] = ()) -> None:
    """Refuse what the grant, the store, the policy or the replayed paths do not allow.

    Raises:
        PolicyDenied: an agent of a Session, no grant of read and write, or zero data retention.
        ReadOnly, NotFound: the store is not active.
        Conflict: a path was redacted.
    """
    refuse_agents(access.caller)
    access.require(Permission.WRITE)
    access.require_active()
    require_durable_bodies(access)
    refuse_fenced(access, paths)


@step
def reseal(
    access: StoreAccess, canonical: MemoryVersion, changes: Mapping[str, Change], title: str
) -> MemoryVersion:
    """Seal changes on canonical. Raises Conflict when it holds all of them already."""
    drafted = draft(canonical, changes)
    if drafted.is_empty:
        raise Conflict(
            "Canonical already holds everything that this Proposal changes."
            " There is nothing left to propose."
        )
    return seal(
        store_id=access.store_id,
        draft=drafted,
        kind=VersionKind.PROPOSAL,
        actor=actor_of(access.caller),
        note=Note(message=title),
        ceiling=body_ceiling(access),
    )
