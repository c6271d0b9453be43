"""Searching the versions of a store: by message, changed path, author, kind and date."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from console.naming import Names
from memory.access import StoreAccess
from memory.models import ActorKind, MemoryVersion, Tag, VersionChange
from memory.queries.versions import versions_of
from wire import ids

PLATFORM: Final = ("platform", "Platform: imports and redactions")


def matching(store_id: str, wanted: Mapping[str, Any]) -> QuerySet[MemoryVersion]:
    """The versions of a store that a search asks for, newest first, each with its note.

    Args:
        wanted: the cleaned fields of a `VersionSearchForm`, or of one that asks for more.
    """
    versions = versions_of(store_id).filter(_by(wanted["author"]), _on(wanted))
    if wanted.get("kind"):
        versions = versions.filter(kind=wanted["kind"])
    if wanted["words"]:
        versions = versions.filter(_says(store_id, wanted["words"].strip()))
    if wanted["path"]:
        changes = VersionChange.objects.filter(
            version=OuterRef("id"), path__icontains=wanted["path"].strip()
        )
        versions = versions.filter(Exists(changes))
    return versions


def _says(store_id: str, words: str) -> Q:
    """Versions of that ID, or whose message or a tag holds some words in any case."""
    try:
        return Q(id=ids.parse_id("version", words))
    except ids.MalformedId:
        named = Tag.objects.filter(store=store_id, name__icontains=words)
        return Q(note__message__icontains=words) | Q(id__in=named.values("version"))


def _by(author: str) -> Q:
    if not author:
        return Q()
    if author == PLATFORM[0]:
        return Q(actor_kind=ActorKind.PLATFORM)
    kind, _, identifier = author.partition(":")
    return Q(actor_kind=kind, actor_uuid=ids.uuid_from_id(identifier))


def _on(wanted: Mapping[str, Any]) -> Q:
    """Versions between two days, both included, in UTC."""
    condition = Q()
    if wanted["since"]:
        condition &= Q(created_at__gte=datetime.combine(wanted["since"], time.min, UTC))
    if wanted["until"]:
        condition &= Q(created_at__lte=datetime.combine(wanted["until"], time.max, UTC))
    return condition


def authors_of(access: StoreAccess) -> list[tuple[str, str]]:
    """Who made versions of a store, as choices."""
    versions = MemoryVersion.objects.filter(store=access.store_id)
    actors = set(versions.values_list("actor_kind", "actor_uuid").distinct().order_by())
    people = [actor for actor in actors if actor[0] != ActorKind.PLATFORM]
    names = Names(access.caller.workspace_id, people)
    known = [names.of(kind, uuid) for kind, uuid in people]
    choices = sorted(((f"{one.kind}:{one.id}", one.label) for one in known), key=lambda it: it[1])
    return choices + ([PLATFORM] if len(people) < len(actors) else [])
