"""Deciding a Proposal, and re-proposing one that canonical left behind (contract P2, P4)."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.changes import MAX_OPERATIONS, NewDocument, each_path_once
from memory.api.fields import DocumentPath, Hash, VersionId
from memory.api.replays import REPLAYED_HEADER, replay_headers
from memory.trees.hashing import parse_hash
from proposals.actions.repropose import repropose
from proposals.actions.respond import Answer, Seen, respond
from proposals.actions.withdraw import withdraw_approval
from proposals.api.fetching import fetch_proposal
from proposals.api.resources import ProposalOut, render_proposal
from proposals.models import ProposalResponse
from proposals.queries.rows import get_proposal
from proposals.replays.choices import Accepted, Choice, Choices, Side
from tenancy.api.base import ApiView
from wire.errors import Conflict, NotFound, PolicyDenied, RangeTooLarge, ReadOnly
from wire.idempotency import require_key
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_nothing


class RespondToProposal(Body):
    """A decision. The last three say what was seen, and are compared when they are there."""

    response: Literal["approve", "reject"]
    note: Annotated[str, Field(max_length=4_096)] | None = None
    base_version: VersionId | None = None
    head_version: VersionId | None = None
    diff_hash: Hash | None = None

    def answer(self) -> Answer:
        """The decision as the action takes it."""
        diff_hash = parse_hash(self.diff_hash) if self.diff_hash else None
        seen = Seen(self.base_version, self.head_version, diff_hash)
        return Answer(ProposalResponse(self.response), self.note or None, seen)


class PutResolution(NewDocument):
    """Write another text, such as a merge that was finished by hand.

    Its media type, when left out, is that of the merged text, or follows the path.
    """

    take: Literal["content"]
    path: DocumentPath


class DeleteResolution(Body):
    """Leave no document there."""

    take: Literal["deletion"]
    path: DocumentPath


class MergeResolution(Body):
    """Take the merged text that `…/conflicts` offered, if it is without conflicts."""

    take: Literal["merge"]
    path: DocumentPath
    content_sha256: Hash
    """The merged text that was seen; another one by now is a 409."""


class SideResolution(Body):
    """Take what one side holds, or that it holds nothing."""

    take: Literal["canonical", "proposal"]
    path: DocumentPath


type ResolutionInput = Annotated[
    PutResolution | DeleteResolution | MergeResolution | SideResolution,
    Field(discriminator="take"),
]


class ReproposeProposal(Body):
    """The change is the Proposal's own, and its new base is canonical.

    Paths that both changed each need a resolution, and `canonical_version` with them.
    """

    canonical_version: VersionId | None = None
    """Where canonical must still be; it is a 409 when it moved."""
    resolutions: Annotated[
        list[ResolutionInput], Field(max_length=MAX_OPERATIONS), AfterValidator(each_path_once)
    ] = []
    """What shall be at the paths in conflict."""

    @model_validator(mode="after")
    def _names_canonical(self) -> Self:
        if self.resolutions and self.canonical_version is None:
            raise ValueError("canonical_version: resolutions are made on one; name it")
        return self

    def choices(self) -> Choices:
        """The resolutions as the action takes them."""
        by_path = {each.path: _choice(each) for each in self.resolutions}
        return Choices(self.canonical_version, by_path)


class RespondView(ApiView):
    versioned = True

    @operation(
        "memoryStores.respondToMemoryProposal",
        summary="Approve or reject a Proposal",
        body=RespondToProposal,
        answers={200: ProposalOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str, proposal: str) -> Response:
        """An approval moves canonical from exactly the frozen base to exactly the frozen head.

        While the store's review rules need more approvals, it moves nothing, is kept as one of
        `approvals`, and the Proposal stays `open`. When canonical has moved since the base, the
        Proposal becomes `superseded`, to be re-proposed. Responding the same again changes
        nothing; another response to a resolved Proposal is a 409.
        """
        access, proposal_id = fetch_proposal(request, id, proposal)
        body = parse_body(request, RespondToProposal)
        key = require_key(request, body.model_dump(mode="json"))
        done = respond(access=access, proposal_id=proposal_id, answer=body.answer(), key=key)
        answer = render_proposal(get_proposal(access, proposal_id))
        return Response(answer, headers=replay_headers(replayed=done.replayed))


class ApprovalView(ApiView):
    versioned = True

    @operation(
        "memoryStores.withdrawMemoryProposalApproval",
        summary="Withdraw one's own approval",
        answers={204: None},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict),
    )
    def delete(self, request: Request, id: str, proposal: str) -> Response:
        """Of a Proposal that is open because it needs more approvals than it has."""
        access, proposal_id = fetch_proposal(request, id, proposal)
        parse_nothing(request)
        withdraw_approval(access=access, proposal_id=proposal_id)
        return Response(status=204)


class ReproposeView(ApiView):
    versioned = True

    @operation(
        "memoryStores.reproposeMemoryProposal",
        summary="Re-propose a change on today's canonical",
        body=ReproposeProposal,
        answers={201: ProposalOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, RangeTooLarge),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str, proposal: str) -> Response:
        """For one that is open and stale, or superseded. Answers the new Proposal.

        The change is replayed path by path; a path that canonical changed too, and that no
        resolution is sent for, is a 409 that names it. The old Proposal becomes `superseded`.
        """
        access, proposal_id = fetch_proposal(request, id, proposal)
        body = parse_body(request, ReproposeProposal)
        key = require_key(request, body.model_dump(mode="json"))
        done = repropose(access=access, proposal_id=proposal_id, choices=body.choices(), key=key)
        answer = render_proposal(get_proposal(access, done.proposal_id))
        return Response(answer, status=201, headers=replay_headers(replayed=done.replayed))


def _choice(resolution: ResolutionInput) -> Choice:
    match resolution:
        case PutResolution():
            return resolution.put()
        case MergeResolution():
            return Accepted(parse_hash(resolution.content_sha256))
        case SideResolution():
            return Side(resolution.take)
        case DeleteResolution():
            return None
