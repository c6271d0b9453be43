"""Proposals as every list and page shows them: the same columns, the same few queries."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import FETCH_RAISE, OuterRef, QuerySet, Subquery

from database.fields import IdField
from memory.access import HIDDEN, StoreAccess
from memory.models import MemoryStore, Ref, RefKind
from proposals.authorship import authors_of
from proposals.models import Proposal
from proposals.queries.bodies import has_erased_body
from proposals.queries.comments import counted
from proposals.queries.holders import holders_on
from proposals.rules import Case, Circumstances, Requirement, requirements
from tenancy.authority import permissions_on
from tenancy.caller import Caller
from tenancy.models import Permission, TargetKind
from wire.errors import NotFound

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
    """

    proposal: Any
    canonical_id: str
    replaced_by: str | None
    has_erased_body: bool
    requirements: tuple[Requirement, ...]

    @property
    def is_stale(self) -> bool:
        """Whether it is open and canonical is not at its base any more (contract P1)."""
        return bool(self.proposal.is_open and self.canonical_id != self.proposal.base_id)

    @property
    def can_approve(self) -> bool:
        """Whether this caller's approval would move canonical now."""
        return all(requirement.satisfied for requirement in self.requirements)


def stores_where(caller: Caller, *permissions: Permission) -> QuerySet[Any]:
    """The Workspace's stores with content on which the caller holds all of `permissions`."""
    stores = MemoryStore.objects.filter(workspace=caller.workspace_id)
    granted = permissions_on(TargetKind.STORE, OuterRef("id"), caller)
    held: QuerySet[Any] = stores.annotate(granted=granted).exclude(lifecycle__in=HIDDEN)
    return held.filter(granted__contains=list(permissions))


def proposals_in(stores: QuerySet[Any] | Collection[str], caller: Caller) -> QuerySet[Any]:
    """The Proposals of some stores, with what `describe` needs on each."""
    canonical = Ref.objects.filter(store=OuterRef("store"), kind=RefKind.CANONICAL)
    replacements = Proposal.objects.filter(replaces=OuterRef("id"))
    return (
        Proposal.objects.filter(store__in=stores)
        .select_related("store")
        .defer("document_versions")
        .annotate(
            canonical_id=Subquery(canonical.values("version"), output_field=IdField("version")),
            replacement_id=Subquery(replacements.values("id")),
            has_erased_body=has_erased_body(),
            granted=permissions_on(TargetKind.STORE, OuterRef("store"), caller),
            **counted(),
        )
        .fetch_mode(FETCH_RAISE)
    )


def describe(caller: Caller, rows: Iterable[Any]) -> list[ProposalView]:
    """Apply the rules to rows of `proposals_in`. Two queries for all of them."""
    listed = list(rows)
    authors = authors_of(listed)
    holders = holders_on(caller.workspace_id, {row.store_id for row in listed})
    return [
        _view(Case(caller, frozenset(row.granted), row.store, row, authors[row.id]), holders)
        for row in listed
    ]


def _view(case: Case, holders: Any) -> ProposalView:
    row: Any = case.proposal
    circumstances = Circumstances(row.canonical_id, row.has_erased_body)
    return ProposalView(
        proposal=row,
        canonical_id=row.canonical_id,
        replaced_by=row.replacement_id,
        has_erased_body=row.has_erased_body,
        requirements=requirements(case, circumstances, holders.get(row.store_id, ())),
    )


def get_proposal(access: StoreAccess, proposal_id: str) -> ProposalView:
    """One Proposal of a store with all that its page needs, base and head included.

    Raises:
        NotFound: the store has no such Proposal.
    """
    rows = proposals_in([access.store_id], access.caller).select_related("base", "head")
    row = rows.filter(id=proposal_id).first()
    if row is None:
        raise NotFound(NO_SUCH_PROPOSAL)
    return describe(access.caller, [row])[0]


def require_proposal(store_id: str, proposal_id: str) -> None:
    """Raise NotFound unless the store has such a Proposal."""
    if not Proposal.objects.filter(store=store_id, id=proposal_id).exists():
        raise NotFound(NO_SUCH_PROPOSAL)
