"""Accepting inputs: what a Session may read and write for one, frozen (contract S1, S6)."""

from database.rows import insert_rows
from database.transactions import durable, step
from memory import receipts
from memory.receipts import Receipt
from sessions.access import SessionAccess, require_active
from sessions.auditing import record_of_session
from sessions.events.entries import resources_resolved, run_refused
from sessions.events.log import append
from sessions.models import Access, InputMount, Session, SessionInput
from sessions.mounts.admission import require_in_use
from sessions.queries.facts import AS_MOUNTED, Chosen
from sessions.turns.native import require_native_writer, require_usable
from sessions.turns.runs import (
    Begun,
    Resolved,
    Resources,
    finish_stores,
    hold_resources,
    make_working_refs,
)
from wire.errors import ApiError, Malformed, name_some
from wire.idempotency import IdempotencyKey
from wire.ids import new_id
from wire.times import now


@durable
def accept_input(
    *, access: SessionAccess, chosen: Chosen = AS_MOUNTED, key: IdempotencyKey | None = None
) -> Begun:
    """Resolve a Session's mounts, and keep what each comes to for all rounds of an input.

    A mount that comes to nothing leaves one `run.refused` event and no input; that is in the
    answer and not raised, so that it stays.

    Args:
        chosen: what this input selects instead of what the mounts do.

    Raises:
        Malformed: there is no mount for which something was chosen.
        PolicyDenied: the caller may not send inputs here.
        DisabledTenancy: the acting principal is disabled.
        NotFound: a store is gone.
        ReadOnly: the Session, its agent or environment, or a store is archived.
        HarnessIncompatible: the environment does not write natively.
        Conflict: as `sessions.mounts.refusals` says of a mount, or the key was used with
            another request.
    """
    _require(access)
    resources = hold_resources(access.session, chosen)
    _require_mounted(resources.resolved, chosen)
    denial = resources.denial
    if denial:
        return _refuse(access, resources, denial)
    receipt = receipts.claim(caller=access.caller, key=key)
    if receipt.outcome:
        return Begun(receipt.outcome["input"], replayed=True)
    require_native_writer(access.session)
    require_usable(access.session, [mount.store_id for mount, _ in resources.resolved])
    resources.require_mountable()
    return _accept(access, resources, receipt)


def _require(access: SessionAccess) -> None:
    access.require_issuer()
    access.require_active()
    require_in_use(access.session.agent, access.session.environment)


def _require_mounted(resolved: Resolved, chosen: Chosen) -> None:
    missing = chosen.keys() - {mount.position for mount, _ in resolved}
    if missing:
        named = name_some(str(position) for position in sorted(missing))
        raise Malformed(f"selections: the Session has no mount {named}.")


@step
def _refuse(access: SessionAccess, resources: Resources, denial: ApiError) -> Begun:
    append(access.session_id, [run_refused(resources.denied)])
    record_of_session(
        access.caller, access.session_id, "input.refused", mounts=len(resources.denied)
    )
    return Begun(None, denial)


@step
def _accept(access: SessionAccess, resources: Resources, receipt: Receipt) -> Begun:
    stores = make_working_refs(access.caller, resources)
    accepted = SessionInput.objects.create(
        session=access.session,
        created_at=now(),
        created_by_kind=access.caller.kind,
        created_by_uuid=access.caller.id,
        id=new_id("input"),
    )
    insert_rows(_plan(accepted, resources.resolved))
    receipts.keep(receipt, {"input": accepted.id})
    told = {"input": accepted.id, "working_refs": len(stores)}
    record_of_session(access.caller, access.session_id, "input.accepted", **told)
    append(access.session_id, [resources_resolved(resources.resolved, input_id=accepted.id)])
    require_active(Session.objects.get(id=access.session_id))  # its row is locked from here on
    finish_stores(access.caller, access.session, stores)
    return Begun(accepted.id)


def _plan(accepted: SessionInput, resolved: Resolved) -> list[InputMount]:
    """What an input keeps of each mount: its selection, its version, its write offering."""
    plan = []
    for mount, resolution in resolved:
        selection = resolution.facts.selection
        plan.append(
            InputMount(
                input=accepted,
                position=mount.position,
                store_id=mount.store_id,
                selection_kind=selection.kind if selection else None,
                selection_uuid=selection.id if selection else None,
                version_id=resolution.version,
                is_writable=resolution.effective == Access.READ_WRITE,
            )
        )
    return plan
