"""Making and archiving Sessions (contract S1, S2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from database.rows import insert_rows
from database.transactions import durable, step
from memory import receipts
from sessions.access import SessionAccess, held
from sessions.entries import mount_resolved
from sessions.log import Entry, append
from sessions.models import SHARED_PLACES, EventKind, Mount, Place, Session
from sessions.queries.facts import Parties, Wish, gather, has_native_writer
from sessions.refusals import denial_of, refusal_of
from sessions.resolver import REFUSED_AT_ADMISSION, Reason, Refusal, Resolution, resolve
from tenancy.administration import bump_authority
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.keys import end_agents_keys
from tenancy.models import Agent, Environment
from tenancy.queries import find_agent, find_environment, find_space
from wire.errors import Malformed, NotFound, PolicyDenied, ReadOnly
from wire.headers import ACTING_PRINCIPAL
from wire.idempotency import IdempotencyKey
from wire.ids import new_id
from wire.times import now


@dataclass(frozen=True, slots=True)
class NewMount:
    """A store to mount, and the words and the place that the agent is told."""

    wish: Wish
    mount_path: str | None = None
    instructions: str | None = None


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a Session is made of."""

    agent_id: str
    environment_id: str
    place: Place = Place.PERSONAL
    space_id: str | None = None
    mounts: tuple[NewMount, ...] = ()


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
        Malformed: nobody acts, or a space is missing or too much.
        NotFound: the Workspace has no such agent, environment, space or store.
        PolicyDenied: the agent may not read a store; or the caller is itself an agent.
        ReadOnly: the agent or environment is archived, or a store that is to be written.
        HarnessIncompatible: a selection is to be written on that the environment cannot write on.
        Conflict: a selected version is not retained, or the key was used with another request.
    """
    principal_id = _acting_principal(caller)
    parties = _parties(caller, principal_id, wanted)
    resolutions = _resolve(parties, wanted)
    _require_admission(resolutions)
    receipt = receipts.claim(caller=caller, key=key)
    if receipt.outcome:
        return CreatedSession(receipt.outcome["session"], replayed=True)
    _require_selections(resolutions)
    session = _insert(caller, principal_id, wanted, resolutions)
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
        _audit(access.caller, access.session_id, "session.archived", {})
        end_agents_keys(access.caller, access.session.agent_id, access.session_id)
        bump_authority(access.caller.workspace_id)


def _acting_principal(caller: Caller) -> str:
    if caller.agent:
        raise PolicyDenied("The agent of a Session makes no other Sessions.")
    if caller.acting_principal_id is None:
        raise Malformed(
            "A Session acts for a principal: use a key that is bound to one, or name one in"
            f" {ACTING_PRINCIPAL}."
        )
    return caller.acting_principal_id


def _parties(caller: Caller, principal_id: str, wanted: NewSession) -> Parties:
    """Who takes part, all of them of this Workspace and still in use."""
    agent = find_agent(caller, wanted.agent_id)
    environment = find_environment(caller, wanted.environment_id)
    shared = wanted.place in SHARED_PLACES
    if wanted.space_id:
        find_space(caller, wanted.space_id)
    if shared != bool(wanted.space_id):
        raise Malformed("place.space: required in a private or public place, and only there.")
    _require_in_use(agent, environment)
    return Parties(
        workspace_id=caller.workspace_id,
        agent_id=agent.id,
        principal_id=principal_id,
        in_shared_place=shared,
        has_native_writer=has_native_writer(environment),
    )


def _require_in_use(agent: Agent, environment: Environment) -> None:
    if agent.state != Agent.State.ACTIVE:
        raise ReadOnly("The agent is archived and starts no Sessions.")
    if environment.state != Environment.State.ACTIVE:
        raise ReadOnly("The environment is archived and starts no Sessions.")


def _resolve(parties: Parties, wanted: NewSession) -> list[Resolution]:
    found = gather(parties, [mount.wish for mount in wanted.mounts])
    missing = [number for number, facts in enumerate(found) if facts is None]
    if missing:
        raise _no_such_store(missing[0])
    return [resolve(facts) for facts in found if facts]


def _no_such_store(number: int) -> NotFound:
    return NotFound(f"mounts[{number}].store: there is no such memory store.")


def _require_admission(resolutions: Sequence[Resolution]) -> None:
    """Refuse what grants and lifecycles do not allow; replays are held to it as well."""
    for resolution in resolutions:
        if Reason.AGENT_WITHOUT_READ in resolution.reasons:
            raise denial_of(resolution)
    for number, resolution in enumerate(resolutions):
        if Reason.STORE_GONE in resolution.reasons:
            raise _no_such_store(number)
        error = refusal_of(resolution)
        if error and resolution.refusal == Refusal.ARCHIVED:
            raise error


def _require_selections(resolutions: Sequence[Resolution]) -> None:
    for resolution in resolutions:
        error = refusal_of(resolution)
        if error and resolution.refusal in REFUSED_AT_ADMISSION:
            raise error


@step
def _insert(
    caller: Caller, principal_id: str, wanted: NewSession, resolutions: Sequence[Resolution]
) -> Session:
    session = Session.objects.create(
        id=new_id("session"),
        workspace_id=caller.workspace_id,
        agent_id=wanted.agent_id,
        environment_id=wanted.environment_id,
        principal_id=principal_id,
        place=wanted.place,
        space_id=wanted.space_id,
        created_at=now(),
        created_by_kind=caller.kind,
        created_by_uuid=caller.id,
    )
    mounts = [
        _mount(session, position, mount, resolution)
        for position, (mount, resolution) in enumerate(
            zip(wanted.mounts, resolutions, strict=True), start=1
        )
    ]
    insert_rows(mounts)
    append(session.id, [mount_resolved(mount) for mount in mounts])
    detail = {"agent": session.agent_id, "principal": principal_id, "mounts": len(mounts)}
    _audit(caller, session.id, "session.created", detail)
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


def _audit(caller: Caller, session_id: str, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        workspace_id=caller.workspace_id,
        event=event,
        target_kind="session",
        target_id=session_id,
        detail=detail,
    )
