"""Choosing an exact version of a store: by date, path, author and message (contract S3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from console.forms.versions import VersionSearchForm
from console.history.searching import authors_of, matching
from console.naming import Named, Names
from console.pages import slice_by_id
from memory.access import StoreAccess
from memory.api.versions import acquire_versions
from memory.models import MemoryVersion
from memory.publication import Acquired
from memory.queries.available import Availability, availability_of
from memory.queries.versions import change_counts

OFFERED: Final = 8
"""Versions on one page of the picker: about every document of each it is asked."""


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
    form: VersionSearchForm
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
    form = VersionSearchForm(data, prefix=f"{store_id}-pick", authors=authors_of(access))
    if not form.is_valid():
        return Picker(access, form, [], None)
    found = slice_by_id(matching(store_id, form.cleaned_data), page, size=OFFERED)
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
