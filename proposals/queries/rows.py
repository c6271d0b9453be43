"""Proposals as every list and page shows them: the same columns, the same few queries."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import FETCH_RAISE, OuterRef, QuerySet, Subquery

from database.compiled import compiled
from database.fields import IdField
from memory.access import HIDDEN, StoreAccess
from memory.models import MemoryStore, Ref, RefKind
from proposals.decisions.authorship import approver_of, authors_of
from proposals.decisions.rules import Case, Circumstances, Requirement, can_approve, requirements
from proposals.decisions.tally import Approval, Holder, Tally, count
from proposals.models import Proposal
from proposals.queries.approvals import approvals_of, paths_of
from proposals.queries.bodies import has_erased_body
from proposals.queries.comments import counted
from proposals.queries.holders import holders_on
from tenancy.authority import permissions_on
from tenancy.caller import Caller
from tenancy.models import Permission, TargetKind
from wire.errors import NotFound
from wire.times import now

NO_SUCH_PROPOSAL = "The store has no such Proposal."


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A Proposal as one caller sees it now.

    Attributes:
        proposal: with its store and the counts of its comments, without `document_versions`.
        canonical_id: where canonical is now.
        replaced_by: the Proposal that re-proposes it, if one does.
        has_erased_body: whether it is open and a body on either side is gone.
        requirements: what an approval by this caller needs.
        tally: the approvals so far; of a resolved Proposal, without what it needed.
    """

    proposal: Any
    canonical_id: str
    replaced_by: str | None
    has_erased_body: bool
    requirements: tuple[Requirement, ...]
    tally: Tally

    @property
    def is_stale(self) -> bool:
        """Whether it is open and canonical is not at its base any more (contract P1)."""
        return bool(self.proposal.is_open and self.canonical_id != self.proposal.base_id)

    @property
    def can_approve(self) -> bool:
        """Whether this caller's approval would be taken now: the last one, or one of several."""
        return can_approve(self.requirements, self.tally)


def stores_where(caller: Caller, *permissions: Permission) -> QuerySet[Any]:
    """The Workspace's stores with content on which the caller holds all of `permissions`."""
    stores = MemoryStore.objects.filter(workspace=caller.workspace_id)
    granted = permissions_on(TargetKind.STORE, OuterRef("id"), caller)
    held: QuerySet[Any] = stores.annotate(granted=granted).exclude(lifecycle__in=HIDDEN)
    return held.filter(granted__contains=list(permissions))


def proposals_in(
    stores: QuerySet[Any] | Collection[str], caller: Caller, at: datetime | None = None
) -> QuerySet[Any]:
    """The Proposals of some stores, with what `describe` needs on each.

    Args:
        at: the moment at which bodies have expired or not; now when left out.
    """
    granted = permissions_on(TargetKind.STORE, OuterRef("store"), caller)
    rows = _with_facts(Proposal.objects.filter(store__in=stores), at or now())
    held: QuerySet[Any] = rows.annotate(granted=granted)
    return held


def _with_facts(rows: QuerySet[Any], at: datetime) -> QuerySet[Any]:
    """Proposals with what `describe` needs on each, but for what the caller holds."""
    canonical = Ref.objects.filter(store=OuterRef("store"), kind=RefKind.CANONICAL)
    replacements = Proposal.objects.filter(replaces=OuterRef("id"))
    told: QuerySet[Any] = (
        rows.select_related("store")
        .defer("document_versions")
        .annotate(
            canonical_id=Subquery(canonical.values("version"), output_field=IdField("version")),
            canonical_moved_at=Subquery(canonical.values("updated_at")),
            replacement_id=Subquery(replacements.values("id")),
            has_erased_body=has_erased_body(at),
            **counted(),
        )
        .fetch_mode(FETCH_RAISE)
    )
    return told


@compiled
def _proposal(*, store_id: str, proposal_id: str, at: datetime) -> QuerySet[Any]:
    rows = Proposal.objects.filter(store=store_id, id=proposal_id)
    return _with_facts(rows, at).select_related("base", "head")


def describe(caller: Caller, rows: Iterable[Any]) -> list[ProposalView]:
    """Apply the rules to rows of `proposals_in`.

    Three queries for all of them, and one more when a store among them has rules for paths.
    """
    listed = list(rows)
    told = _Told(
        caller,
        authors=authors_of(listed),
        holders=holders_on(caller.workspace_id, {row.store_id for row in listed}),
        approvals=approvals_of([row.id for row in listed]),
        paths=paths_of([row.id for row in listed if row.is_open and row.store.review_rules]),
    )
    return [_view(row, told) for row in listed]


@dataclass(frozen=True, slots=True)
class _Told:
    """What is looked up for all rows of a list at once, by Proposal or by store."""

    caller: Caller
    authors: dict[str, frozenset[UUID]]
    holders: dict[str, list[Holder]]
    approvals: dict[str, tuple[Approval, ...]]
    paths: dict[str, list[str]]


def _view(row: Any, told: _Told) -> ProposalView:
    case = Case(told.caller, frozenset(row.granted), row.store, row, told.authors[row.id])
    holders = told.holders.get(row.store_id, [])
    tally = _tally(case, told, holders)
    circumstances = Circumstances(row.canonical_id, row.has_erased_body)
    return ProposalView(
        proposal=row,
        canonical_id=row.canonical_id,
        replaced_by=row.replacement_id,
        has_erased_body=row.has_erased_body,
        requirements=requirements(case, circumstances, holders, tally),
        tally=tally,
    )


def _tally(case: Case, told: _Told, holders: list[Holder]) -> Tally:
    proposal = case.proposal
    approvals = told.approvals.get(proposal.id, ())
    if not proposal.is_open:
        return Tally((), approvals)
    return count(
        case.standing,
        approvals=approvals,
        holders=holders,
        paths=told.paths.get(proposal.id, ()),
        approver=approver_of(told.caller),
    )


def get_proposal(access: StoreAccess, proposal_id: str) -> ProposalView:
    """One Proposal of a store with all that its page needs, base and head included.

    Raises:
        NotFound: the store has no such Proposal.
    """
    found = _proposal(store_id=access.store_id, proposal_id=proposal_id, at=now())
    if not found:
        raise NotFound(NO_SUCH_PROPOSAL)
    found[0].granted = access.permissions
    return describe(access.caller, found)[0]


def store_of_proposal(caller: Caller, proposal_id: str) -> str:
    """The store of the caller's Workspace that has a Proposal, whoever may read it.

    Raises:
        NotFound: none of its stores has it.
    """
    for store_id in _store_of(proposal_id=proposal_id, workspace_id=caller.workspace_id):
        return str(store_id)
    raise NotFound(NO_SUCH_PROPOSAL)


@compiled
def _store_of(*, proposal_id: str, workspace_id: str) -> QuerySet[Any, Any]:
    rows = Proposal.objects.filter(id=proposal_id, store__workspace=workspace_id)
    return rows.values_list("store_id", flat=True)


def require_proposal(store_id: str, proposal_id: str) -> None:
    """Raise NotFound unless the store has such a Proposal."""
    if not Proposal.objects.filter(store=store_id, id=proposal_id).exists():
        raise NotFound(NO_SUCH_PROPOSAL)
