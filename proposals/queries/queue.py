"""The review queue: what waits for one person, what they wait for, what was decided."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Q, QuerySet

from memory.models import Lifecycle, SelfApproval
from proposals.models import Proposal, ProposalStatus
from proposals.queries.approvals import approved_by
from proposals.queries.filters import EVERYTHING, Filters, authored_by_caller, narrow
from proposals.queries.rows import ProposalView, describe, proposals_in, stores_where
from tenancy.caller import Caller
from tenancy.models import Permission

SECTION_LENGTH: Final = 50


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the queue.

    Attributes:
        has_more: whether there is more than these.
    """

    views: tuple[ProposalView, ...]
    has_more: bool


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
    """The queue of a person. Seven queries, however long it is; eight where paths have rules.

    Args:
        length: Proposals of a section at most.
    """
    rows = narrow(visible_proposals(caller), filters)
    open_rows = rows.filter(status=ProposalStatus.OPEN)
    mine, decidable = authored_by_caller(caller), _decidable(caller)
    sections = [
        open_rows.filter(decidable).order_by("id"),
        open_rows.filter(mine).exclude(decidable).order_by("-id"),
        open_rows.exclude(mine).exclude(decidable).order_by("-id"),
        rows.exclude(status=ProposalStatus.OPEN).order_by("-resolved_at", "-id"),
    ]
    found = [list(section[: length + 1]) for section in sections]
    views = iter(describe(caller, [row for rows in found for row in rows[:length]]))
    return Queue(*(_section(rows, length, views) for rows in found))


def _section(rows: Collection[Any], length: int, views: Any) -> Section:
    shown = tuple(next(views) for _ in range(min(len(rows), length)))
    return Section(shown, has_more=len(rows) > length)


def visible_proposals(caller: Caller) -> QuerySet[Any]:
    """The Proposals of every store that the caller may read."""
    return proposals_in(stores_where(caller, Permission.READ), caller)


def waiting_count(caller: Caller) -> int:
    """How many Proposals wait for this person's decision. One query."""
    return Proposal.objects.filter(_decidable(caller), status=ProposalStatus.OPEN).count()


def open_counts(store_ids: Collection[str]) -> dict[str, int]:
    """How many Proposals are open in each store. One query; stores without any are left out."""
    rows = Proposal.objects.filter(store__in=list(store_ids), status=ProposalStatus.OPEN)
    counts = rows.values("store").annotate(open=Count("id")).values_list("store", "open")
    return dict(counts)


def _decidable(caller: Caller) -> Q:
    """The rules about who may approve, as a condition; `rules.py` is what decides.

    What they approved already waits for others.
    """
    if caller.named_principal_id or caller.principal_is_service:
        return Q(pk__in=[])
    reviewable = stores_where(caller, Permission.READ, Permission.REVIEW)
    others = ~authored_by_caller(caller) | Q(store__self_approval=SelfApproval.ALLOWED)
    here = Q(store__in=reviewable.filter(lifecycle=Lifecycle.ACTIVE))
    return here & others & ~Q(approved_by(caller))
