"""Starting Runs (contract S1, S3, S5)."""

from typing import Any

from database.transactions import durable, step
from memory import receipts
from memory.receipts import Receipt
from memory.retention import has_zero_retention
from sessions.access import SessionAccess, require_active
from sessions.auditing import record_of_session
from sessions.events.entries import accessed, resources_resolved, run_refused
from sessions.events.log import Entry, append
from sessions.models import Run, Session
from sessions.mounts.admission import require_in_use
from sessions.turns.runs import (
    Begun,
    Resources,
    finish_stores,
    hold_resources,
    make_working_refs,
)
from tenancy.caller import Caller
from wire.errors import ApiError, HarnessIncompatible
from wire.idempotency import IdempotencyKey
from wire.ids import new_id
from wire.times import now


@durable
def start_run(*, access: SessionAccess, key: IdempotencyKey | None = None) -> Begun:
    """Resolve a Session's mounts, freeze them, and let a Run begin.

    A mount that comes to nothing leaves one `run.refused` event and no Run; an environment that
    could not tell what was written leaves a failed Run. Both are in the answer and not raised,
    so that they stay.

    Raises:
        PolicyDenied: the caller may not start Runs here.
        DisabledTenancy: the acting principal is disabled.
        ReadOnly: the Session, its agent or environment, or a store to be written is archived.
        HarnessIncompatible, Conflict: as `sessions.mounts.refusals` says of a mount, or the key
            was used with another request.
    """
    _require(access)
    resources = hold_resources(access.session)
    denial = resources.denial
    if denial:
        return _refuse(access, resources, denial)
    receipt = receipts.claim(caller=access.caller, key=key)
    if receipt.outcome:
        return _told_again(receipt.outcome)
    if resources.would_lose_writes:
        return _fail(access, resources, receipt)
    resources.require_mountable()
    return _begin(access, resources, receipt)


def _require(access: SessionAccess) -> None:
    access.require_start()
    access.require_active()
    require_in_use(access.session.agent, access.session.environment)


@step
def _refuse(access: SessionAccess, resources: Resources, denial: ApiError) -> Begun:
    append(access.session_id, [run_refused(resources.denied)])
    record_of_session(access.caller, access.session_id, "run.refused", mounts=len(resources.denied))
    return Begun(None, denial)


@step
def _fail(access: SessionAccess, resources: Resources, receipt: Receipt) -> Begun:
    run = _insert(access.caller, access.session, Run.State.FAILED)
    _append(access, [resources_resolved(resources.resolved, run_id=run.id)])
    receipts.keep(receipt, {"run": run.id})
    record_of_session(access.caller, access.session_id, "run.failed", run=run.id)
    return Begun(run.id, _incompatible(run.id))


@step
def _begin(access: SessionAccess, resources: Resources, receipt: Receipt) -> Begun:
    stores = make_working_refs(access.caller, resources)
    run = _insert(access.caller, access.session, Run.State.RUNNING)
    receipts.keep(receipt, {"run": run.id})
    told = {"run": run.id, "working_refs": len(stores)}
    record_of_session(access.caller, access.session_id, "run.started", **told)
    shown = accessed(
        resources.shown,
        run_id=run.id,
        turn=run.id,
        zero_data_retention=has_zero_retention(access.caller.workspace_id),
    )
    _append(access, [resources_resolved(resources.resolved, run_id=run.id), *shown])
    finish_stores(access.caller, access.session, stores)
    return Begun(run.id)


@step
def _append(access: SessionAccess, entries: list[Entry]) -> None:
    """Write events, and see that nobody archived the Session meanwhile: its row is locked now."""
    append(access.session_id, entries)
    require_active(Session.objects.get(id=access.session_id))


@step
def _insert(caller: Caller, session: Session, state: Run.State) -> Run:
    moment = now()
    return Run.objects.create(
        id=new_id("run"),
        session=session,
        state=state,
        created_at=moment,
        created_by_kind=caller.kind,
        created_by_uuid=caller.id,
        ended_at=moment if state == Run.State.FAILED else None,
    )


def _told_again(outcome: dict[str, Any]) -> Begun:
    run = Run.objects.get(id=outcome["run"])
    failed = run.state == Run.State.FAILED
    return Begun(run.id, _incompatible(run.id) if failed else None, replayed=True)


def _incompatible(run_id: str) -> HarnessIncompatible:
    return HarnessIncompatible(
        f"{run_id} failed: the environment neither captures whole trees nor writes by calls, so"
        " what is written in a mount that comes to read_write is lost. Mount it read_only."
    )
