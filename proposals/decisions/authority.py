"""Authority that lasts as long as a decision takes.

A decision is refused when the grant it needs was taken back before it, and taking one back
waits for a decision that came first: there is no moment in between.
"""

from django.db import connection

from database.transactions import step
from memory.access import StoreAccess, open_store
from tenancy.recheck import recheck_authority
from wire.ids import uuid_from_id

_HOLD = "SELECT authority_epoch FROM tenancy_workspace WHERE id = %s FOR SHARE"
"""Changes of keys, grants and tenancy state raise the epoch, and so wait for this lock."""


@step
def hold_authority(access: StoreAccess) -> StoreAccess:
    """Open a store again, as this moment has it, and let nobody's authority change meanwhile.

    Raises:
        NotFound, PolicyDenied, InvalidKey, DisabledTenancy: what a fresh request would get before
            its grants count.
    """
    caller = access.caller
    if _hold_epoch(caller.workspace_id) != caller.authority_epoch or caller.has_expired:
        caller = recheck_authority(caller)
    held = open_store(caller, access.store_id)
    held.require_visible()
    return held


def _hold_epoch(workspace_id: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [uuid_from_id(workspace_id)])
        return int(cursor.fetchone()[0])
