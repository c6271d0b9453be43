"""The bodies that a Proposal shows, and which of them are gone (contract P5)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import BooleanField, Case, Exists, F, OuterRef, Q, QuerySet, Value, When

from database.arrays import Among
from memory.models import DocumentVersion
from memory.queries.documents import Erasure, erasure_of
from proposals.models import ProposalStatus
from wire.times import now


@dataclass(frozen=True, slots=True)
class ErasedBody:
    """A body on one side of a diff that cannot be shown any more."""

    path: str
    erasure: Erasure


def erased_bodies(document_versions: Collection[UUID]) -> list[ErasedBody]:
    """Those of some bodies that were erased or have expired, by path. One query."""
    gone = DocumentVersion.objects.filter(_gone(now()), id__in=document_versions).order_by("path")
    rows = gone.values_list("path", "body", "expires_at", "erasure__reason", "erasure__erased_at")
    found = [(row[0], erasure_of("" if row[1] else None, *row[2:])) for row in rows]
    return [ErasedBody(path, erasure) for path, erasure in found if erasure]


def has_erased_body(at: datetime) -> Case:
    """An expression on a Proposal: whether it is open and a body on either side is gone by then."""
    return Case(
        When(status=ProposalStatus.OPEN, then=Exists(shown_bodies().filter(_gone(at)))),
        default=Value(False),
        output_field=BooleanField(),
    )


def shown_bodies() -> QuerySet[DocumentVersion]:
    """The document versions on either side of the Proposal of an outer query."""
    return DocumentVersion.objects.filter(Among(F("id"), OuterRef("document_versions")))


def _gone(at: datetime) -> Q:
    return Q(body=None) | Q(expires_at__lte=at)
