"""/v1/memory-stores/{id}/proposals/{proposal}/diff: what a reviewer reads (contract P1, R3)."""

from rest_framework.request import Request

from memory.access import open_store
from memory.api.diffs import DiffOut, DiffParts, publish_diff
from memory.api.publishing import Published
from proposals.queries.rows import get_proposal
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied
from wire.operations import operation
from wire.parsing import parse_path_id, parse_query


class ProposalDiffView(ApiView):
    versioned = True

    @operation(
        "memoryStores.diffMemoryProposal",
        summary="Read what a Proposal changes",
        query=DiffParts,
        answers={200: DiffOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, proposal: str) -> Published:
        """From the frozen base to the frozen head: the answer never changes, but for erasures.

        Its `diff_hash` is the Proposal's own: send it back with the decision.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        frozen = get_proposal(access, parse_path_id("proposal", proposal)).proposal
        parts = parse_query(request, DiffParts)
        access.require_content()
        return publish_diff(access, frozen.base_id, frozen.head_id, parts)
