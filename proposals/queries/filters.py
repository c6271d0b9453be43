"""What lists of Proposals can be narrowed to."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, F, Q, QuerySet

from proposals.decisions.authorship import own_uuids
from proposals.models import ProposalStatus
from proposals.queries.bodies import shown_bodies
from tenancy.caller import Caller
from tenancy.models import ApiKey
from wire.ids import uuid_from_id


@dataclass(frozen=True, slots=True)
class Filters:
    """What to show; None shows all.

    Attributes:
        author: a principal, whose keys are included, or a key, or a Session.
        text: part of the title or description, whatever its case.
        path: part of a changed path, whatever its case.
        stale: open ones whose base is not canonical any more, or those where it is.
    """

    store: str | None = None
    author: str | None = None
    status: ProposalStatus | None = None
    text: str | None = None
    path: str | None = None
    stale: bool | None = None


EVERYTHING: Final = Filters()


def narrow(rows: QuerySet[Any], filters: Filters) -> QuerySet[Any]:
    """Apply filters to rows of `proposals_in`."""
    if filters.store:
        rows = rows.filter(store=filters.store)
    if filters.author:
        rows = rows.filter(authored_by(filters.author))
    if filters.status:
        rows = rows.filter(status=filters.status)
    if filters.text:
        rows = rows.filter(
            Q(title__icontains=filters.text) | Q(description__icontains=filters.text)
        )
    if filters.path:
        rows = rows.filter(Exists(shown_bodies().filter(path__icontains=filters.path)))
    if filters.stale is not None:
        rows = rows.filter(_stale() if filters.stale else _fresh())
    return rows


def authored_by(author: str) -> Q:
    """Proposals opened by a principal, also through keys bound to it, or by a key or Session."""
    uuid = uuid_from_id(author)
    return Q(author_uuid=uuid) | Q(author_principal_uuid=uuid) | _by_key_of([author])


def authored_by_caller(caller: Caller) -> Q:
    """Proposals that the rules hold the caller to be an author of (contract P3)."""
    mine = list(own_uuids(caller))
    recorded = (
        Q(author_uuid__in=mine)
        | Q(author_principal_uuid__in=mine)
        | Q(earlier_authors__overlap=mine)
    )
    return recorded | _by_key_of(mine)


def _by_key_of(principals: list[Any]) -> Q:
    keys = ApiKey.objects.filter(principal__in=principals)
    return Q(author_uuid__in=keys.values("id"))


def _stale() -> Q:
    return Q(status=ProposalStatus.OPEN) & ~Q(base=F("canonical_id"))


def _fresh() -> Q:
    return Q(status=ProposalStatus.OPEN, base=F("canonical_id"))
