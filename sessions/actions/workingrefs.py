"""Making and releasing working refs, for who may write to the store (contract C7)."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from database.transactions import durable
from memory import receipts, refs
from memory.access import StoreAccess
from memory.actors import actor_of
from memory.agents import refuse_agents
from memory.models import Ref, RefKind
from memory.queries.versions import canonical_id
from memory.stores import finish_write
from sessions.access import find_session, require_active
from sessions.turns.workingrefs import open_working_ref, ref_of
from tenancy.audit import record
from tenancy.models import Permission
from wire.idempotency import IdempotencyKey
from wire.times import render_time


@dataclass(frozen=True, slots=True)
class MadeRef:
    """A working ref as it was made, and whether this request only told it again."""

    ref: Ref
    replayed: bool


@durable
def create_working_ref(
    *, access: StoreAccess, session_id: str, key: IdempotencyKey | None = None
) -> MadeRef:
    """Make a Session's working ref at canonical, which it retains from now on.

    Raises:
        NotFound: the Workspace has no such Session, or the store is not active.
        PolicyDenied: the caller holds no `write` on the store, or is an agent.
        ReadOnly: the store or the Session is archived.
        Conflict: there is one already, or the key was used with another request.
    """
    require = partial(_require_session, session_id)
    require(access)
    receipt = receipts.claim(caller=access.caller, key=key, store_id=access.store_id)
    if receipt.outcome:
        return MadeRef(_told_again(access, session_id, receipt.outcome), replayed=True)
    refs.hold(store_id=access.store_id, name=refs.CANONICAL)  # a redaction may move it just now
    made = open_working_ref(
        store_id=access.store_id,
        session_id=session_id,
        at=canonical_id(access.store_id),
        actor=actor_of(access.caller),
    )
    receipts.keep(receipt, {"made_at": made.version_id, "at": render_time(made.updated_at)})
    _audit(access, "working_ref.created", session_id, made.version_id)
    finish_write(access, require)
    return MadeRef(made, replayed=False)


@durable
def release_working_ref(*, access: StoreAccess, session_id: str) -> None:
    """Let go of a Session's working ref: a retention root goes, nothing is erased.

    Also that of a Session which is archived.

    Raises:
        NotFound: the store has no such ref, or is not active.
        PolicyDenied: the caller holds no `write` on the store, or is an agent.
        ReadOnly: the store is archived.
    """
    _require(access)
    name = ref_of(session_id)
    refs.hold(store_id=access.store_id, name=name)
    version = refs.current(access.store_id, name)
    refs.release(store_id=access.store_id, name=name, actor=actor_of(access.caller))
    _audit(access, "working_ref.released", session_id, version.id)
    finish_write(access, _require)


def _require_session(session_id: str, access: StoreAccess) -> None:
    session = find_session(access.caller.workspace_id, session_id)
    _require(access)
    require_active(session)


def _require(access: StoreAccess) -> None:
    access.require(Permission.WRITE)
    refuse_agents(access.caller)
    access.require_active()


def _told_again(access: StoreAccess, session_id: str, outcome: dict[str, Any]) -> Ref:
    """The ref as it was made, wherever it is now."""
    return Ref(
        store_id=access.store_id,
        kind=RefKind.SESSION,
        owner_uuid=session_id,
        version_id=outcome["made_at"],
        updated_at=datetime.fromisoformat(outcome["at"]),
    )


def _audit(access: StoreAccess, event: str, session_id: str, version_id: str) -> None:
    record(
        caller=access.caller,
        event=event,
        target_kind="store",
        target_id=access.store_id,
        detail={"session": session_id, "version": version_id},
    )
