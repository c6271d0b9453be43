"""Making and archiving Sessions (contract S1, S2)."""

from dataclasses import dataclass

from database.rows import insert_rows
from database.transactions import durable, step
from memory import receipts
from sessions.access import SessionAccess, held
from sessions.auditing import record_of_session
from sessions.events.entries import mount_resolved
from sessions.events.log import Entry, append
from sessions.models import EventKind, Mount, Session
from sessions.mounts.admission import Admission, NewMount, NewSession, admit
from sessions.mounts.resolver import Resolution
from tenancy.administration import bump_authority
from tenancy.caller import Caller
from tenancy.keys import end_agents_keys
from wire.idempotency import IdempotencyKey
from wire.ids import new_id
from wire.times import now


@dataclass(frozen=True, slots=True)
class CreatedSession:
    """A new Session, and whether this request only told it again."""

    session_id: str
    replayed: bool


@durable
def create_session(
    *, caller: Caller, wanted: NewSession, key: IdempotencyKey | None = None
) -> CreatedSession:
    """Make a Session for the caller's acting principal, and admit its mounts.

    A principal without the grants that a mount needs does not prevent the Session: the mount
    comes to `none`, and a Run is refused later (contract S1).

    Raises:
        Malformed, NotFound, PolicyDenied, ReadOnly: as `sessions.mounts.admission.admit` says.
        HarnessIncompatible: a selection is to be written on that the environment cannot write on.
        Conflict: a selected version is not retained, or the key was used with another request.
    """
    admission = admit(caller, wanted)
    receipt = receipts.claim(caller=caller, key=key)
    if receipt.outcome:
        return CreatedSession(receipt.outcome["session"], replayed=True)
    admission.require_selections()
    session = _insert(caller, wanted, admission)
    receipts.keep(receipt, {"session": session.id})
    return CreatedSession(session.id, replayed=False)


@durable
def archive_session(*, access: SessionAccess) -> None:
    """End a Session for good: it runs nothing more, and its keys stop working.

    Its working refs in other owners' stores stay (contract C7). Archiving an archived one changes
    nothing.

    Raises:
        PolicyDenied: the caller may not end it.
    """
    access = held(access)
    access.require_manage()
    active = Session.objects.filter(id=access.session_id, state=Session.State.ACTIVE)
    if active.update(state=Session.State.ARCHIVED, archived_at=now()):
        append(access.session_id, [Entry(EventKind.ARCHIVED, {})])
        record_of_session(access.caller, access.session_id, "session.archived")
        end_agents_keys(access.caller, access.session.agent_id, access.session_id)
        bump_authority(access.caller.workspace_id)


@step
def _insert(caller: Caller, wanted: NewSession, admission: Admission) -> Session:
    session = Session.objects.create(
        id=new_id("session"),
        workspace_id=caller.workspace_id,
        agent_id=wanted.agent_id,
        environment_id=wanted.environment_id,
        principal_id=admission.parties.principal_id,
        place=wanted.place,
        space_id=wanted.space_id,
        created_at=now(),
        created_by_kind=caller.kind,
        created_by_uuid=caller.id,
    )
    admitted = zip(wanted.mounts, admission.resolutions, strict=True)
    mounts = [
        _mount(session, position, mount, resolution)
        for position, (mount, resolution) in enumerate(admitted, start=1)
    ]
    insert_rows(mounts)
    append(session.id, [mount_resolved(mount) for mount in mounts])
    record_of_session(
        caller,
        session.id,
        "session.created",
        agent=session.agent_id,
        principal=session.principal_id,
        mounts=len(mounts),
    )
    return session


def _mount(session: Session, position: int, mount: NewMount, resolution: Resolution) -> Mount:
    selection = mount.wish.selection
    return Mount(
        session=session,
        position=position,
        store_id=mount.wish.store_id,
        requested=mount.wish.requested,
        effective=resolution.effective,
        reasons=[str(reason) for reason in resolution.reasons],
        selection_kind=selection.kind if selection else None,
        selection_uuid=selection.id if selection else None,
        mount_path=mount.mount_path,
        instructions=mount.instructions,
    )
