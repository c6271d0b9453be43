"""/v1/memory-stores/{id}/proposals: opening and reading Proposals (contract P1)."""

from typing import Annotated, Literal, Self

from pydantic import model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import open_store
from memory.api.changes import Operations, parse_operations
from memory.api.fields import Description, VersionId
from memory.api.publishing import Published, publish
from memory.api.replays import REPLAYED_HEADER, replay_headers
from proposals.actions.create import NewProposal, Restore, create_proposal
from proposals.api.resources import ProposalOut, render_proposal
from proposals.models import ProposalStatus
from proposals.opening import Words
from proposals.publication import acquire_proposals
from proposals.queries.filters import Filters, narrow
from proposals.queries.rows import describe, get_proposal, proposals_in
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    NotFound,
    PolicyDenied,
    RangeTooLarge,
    ReadOnly,
)
from wire.fields import IdOf, Name
from wire.idempotency import require_key
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query


class CreateProposal(Body):
    """A head that exists, or what seals one, operations or a restore: exactly one of the three."""

    title: Name
    description: Description = ""
    base_version: VersionId | None = None
    """What the head shall replace as canonical; canonical as it is now, when left out."""
    head_version: VersionId | None = None
    """A version that descends from the base."""
    restore_version: VersionId | None = None
    """A version of the store whose tree is to be brought back."""
    operations: Operations | None = None
    """Changes on the base, which expect what it holds."""

    @model_validator(mode="after")
    def _one_head(self) -> Self:
        heads = (self.head_version, self.restore_version, self.operations)
        if sum(head is not None for head in heads) != 1:
            raise ValueError("give one of restore_version, head_version or operations")
        return self

    def proposal(self) -> NewProposal:
        """What to propose, as the action takes it."""
        words = Words(self.title, self.description)
        if self.restore_version:
            return NewProposal(words, Restore(self.restore_version), self.base_version)
        head = self.head_version or parse_operations(self.operations or [])
        return NewProposal(words, head, self.base_version)


class ProposalsQuery(PagedQuery):
    """Which Proposals of a store."""

    status: Literal["open", "approved", "rejected", "superseded"] | None = None
    author: Annotated[str, IdOf("principal", "api_key", "session")] | None = None
    """A principal, also through the keys that are bound to it, or a key, or a Session."""

    def filters(self) -> Filters:
        """The filters as queries take them."""
        return Filters(
            author=self.author, status=ProposalStatus(self.status) if self.status else None
        )


class ProposalsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryProposals",
        summary="List a store's Proposals",
        query=ProposalsQuery,
        answers={200: Listing[ProposalOut]},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Newest first."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, ProposalsQuery)
        access.require_content()
        rows = narrow(proposals_in([access.store_id], access.caller), query.filters())
        shown, next_page = newest_first(rows, query)
        views = describe(access.caller, shown)
        answer = list_body([render_proposal(view) for view in views], next_page)
        return publish(acquire_proposals(access, views), answer)

    @operation(
        "memoryStores.createMemoryProposal",
        summary="Open a Proposal",
        body=CreateProposal,
        answers={201: ProposalOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, RangeTooLarge),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str) -> Response:
        """Freezes base, head and the hash of their difference. Needs `read` and `write`.

        A base that is not canonical any more is admitted; the Proposal is stale from its birth.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, CreateProposal)
        key = require_key(request, body.model_dump(mode="json"))
        created = create_proposal(access=access, proposal=body.proposal(), key=key)
        answer = render_proposal(get_proposal(access, created.proposal_id))
        return Response(answer, status=201, headers=replay_headers(replayed=created.replayed))


class ProposalView(ApiView):
    versioned = True

    @operation(
        "memoryStores.getMemoryProposal",
        summary="Read a Proposal",
        answers={200: ProposalOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, proposal: str) -> Published:
        """With what an approval by this caller needs, and who could satisfy what is missing."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        view = get_proposal(access, parse_path_id("proposal", proposal))
        parse_nothing(request)
        access.require_content()
        return publish(acquire_proposals(access, [view]), render_proposal(view))
