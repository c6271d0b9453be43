"""Changing how long a Workspace keeps bodies (contract X3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from database.transactions import durable, step
from jobs.enqueueing import enqueue
from memory.access import GONE
from memory.erasure.reports import open_report
from memory.erasure.zero_retention import ERASE
from memory.importing.ending import abandon
from memory.importing.holding import hold_import
from memory.models import (
    ErasureReport,
    Lifecycle,
    MemoryStore,
    RetentionPolicy,
    StoreImport,
)
from memory.queries.retention import policy_of
from tenancy.administration import bump_authority, require_admin, require_bound, take_turn
from tenancy.audit import record
from tenancy.caller import Caller
from wire.errors import Conflict, Malformed
from wire.times import now


@dataclass(frozen=True, slots=True)
class PolicyChanges:
    """What to change of a policy.

    Attributes:
        values: new values by the names of RetentionPolicy's columns; what is left out stays.
        erase_existing: whether to erase all bodies that the Workspace has, and to abandon its
            imports that are not complete.
    """

    values: Mapping[str, Any]
    erase_existing: bool = False


@durable
def change_retention_policy(
    *, caller: Caller, version: int, changes: PolicyChanges
) -> RetentionPolicy:
    """Change a Workspace's retention policy, for every body that is written from now on.

    Writes under way are in one order with it: one that ended before it stands, with the ceiling
    of its time; one that has not ended is measured by the new policy.

    Args:
        version: the policy's, as the change was made from it (contract M9).

    Raises:
        PolicyDenied: the caller is no admin of the Workspace, or only named its principal.
        Conflict: the policy is not at `version` any more.
        Malformed: all bodies shall be erased while new ones may be written.
    """
    caller = take_turn(caller)
    require_admin(caller)
    require_bound(caller)
    policy = policy_of(caller.workspace_id)
    if policy.version != version:
        raise Conflict(f"The retention policy's version is {policy.version}, not {version}.")
    for name, value in changes.values.items():
        setattr(policy, name, value)
    if changes.erase_existing and not policy.zero_data_retention:
        raise Malformed("erase_existing: only together with zero_data_retention.")
    if changes.erase_existing:
        _abandon_imports(caller)
    _await_writers(caller.workspace_id)
    _keep(caller, policy, changes)
    if changes.erase_existing:
        _enqueue_erasure(caller)
    bump_authority(caller.workspace_id)
    return policy


@step
def _abandon_imports(caller: Caller) -> None:
    """Delete the stores whose import is not complete: what was received for them holds texts."""
    pending = StoreImport.objects.filter(
        workspace=caller.workspace_id, store__lifecycle=Lifecycle.PENDING
    )
    for store_id in list(pending.order_by("store").values_list("store", flat=True)):
        abandon(caller=caller, made=hold_import(store_id))


@step
def _await_writers(workspace_id: str) -> None:
    """Let writes end that have passed their last look already; others wait, and will see."""
    stores = MemoryStore.objects.select_for_update(no_key=True).filter(workspace=workspace_id)
    living = stores.exclude(lifecycle__in=GONE).order_by("id")
    list(living.values_list("id", flat=True))


@step
def _keep(caller: Caller, policy: RetentionPolicy, changes: PolicyChanges) -> None:
    policy.version += 1
    policy.updated_at = now()
    policy.save()
    record(
        caller=caller,
        event="retention_policy.changed",
        target_kind="workspace",
        target_id=caller.workspace_id,
        detail={**changes.values, "erase_existing": changes.erase_existing},
    )


@step
def _enqueue_erasure(caller: Caller) -> None:
    """Have workers erase all bodies, unless some are at it."""
    job = enqueue(caller=caller, kind=ERASE, once=True)
    if not ErasureReport.objects.filter(job=job).exists():
        operation = ErasureReport.Operation.RETENTION
        open_report(caller=caller, job_id=job.id, store_id=None, operation=operation)
