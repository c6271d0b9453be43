"""Reads that only the Console's lists need, over what the rooms below offer."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from memory.access import listable_stores
from memory.models import Lifecycle, MemoryVersion, Ref, RefKind
from tenancy import authority, queries
from tenancy.caller import Caller
from tenancy.models import Agent, TargetKind


def stores_for_list(caller: Caller, *, words: str = "", archived: bool = False) -> QuerySet[Any]:
    """The stores a person sees, with when canonical of each moved last.

    Args:
        words: a part of the name or description, in any case.
        archived: the archived ones instead of the others.
    """
    canonical = Ref.objects.filter(store=OuterRef("id"), kind=RefKind.CANONICAL)
    stores: QuerySet[Any] = listable_stores(caller).annotate(
        canonical_moved_at=Subquery(canonical.values("updated_at"))
    )
    if words:
        stores = stores.filter(Q(name__icontains=words) | Q(description__icontains=words))
    if archived:
        stores = stores.filter(lifecycle=Lifecycle.ARCHIVED)
    else:
        stores = stores.exclude(lifecycle=Lifecycle.ARCHIVED)
    return stores.order_by("-id")


def agents_to_act_as(caller: Caller) -> QuerySet[Any]:
    """The agents in use, each with what the caller holds on it."""
    held = authority.permissions_on(TargetKind.AGENT, OuterRef("id"), caller)
    active = queries.agents(caller).filter(state=Agent.State.ACTIVE)
    agents: QuerySet[Any] = active.annotate(held=held)
    return agents.order_by("name", "id")


def ref_owners(store_ids: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Whose refs some stores have, by store and kind. One query."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    refs = Ref.objects.filter(store__in=list(store_ids)).exclude(kind=RefKind.CANONICAL)
    for ref in refs.order_by("-id") if store_ids else ():
        found[ref.store_id, ref.kind].append(ref.owner_id or "")
    return found


def known_versions(version_ids: Iterable[str]) -> dict[str, MemoryVersion]:
    """Some versions with their notes, by their IDs. One query."""
    wanted = list(version_ids)
    versions = MemoryVersion.objects.select_related("note").filter(id__in=wanted)
    return {version.id: version for version in versions} if wanted else {}
