"""Choosing an exact version of a store: by date, path, author and message (contract S3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from console.forms.sessions import PickForm
from console.naming import Named, Names
from console.pages import slice_by_id
from memory.access import StoreAccess
from memory.api.versions import acquire_versions
from memory.models import ActorKind, MemoryVersion, VersionChange
from memory.publication import Acquired
from memory.queries.available import Availability, availability_of
from memory.queries.versions import change_counts, versions_of
from wire import ids

OFFERED: Final = 8
"""Versions on one page of the picker: about every document of each it is asked."""

PLATFORM: Final = ("platform", "Platform: imports and redactions")


@dataclass(frozen=True, slots=True)
class Offer:
    """A version to choose, with what has to be known before."""

    version: MemoryVersion
    by: Named
    changed: int
    availability: Availability

    @property
    def note(self) -> Any:
        """Its words; None when it has none."""
        return getattr(self.version, "note", None)


@dataclass(frozen=True, slots=True)
class Picker:
    """The versions of one store that a form offers."""

    access: StoreAccess
    form: PickForm
    offers: list[Offer]
    next_page: str | None

    @property
    def acquired(self) -> Acquired:
        """The messages that it shows, for the publication recheck (contract R5)."""
        return acquire_versions(self.access, [offer.version for offer in self.offers])


def open_picker(access: StoreAccess, data: Mapping[str, Any], page: str | None) -> Picker:
    """Search the versions of a store that the person may read.

    Args:
        data: what the form sent; the fields begin with the store's ID.
        page: where the search goes on.
    """
    store_id = access.store_id
    form = PickForm(data, prefix=f"{store_id}-pick", authors=_authors(access))
    if not form.is_valid():
        return Picker(access, form, [], None)
    found = slice_by_id(_matching(store_id, form.cleaned_data), page, size=OFFERED)
    offers = offers_of(access.caller.workspace_id, list(found.rows))
    return Picker(access, form, offers, found.next_page)


def offers_of(workspace_id: str, versions: Sequence[MemoryVersion]) -> list[Offer]:
    """Versions with their authors, counts and availability, at a few queries for all."""
    version_ids = [version.id for version in versions]
    names = Names(workspace_id, [(one.actor_kind, one.actor_uuid) for one in versions])
    counts, available = change_counts(version_ids), availability_of(version_ids)
    return [
        Offer(one, names.actor(one), counts.get(one.id, 0), available[one.id]) for one in versions
    ]


def _matching(store_id: str, wanted: Mapping[str, Any]) -> QuerySet[MemoryVersion]:
    versions = versions_of(store_id).filter(_by(wanted["author"]), _on(wanted))
    if wanted["words"]:
        versions = versions.filter(_says(wanted["words"].strip()))
    if wanted["path"]:
        changes = VersionChange.objects.filter(
            version=OuterRef("id"), path__icontains=wanted["path"].strip()
        )
        versions = versions.filter(Exists(changes))
    return versions


def _says(words: str) -> Q:
    """Versions of that ID, or whose message holds some words in any case."""
    try:
        return Q(id=ids.parse_id("version", words))
    except ids.MalformedId:
        return Q(note__message__icontains=words)


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


def _authors(access: StoreAccess) -> list[tuple[str, str]]:
    """Who made versions of a store, as choices."""
    versions = MemoryVersion.objects.filter(store=access.store_id)
    actors = set(versions.values_list("actor_kind", "actor_uuid").distinct().order_by())
    people = [actor for actor in actors if actor[0] != ActorKind.PLATFORM]
    names = Names(access.caller.workspace_id, people)
    known = [names.of(kind, uuid) for kind, uuid in people]
    choices = sorted(((f"{one.kind}:{one.id}", one.label) for one in known), key=lambda it: it[1])
    return choices + ([PLATFORM] if len(people) < len(actors) else [])
