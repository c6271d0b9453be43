"""Keeping refused responses, apart from the transaction that refused them (contract P2)."""

from database.transactions import durable
from memory.actors import actor_of
from memory.stores import hold_living_store
from proposals.decisions.errors import Refused
from proposals.models import ProposalAttempt, ProposalResponse
from tenancy.audit import record
from tenancy.caller import Caller
from wire.times import now


@durable
def record_attempt(
    *,
    caller: Caller,
    store_id: str,
    proposal_id: str,
    response: ProposalResponse,
    refused: Refused,
) -> None:
    """Write the attempt row of a refused response, and its audit row.

    Of a store that is being deleted meanwhile nothing is kept (contract X2).
    """
    if not hold_living_store(store_id):
        return
    actor = actor_of(caller)
    ProposalAttempt.objects.create(
        store_id=store_id,
        proposal_id=proposal_id,
        response=response,
        refusal=refused.refusal,
        error_type=refused.error.type,
        actor_kind=actor.kind,
        actor_uuid=actor.id,
        actor_agent_uuid=actor.agent_id,
        at=now(),
    )
    record(
        caller=caller,
        event="proposal.response_refused",
        target_kind="proposal",
        target_id=proposal_id,
        detail={"store": store_id, "response": response, "refusal": refused.refusal},
    )
