"""Finding anything in the Workspace: by an identifier that was pasted, or by a part of a name."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F, QuerySet
from django.urls import reverse

from console.links import document_url
from console.proposals.rows import ProposalRow, rows_of
from console.stores import stores_for_list
from memory.access import open_store
from memory.models import DocumentBody, MemoryVersion, VersionNote
from memory.publication import Held
from memory.queries.finding import (
    FoundDocument,
    find_documents,
    find_versions,
    store_of_version,
    written_document,
)
from proposals.publication import words_held
from proposals.queries.filters import Filters, narrow
from proposals.queries.queue import visible_proposals
from proposals.queries.rows import describe, stores_where
from tenancy.caller import Caller
from tenancy.models import Permission
from wire import ids
from wire.errors import NotFound

SHOWN: Final = 8
"""Things of one kind on the page."""

SEARCHED: Final = 100
"""Stores whose paths are looked through: those whose canonical moved last."""

_PAGES: Final = {
    "store": "store-documents",
    "proposal": "proposal",
    "session": "session",
    "job": "jobs-one",
    "principal": "principals-one",
    "agent": "agents-one",
}
"""Kind of identifier → the route of its page, which tells by itself who may see it."""


@dataclass(frozen=True, slots=True)
class Group[T]:
    """Some of what was found of one kind, and whether there is more."""

    rows: Sequence[T]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What has a text in its name, of each kind."""

    stores: Group[Any]
    proposals: Group[ProposalRow]
    documents: Group[tuple[FoundDocument, str]]
    versions: Group[MemoryVersion]
    held: tuple[Held, ...]
    searched_all: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found at all."""
        return not any(
            group.rows for group in (self.stores, self.proposals, self.documents, self.versions)
        )


def is_identifier(text: str) -> bool:
    """Whether a text is spelled as an identifier of some kind."""
    return _kind_of(text) is not None


def address_of(caller: Caller, text: str) -> str | None:
    """The page of what an identifier names; None when there is none, or not for this caller."""
    kind = _kind_of(text)
    if kind is None:
        return None
    identifier = ids.parse_id(kind, text)
    if kind in _PAGES:
        return reverse(f"console:{_PAGES[kind]}", args=[identifier])
    look = _INSIDE_STORES.get(kind)
    return look(caller, identifier) if look else None


def _kind_of(text: str) -> str | None:
    try:
        kind = ids.kind_among(ids.PREFIXES, text)
        ids.parse_id(kind, text)
    except ids.MalformedId:
        return None
    return kind


def _version_address(caller: Caller, version_id: str) -> str | None:
    store_id = store_of_version(caller.workspace_id, version_id)
    if store_id is None or not _may_read(caller, store_id):
        return None
    return reverse("console:version", args=[store_id, version_id])


def _document_address(caller: Caller, document_id: str) -> str | None:
    """The document in the version that introduced it."""
    written = written_document(caller.workspace_id, document_id)
    if written is None or not _may_read(caller, written.store_id):
        return None
    return document_url(written.store_id, written.path, written.introduced_by_id)


_INSIDE_STORES: Final[Mapping[str, Callable[[Caller, str], str | None]]] = {
    "version": _version_address,
    "document": _document_address,
}


def _may_read(caller: Caller, store_id: str) -> bool:
    try:
        access = open_store(caller, store_id)
        access.require_visible()
    except NotFound:
        return False
    return access.may(Permission.READ)


def find(caller: Caller, text: str) -> Found:
    """What has a text in its name, title, path or message, whatever its case.

    Nine queries at most, however much there is.
    """
    stores = _first(stores_for_list(caller, words=text))
    proposals = _first(narrow(visible_proposals(caller), Filters(text=text)).order_by("-id"))
    readable = stores_where(caller, Permission.READ)
    names = dict(_last_moved(readable).values_list("id", "name")[: SEARCHED + 1])
    searched = list(names)[:SEARCHED]
    documents = _cut(find_documents(searched, text, limit=SHOWN + 1))
    versions = _first(find_versions(readable.values("id"), text))
    views = describe(caller, proposals.rows)
    return Found(
        stores=stores,
        proposals=Group(rows_of(caller.workspace_id, views), proposals.has_more),
        documents=Group([(row, names[row.store_id]) for row in documents.rows], documents.has_more),
        versions=versions,
        held=tuple(_held(views, documents.rows, versions.rows)),
        searched_all=len(names) <= SEARCHED,
    )


def _last_moved(stores: QuerySet[Any]) -> QuerySet[Any]:
    canonical = stores.filter(refs__kind="canonical")
    return canonical.order_by(F("refs__updated_at").desc(), "-id")


def _first(rows: QuerySet[Any]) -> Group[Any]:
    return _cut(list(rows[: SHOWN + 1]))


def _cut[T](rows: Sequence[T]) -> Group[T]:
    return Group(rows[:SHOWN], len(rows) > SHOWN)


def _held(
    views: Sequence[Any], documents: Sequence[FoundDocument], versions: Sequence[MemoryVersion]
) -> Iterator[Held]:
    """The words on the page that an erasure could take while it is drawn (contract R5)."""
    yield words_held(view.proposal for view in views)
    bodies = DocumentBody.objects.filter(
        document_version__in=[document.document_id for document in documents]
    )
    yield Held(bodies, bodies.count())
    notes = VersionNote.objects.filter(
        version__in=[version.id for version in versions], message__isnull=False
    )
    yield Held(notes, len(versions))
