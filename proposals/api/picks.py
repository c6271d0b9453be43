"""/v1/memory-stores/{id}/proposals/{proposal}/pick: some of the changes as a new Proposal."""

from typing import Annotated

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.changes import MAX_OPERATIONS
from memory.api.fields import DocumentPath
from memory.api.replays import REPLAYED_HEADER, replay_headers
from proposals.actions.pick import pick_changes
from proposals.api.fetching import fetch_proposal
from proposals.api.resources import ProposalOut, render_proposal
from proposals.queries.rows import get_proposal
from tenancy.api.base import ApiView
from wire.errors import Conflict, NotFound, PolicyDenied, RangeTooLarge, ReadOnly
from wire.fields import Name
from wire.idempotency import require_key
from wire.operations import operation
from wire.parsing import Body, parse_body


class PickChanges(Body):
    """Some of the changed paths, and what people are told of them."""

    title: Name
    paths: Annotated[list[DocumentPath], Field(min_length=1, max_length=MAX_OPERATIONS)]
    """A renamed document goes by its new path."""


class PickView(ApiView):
    versioned = True

    @operation(
        "memoryStores.pickMemoryProposalChanges",
        summary="Open a Proposal of some of the changes",
        body=PickChanges,
        answers={201: ProposalOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, RangeTooLarge),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str, proposal: str) -> Response:
        """On today's canonical; the one that is picked from stays open. Answers the new one.

        Authors stay authors of what was picked, and whoever picks becomes one beside them.
        """
        access, proposal_id = fetch_proposal(request, id, proposal)
        body = parse_body(request, PickChanges)
        key = require_key(request, body.model_dump(mode="json"))
        done = pick_changes(
            access=access, proposal_id=proposal_id, paths=body.paths, title=body.title, key=key
        )
        answer = render_proposal(get_proposal(access, done.proposal_id))
        return Response(answer, status=201, headers=replay_headers(replayed=done.replayed))
