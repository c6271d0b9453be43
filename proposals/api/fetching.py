"""The Proposal that a route names."""

from rest_framework.request import Request

from memory.access import StoreAccess, open_store
from proposals.queries.rows import require_proposal
from tenancy.api.base import caller_of
from wire.parsing import parse_path_id


def fetch_proposal(request: Request, store: str, proposal: str) -> tuple[StoreAccess, str]:
    """The store and the Proposal of a request. Raises NotFound when there is no such one."""
    access = open_store(caller_of(request), parse_path_id("store", store))
    proposal_id = parse_path_id("proposal", proposal)
    require_proposal(access.store_id, proposal_id)
    return access, proposal_id
