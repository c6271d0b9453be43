"""Giving a version a name that stays with it, and taking the name away.

A tag moves nothing and keeps nothing, so the store's generation does not count it. Whoever holds
`write` may name versions, on stores under review as well. A name others rely on is taken away by
who gave it, or by `admin`.
"""

from dataclasses import dataclass
from typing import Final

from database.transactions import durable, step
from memory.access import StoreAccess, reopened
from memory.agents import refuse_agents
from memory.models import Tag
from memory.queries.versions import get_version
from memory.stores import hold_store
from tenancy.audit import record
from tenancy.models import Permission
from wire.errors import Conflict, NotFound, PolicyDenied, RangeTooLarge
from wire.ids import uuid_from_id
from wire.times import now

MOST: Final = 1_000
"""Tags of one store."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A tag, and whether it stood there before this request."""

    tag: Tag
    was_there: bool


def require_tagging(access: StoreAccess) -> None:
    """Refuse whoever may not name versions of a store, or a store that takes no writes.

    Raises:
        PolicyDenied: no grant of `write`, or the agent of a Session.
        NotFound, ReadOnly: the store is gone, or archived.
    """
    access.require(Permission.WRITE)
    refuse_agents(access.caller)
    access.require_active()


@durable
def create_tag(*, access: StoreAccess, name: str, version_id: str) -> Tagged:
    """Give a version a name, for good. The same again changes nothing.

    Args:
        name: one line, as `wire.fields.one_line` has it; unlike every other name in the store.

    Raises:
        PolicyDenied, ReadOnly: as `require_tagging` says.
        NotFound: the store has no such version.
        Conflict: another version has the name.
        RangeTooLarge: the store has `MOST` tags.
    """
    access = _hold(access)
    version = get_version(access.store_id, version_id)
    standing = Tag.objects.filter(store=access.store_id, name=name).first()
    if standing is None:
        return Tagged(_insert(access, name, version.id), was_there=False)
    if standing.version_id != version.id:
        raise Conflict(
            f"name: it stands at {standing.version_id}, and a tag never moves. Take it away"
            " there first, or choose another."
        )
    return Tagged(standing, was_there=True)


@durable
def delete_tag(*, access: StoreAccess, name: str) -> None:
    """Take a name away from its version; the version stays.

    Raises:
        PolicyDenied: somebody else gave it and the caller holds no `admin`; or as
            `require_tagging` says.
        ReadOnly: as `require_tagging` says.
        NotFound: the store has no such tag.
    """
    access = _hold(access)
    tag = Tag.objects.filter(store=access.store_id, name=name).first()
    if tag is None:
        raise NotFound("The store has no such tag.")
    if not may_delete(access, tag):
        raise PolicyDenied("Whoever gave a name takes it away, or who holds `admin` on the store.")
    version_id = tag.version_id
    tag.delete()
    _audit(access, "store.untagged", version_id)


def may_delete(access: StoreAccess, tag: Tag) -> bool:
    """Whether the caller gave a name, or may take away any."""
    caller = access.caller
    is_own = tag.actor_kind == caller.kind and tag.actor_uuid == uuid_from_id(caller.id)
    return is_own or access.may(Permission.ADMIN)


@step
def _hold(access: StoreAccess) -> StoreAccess:
    """Keep the store as it is, and look at who asks again: an erasure comes before or after."""
    require_tagging(access)
    hold_store(access.store_id)
    held = reopened(access)
    require_tagging(held)
    return held


@step
def _insert(access: StoreAccess, name: str, version_id: str) -> Tag:
    if Tag.objects.filter(store=access.store_id).count() >= MOST:
        raise RangeTooLarge(f"A store has at most {MOST:,} tags.")
    tag = Tag.objects.create(
        store_id=access.store_id,
        version_id=version_id,
        name=name,
        actor_kind=access.caller.kind,
        actor_uuid=uuid_from_id(access.caller.id),
        created_at=now(),
    )
    _audit(access, "store.tagged", version_id)
    return tag


@step
def _audit(access: StoreAccess, event: str, version_id: str) -> None:
    """The name itself is customer text, and stays out of the trail."""
    record(
        caller=access.caller,
        event=event,
        target_kind="store",
        target_id=access.store_id,
        detail={"version": version_id},
    )
