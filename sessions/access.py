"""Opening a Session: fetch, authorise and 404 in one call and one query (contract §0)."""

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Q, QuerySet

from database.transactions import step
from memory.agents import refuse_agents
from sessions.models import Session
from tenancy import authority
from tenancy.administration import require_admin, require_bound, take_turn
from tenancy.caller import Caller, SessionAgent
from tenancy.delegation import acting_as
from tenancy.models import Permission, TargetKind
from tenancy.queries import is_runner_of
from wire.errors import NotFound, PolicyDenied, ReadOnly

NO_SUCH_SESSION = "There is no such Session."


@dataclass(frozen=True, slots=True)
class SessionAccess:
    """A Session that this caller may know of, and what they may do with it."""

    caller: Caller
    session: Session
    permissions: frozenset[str]

    @property
    def session_id(self) -> str:
        """The Session's identifier."""
        return self.session.id

    @property
    def is_principal(self) -> bool:
        """Whether the caller acts for the principal for whom the Session was made."""
        caller = self.caller
        return caller.agent is None and caller.acting_principal_id == self.session.principal_id

    @property
    def is_agent(self) -> bool:
        """Whether the caller is the Session's own agent."""
        return is_agent_of(self.caller, self.session_id)

    @property
    def may_read(self) -> bool:
        """Whether the caller may read what the Session is about: its words and its log."""
        return self.is_principal or self.is_agent or Permission.READ in self.permissions

    @property
    def may_manage(self) -> bool:
        """Whether the caller may end the Session: not the agent itself."""
        if self.caller.agent:
            return False
        granted = authority.holds(self.permissions, Permission.WRITE)
        return self.is_principal or self.caller.is_admin or granted

    @property
    def is_runner(self) -> bool:
        """Whether the caller's key settles Runs of the Session's environment. One query."""
        return is_runner_of(self.caller, self.session.environment_id)

    def require_runs(self) -> None:
        """Raise PolicyDenied unless the caller may know of the Session's Runs."""
        if not (self.may_read or self.is_runner):
            self.require_read()

    def require_part(self) -> None:
        """Raise PolicyDenied unless the caller takes part: what is mounted is for nobody else."""
        if not (self.is_principal or self.is_agent or self.is_runner):
            raise PolicyDenied(
                f"What {self.session_id} mounts is for its agent, its acting principal, and the"
                " runners of its environment."
            )

    def require_start(self) -> None:
        """Raise PolicyDenied unless the caller may start a Run: not the agent itself."""
        refuse_agents(self.caller)
        if not (self.is_principal or authority.holds(self.permissions, Permission.WRITE)):
            raise PolicyDenied(
                f"This needs the acting principal of {self.session_id}, or a grant of `write` on"
                " it."
            )

    def require_issuer(self) -> None:
        """Raise PolicyDenied unless the caller may send inputs: no automation (contract S6)."""
        self.require_start()
        _require_issuer(self.caller)

    def require_native(self) -> None:
        """Raise PolicyDenied unless the caller works on inputs: in rounds, with the agent's hands.

        That is the agent itself, a runner of the Session's environment, or the acting principal.
        Grants on the Session do not suffice: what is read here is the principal's and the agent's.
        """
        if self.is_agent or self.is_runner:
            return
        if not self.is_principal:
            raise PolicyDenied(
                f"This needs a key of {self.session_id}, a runner's key that was made for"
                f" {self.session.environment_id}, or the acting principal."
            )
        _require_issuer(self.caller)

    @property
    def as_agent(self) -> Caller:
        """The Session's agent, whoever sends what it does. Raises DisabledTenancy."""
        return self.caller if self.is_agent else sent_for(self.caller, self.session)

    def require_runner(self) -> None:
        """Raise PolicyDenied unless the caller may settle the Session's Runs (contract S5)."""
        if not self.is_runner:
            raise PolicyDenied(
                f"This needs a runner's key that was made for {self.session.environment_id}."
            )

    def require_read(self) -> None:
        """Raise PolicyDenied naming the missing grant unless the caller may read the Session.

        Workspace admins know of every Session and read none without a grant (contract §0).
        """
        if not self.may_read:
            authority.require(self.permissions, Permission.READ, self.session_id)

    def require_manage(self) -> None:
        """Raise PolicyDenied unless the caller may end the Session."""
        if not self.may_manage:
            raise PolicyDenied(
                f"This needs the acting principal of {self.session_id}, a grant of `write` on it,"
                " or a Workspace admin."
            )

    def require_keys(self) -> None:
        """Raise PolicyDenied unless the caller may make keys that act for the principal."""
        if not (self.is_principal or self.caller.is_admin):
            raise PolicyDenied(
                f"This needs the acting principal of {self.session_id}, or a Workspace admin."
            )

    def require_erasure(self) -> None:
        """Raise PolicyDenied unless the caller may erase: as for the deletion of stores (§0)."""
        require_admin(self.caller)
        require_bound(self.caller)

    def require_known_erasure(self) -> None:
        """Raise PolicyDenied unless the caller may know how an erasure stands."""
        if not self.caller.is_admin:
            self.require_read()

    def require_active(self) -> None:
        """Raise ReadOnly once the Session is archived, or is being erased."""
        require_active(self.session)


def _require_issuer(caller: Caller) -> None:
    """Refuse who acts for nobody, and services: automations do not speak natively (S6)."""
    if caller.acting_principal_id is None:
        raise PolicyDenied("An input needs an acting principal, and this key acts for none.")
    if caller.principal_is_service:
        raise PolicyDenied("A service principal is an automation, and sends no inputs.")


def is_agent_of(caller: Caller, session_id: str) -> bool:
    """Whether a caller is the agent of that very Session."""
    return caller.agent is not None and caller.agent.session_id == session_id


def require_active(session: Session) -> None:
    """Raise ReadOnly once a Session is archived, or is being erased."""
    if session.is_being_erased:
        raise ReadOnly("The Session is erased and does nothing more.")
    if session.state != Session.State.ACTIVE:
        raise ReadOnly("The Session is archived and does nothing more.")


def sent_for(caller: Caller, session: Session) -> Caller:
    """The Session's agent, as the Caller of what somebody else sends for it.

    Raises:
        DisabledTenancy: the acting principal is disabled.
    """
    agent = SessionAgent(session.id, session.agent_id)
    return acting_as(caller, agent, session.principal_id)


def find_session(workspace_id: str, session_id: str) -> Session:
    """A Session of a Workspace, for who may act on a store of it. Raises NotFound."""
    sessions = Session.objects.filter(workspace=workspace_id).select_related("environment")
    session = sessions.filter(id=session_id).first()
    if session is None:
        raise NotFound(NO_SUCH_SESSION)
    return session


def open_session(caller: Caller, session_id: str, missing: str = NO_SUCH_SESSION) -> SessionAccess:
    """Fetch a Session of the caller's Workspace that they may know of.

    Args:
        missing: what to say otherwise: of a Session's Run, input or round, that this is not there.

    Raises:
        NotFound: there is none, it is another Workspace's, or the caller may not read it.
    """
    session = _sessions(caller).filter(id=session_id).first()
    if session is None:
        raise NotFound(missing)
    access = SessionAccess(caller, session, frozenset(session.granted))
    if not (access.may_read or caller.is_admin or access.is_runner):
        raise NotFound(missing)
    return access


@step
def held(access: SessionAccess) -> SessionAccess:
    """The access as it stands now, while nobody's authority changes until the transaction ends.

    Raises:
        NotFound, InvalidKey, DisabledTenancy, PolicyDenied: what a fresh request would get.
    """
    return open_session(take_turn(access.caller), access.session_id)


def _sessions(caller: Caller) -> QuerySet[Any]:
    granted = authority.permissions_on(TargetKind.SESSION, OuterRef("id"), caller)
    return (
        Session.objects.filter(workspace=caller.workspace_id)
        .select_related("environment")
        .annotate(granted=granted)
    )


def listable_sessions(caller: Caller) -> QuerySet[Any]:
    """The Sessions that a list shows: readable ones, or all of them for an admin."""
    sessions = _sessions(caller)
    if caller.is_admin:
        return sessions
    own = Q(id=caller.agent.session_id) if caller.agent else Q(principal=caller.acting_principal_id)
    return sessions.filter(own | authority.readable(TargetKind.SESSION, caller, "id"))
