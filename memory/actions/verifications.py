"""Having a store verified by a worker."""

from database.transactions import durable
from jobs.enqueueing import enqueue
from jobs.models import Job
from memory.access import StoreAccess
from memory.agents import refuse_agents
from memory.verification.jobs import VERIFY
from tenancy.models import Permission


@durable
def request_verification(*, access: StoreAccess) -> Job:
    """Have a store verified; a verification that waits or runs already is good enough.

    Raises:
        PolicyDenied: the caller is no admin of the Workspace and holds no `admin` on the store.
        NotFound: the store is being deleted.
    """
    refuse_agents(access.caller)
    if not access.caller.is_admin:
        access.require(Permission.ADMIN)
    access.require_known()
    return enqueue(
        caller=access.caller,
        kind=VERIFY,
        target_kind="store",
        target_id=access.store_id,
        once=True,
    )
