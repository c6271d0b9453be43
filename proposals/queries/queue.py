"""The review queue: what waits for one person, what they wait for, what was decided."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from database.compiled import compiled
from memory.models import ActorKind, Lifecycle, SelfApproval
from proposals.models import Proposal, ProposalStatus
from proposals.queries.approvals import approved_by
from proposals.queries.filters import EVERYTHING, Filters, authored_by_caller, narrow
from proposals.queries.rows import ProposalView, describe, proposals_in, stores_where
from tenancy.caller import Caller, bare_caller
from tenancy.models import Permission
from wire.errors import Malformed
from wire.ids import MalformedId, parse_id
from wire.paging import FOREIGN_PAGE, decode_page, page_of
from wire.times import now

SECTION_LENGTH: Final = 50

MOST_AUTHORS: Final = 200
"""Authors that a list of Proposals offers to be narrowed to."""


class SectionName(StrEnum):
    """The parts of the queue, in their order."""

    WAITING = "waiting"
    MINE = "mine"
    OTHERS = "others"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the queue.

    Attributes:
        has_more: whether there is more than these.
        total: how many there are, where that is counted: all but the decided ones.
        next_page: where the next ones begin.
    """

    views: tuple[ProposalView, ...]
    has_more: bool
    total: int | None = None
    next_page: str | None = None


@dataclass(frozen=True, slots=True)
class Queue:
    """What a person's home page shows.

    Attributes:
        waiting: open, and theirs to decide; the oldest first.
        mine: open, and authored by them; the newest first.
        others: open, visible to them, and neither; the newest first.
        decided: resolved, the last one first.
    """

    waiting: Section
    mine: Section
    others: Section
    decided: Section

    @property
    def views(self) -> list[ProposalView]:
        """The Proposals of all sections."""
        sections = (self.waiting, self.mine, self.others, self.decided)
        return [view for section in sections for view in section.views]


def review_queue(
    caller: Caller, filters: Filters = EVERYTHING, *, length: int = SECTION_LENGTH
) -> Queue:
    """The queue of a person. Eight queries, however long it is; nine where paths have rules.

    Args:
        length: Proposals of a section at most.
    """
    rows = narrow(visible_proposals(caller), filters)
    sections = _sections(caller)
    if filters == EVERYTHING and _may_decide(caller):
        found = {name: _first_rows(caller, name, length) for name in sections}
    else:
        found = {name: _rows(rows, part, length) for name, part in sections.items()}
    totals = rows.aggregate(
        **{name: Count("id", filter=part.condition) for name, part in sections.items() if part.open}
    )
    views = iter(describe(caller, [row for shown, _ in found.values() for row in shown]))
    return Queue(
        *(
            Section(
                tuple(next(views) for _ in shown),
                next_page is not None,
                totals.get(name),
                next_page,
            )
            for name, (shown, next_page) in found.items()
        )
    )


def queue_section(
    caller: Caller,
    name: SectionName,
    filters: Filters = EVERYTHING,
    *,
    page: str | None = None,
    length: int = SECTION_LENGTH,
) -> Section:
    """One section by itself, page by page. Five queries, six where paths have rules.

    Args:
        page: the `next_page` of the page before.

    Raises:
        Malformed: `page` is no position of this section.
    """
    rows, part = narrow(visible_proposals(caller), filters), _sections(caller)[name]
    shown, next_page = _rows(rows, part, length, page)
    total = rows.filter(part.condition).count() if part.open else None
    return Section(tuple(describe(caller, shown)), next_page is not None, total, next_page)


@dataclass(frozen=True, slots=True)
class _Part:
    """What belongs into a section, and its order by ID."""

    condition: Q
    newest_first: bool = True
    open: bool = True

    def of(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Those of some Proposals that belong here, in order."""
        order = ("-id",) if self.newest_first else ("id",)
        return rows.filter(self.condition).order_by(
            *order if self.open else ("-resolved_at", "-id")
        )

    def position(self, row: Any) -> tuple[Any, ...]:
        """What tells where a row stands in that order."""
        return (row.id,) if self.open else (row.resolved_at.isoformat(), row.id)

    def behind(self, page: str | None) -> Q:
        """The condition that a Proposal stands behind a position. Raises Malformed."""
        position = decode_page(page, str) if self.open else decode_page(page, str, str)
        if not position:
            return Q()
        if self.open:
            return Q((f"id__{'lt' if self.newest_first else 'gt'}", _proposal(position[0])))
        try:
            moment = datetime.fromisoformat(position[0])
        except ValueError as error:
            raise Malformed(FOREIGN_PAGE) from error
        return Q(resolved_at__lt=moment) | Q(resolved_at=moment, id__lt=_proposal(position[1]))


def _sections(caller: Caller) -> dict[SectionName, _Part]:
    is_open = Q(status=ProposalStatus.OPEN)
    mine, decidable = authored_by_caller(caller), _decidable(caller)
    return {
        SectionName.WAITING: _Part(is_open & decidable, newest_first=False),
        SectionName.MINE: _Part(is_open & mine & ~decidable),
        SectionName.OTHERS: _Part(is_open & ~mine & ~decidable),
        SectionName.DECIDED: _Part(~is_open, open=False),
    }


def _rows(
    rows: QuerySet[Any], part: _Part, length: int, page: str | None = None
) -> tuple[list[Any], str | None]:
    """The Proposals of a section behind a position, and the next position."""
    rows = part.of(rows).filter(part.behind(page))
    return page_of(rows[: length + 1], length, part.position)


def _first_rows(caller: Caller, name: SectionName, length: int) -> tuple[list[Any], str | None]:
    """The same from the beginning and unfiltered, as everybody's home page shows it."""
    own = {"key_id": caller.key_id, "principal_id": caller.principal_id}
    rows = _first(name, length + 1, workspace_id=caller.workspace_id, at=now(), **own)
    return page_of(rows, length, _sections(caller)[name].position)


@compiled
def _first(
    name: SectionName,
    most: int,
    *,
    workspace_id: str,
    key_id: str | None,
    principal_id: str | None,
    at: datetime,
) -> QuerySet[Any]:
    caller = bare_caller(workspace_id, key_id, principal_id)
    return _sections(caller)[name].of(visible_proposals(caller, at))[:most]


def _proposal(position: str) -> str:
    try:
        return parse_id("proposal", position)
    except MalformedId as error:
        raise Malformed(FOREIGN_PAGE) from error


def visible_proposals(caller: Caller, at: datetime | None = None) -> QuerySet[Any]:
    """The Proposals of every store that the caller may read, as `proposals_in` has them."""
    return proposals_in(stores_where(caller, Permission.READ), caller, at)


def waiting_count(caller: Caller) -> int:
    """How many Proposals wait for this person's decision. One query at most."""
    if not _may_decide(caller):
        return 0
    own = {"key_id": caller.key_id, "principal_id": caller.principal_id}
    return sum(_waiting(workspace_id=caller.workspace_id, **own))


@compiled
def _waiting(
    *, workspace_id: str, key_id: str | None, principal_id: str | None
) -> QuerySet[Any, Any]:
    decider = bare_caller(workspace_id, key_id, principal_id)
    waiting = Proposal.objects.filter(_decidable(decider), status=ProposalStatus.OPEN)
    return waiting.values("status").annotate(open=Count("id")).values_list("open", flat=True)


def authors_seen(caller: Caller) -> list[tuple[str, UUID]]:
    """The principals and keys that authored Proposals which the caller may see. One query."""
    kinds = [ActorKind.PRINCIPAL, ActorKind.API_KEY]
    stores = stores_where(caller, Permission.READ).values("id")
    rows: Any = Proposal.objects.filter(store__in=stores, author_kind__in=kinds)
    return list(rows.order_by().values_list("author_kind", "author_uuid").distinct()[:MOST_AUTHORS])


def open_counts(store_ids: Collection[str]) -> dict[str, int]:
    """How many Proposals are open in each store. One query; stores without any are left out."""
    if len(store_ids) == 1:
        return dict(_open_count(store_id=next(iter(store_ids))))
    rows = Proposal.objects.filter(store__in=list(store_ids), status=ProposalStatus.OPEN)
    counts = rows.values("store").annotate(open=Count("id")).values_list("store", "open")
    return dict(counts)


@compiled
def _open_count(*, store_id: str) -> QuerySet[Any, Any]:
    rows = Proposal.objects.filter(store=store_id, status=ProposalStatus.OPEN)
    return rows.values("store").annotate(open=Count("id")).values_list("store", "open")


def _may_decide(caller: Caller) -> bool:
    """Whether a caller is who it says, and no machine (contract P3)."""
    return not caller.named_principal_id and not caller.principal_is_service


def _decidable(caller: Caller) -> Q:
    """The rules about who may approve, as a condition; `rules.py` is what decides.

    What they approved already waits for others.
    """
    if not _may_decide(caller):
        return Q(pk__in=[])
    reviewable = stores_where(caller, Permission.READ, Permission.REVIEW)
    others = ~authored_by_caller(caller) | Q(store__self_approval=SelfApproval.ALLOWED)
    here = Q(store__in=reviewable.filter(lifecycle=Lifecycle.ACTIVE))
    return here & others & ~Q(approved_by(caller))
