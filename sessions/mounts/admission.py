"""Who takes part in a Session that is asked for, and what its mounts come to (contract S1, S2).

`preview` tells it to people before they ask; `admit` decides when they do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.models import SHARED_PLACES, Place
from sessions.mounts.refusals import denial_of, refusal_of
from sessions.mounts.resolver import REFUSED_AT_ADMISSION, Reason, Refusal, Resolution, resolve
from sessions.queries.facts import Parties, Wish, gather, has_native_writer
from tenancy.caller import Caller
from tenancy.models import Agent, Environment
from tenancy.queries import find_agent, find_environment, find_space
from wire.errors import Malformed, NotFound, PolicyDenied, ReadOnly
from wire.headers import ACTING_PRINCIPAL


@dataclass(frozen=True, slots=True)
class NewMount:
    """A store to mount, and what the agent and its runtime are told of it."""

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
class Admission:
    """A Session that grants and lifecycles allow.

    Attributes:
        resolutions: what each mount comes to, in their order.
    """

    parties: Parties
    resolutions: Sequence[Resolution]

    def require_selections(self) -> None:
        """Refuse selections that cannot be mounted as they are asked for; never rewrite them.

        Apart from the rest, since a replay is told before preconditions are looked at.

        Raises:
            HarnessIncompatible: one is to be written on that the environment cannot write on.
            Conflict: a selected version is not retained.
        """
        for resolution in self.resolutions:
            error = refusal_of(resolution)
            if error and resolution.refusal in REFUSED_AT_ADMISSION:
                raise error


def preview(caller: Caller, wanted: NewSession) -> Sequence[Resolution]:
    """What each mount of a Session would come to, for somebody who has not asked for it yet.

    Refusals are in the resolutions.

    Raises:
        Malformed, NotFound, PolicyDenied, ReadOnly: as `admit` says, of who takes part and of
            stores that are not there.
    """
    return _resolve(_parties(caller, wanted), wanted)


def admit(caller: Caller, wanted: NewSession) -> Admission:
    """Check who takes part in a Session, and what they mount.

    Raises:
        Malformed: nobody acts, or a space is missing or too much.
        NotFound: the Workspace has no such agent, environment, space or store.
        PolicyDenied: the agent may not read a store; or the caller is itself an agent.
        ReadOnly: the agent or environment is archived, or a store that is to be written.
    """
    parties = _parties(caller, wanted)
    resolutions = _resolve(parties, wanted)
    for resolution in resolutions:
        if Reason.AGENT_WITHOUT_READ in resolution.reasons:
            raise denial_of(resolution)
    for number, resolution in enumerate(resolutions):
        if Reason.STORE_GONE in resolution.reasons:
            raise _no_such_store(number)
        error = refusal_of(resolution)
        if error and resolution.refusal == Refusal.ARCHIVED:
            raise error
    return Admission(parties, resolutions)


def _parties(caller: Caller, wanted: NewSession) -> Parties:
    """Who takes part, all of them of this Workspace and still in use."""
    principal_id = _acting_principal(caller)
    agent = find_agent(caller, wanted.agent_id)
    environment = find_environment(caller, wanted.environment_id)
    if wanted.space_id:
        find_space(caller, wanted.space_id)
    shared = wanted.place in SHARED_PLACES
    if shared != bool(wanted.space_id):
        raise Malformed("place.space: required in a private or public place, and only there.")
    require_in_use(agent, environment)
    return Parties(
        workspace_id=caller.workspace_id,
        agent_id=agent.id,
        principal_id=principal_id,
        in_shared_place=shared,
        has_native_writer=has_native_writer(environment),
    )


def _acting_principal(caller: Caller) -> str:
    if caller.agent:
        raise PolicyDenied("The agent of a Session makes no other Sessions.")
    if caller.acting_principal_id is None:
        raise Malformed(
            "A Session acts for a principal: use a key that is bound to one, or name one in"
            f" {ACTING_PRINCIPAL}."
        )
    return caller.acting_principal_id


def require_in_use(agent: Agent, environment: Environment) -> None:
    """Raise ReadOnly once a Session's agent or environment is archived."""
    if agent.state != Agent.State.ACTIVE:
        raise ReadOnly("The agent is archived and starts nothing more.")
    if environment.state != Environment.State.ACTIVE:
        raise ReadOnly("The environment is archived and starts nothing more.")


def _resolve(parties: Parties, wanted: NewSession) -> Sequence[Resolution]:
    found = gather(parties, [mount.wish for mount in wanted.mounts])
    missing = [number for number, facts in enumerate(found) if facts is None]
    if missing:
        raise _no_such_store(missing[0])
    return [resolve(facts) for facts in found if facts]


def _no_such_store(number: int) -> NotFound:
    return NotFound(f"mounts[{number}].store: there is no such memory store.")
