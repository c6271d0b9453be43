"""Who is asking: the answer to authentication, carried through access checks and writes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from tenancy.models import SubjectKind, Workspace
from wire.errors import DisabledTenancy
from wire.times import now

CallerKind = Literal["principal", "api_key", "platform"]

NOBODY: Final = "prin_" + "0" * 32
"""The principal that holds no grant and never will: what the platform itself acts for."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A holder of grants. Those of its spaces reach it too.

    Attributes:
        session_id: of an agent at work, its Session, whose grants reach it as well.
    """

    kind: SubjectKind
    id: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class SessionAgent:
    """The agent of a Session, as which a key of class `session` acts."""

    session_id: str
    agent_id: str


@dataclass(frozen=True, slots=True)
class Caller:
    """A live credential in one Workspace, and the principal it acts for (contract §0).

    Attributes:
        kind: `principal` for a person signed in to the Console, `api_key` for a key, `platform`
            for a command that the operator runs on the server.
        key_id: the key, when there is one.
        principal_id: the signed-in person, or the principal that the key is bound to.
        named_principal_id: a principal that the key only named in `Checkfu-Acting-Principal`,
            or for which the agent of a Session acts.
        principal_is_service: whether the acting principal, if any, is a service.
        is_admin: an admin key, a signed-in Workspace admin, or the platform.
        authority_epoch: the Workspace's, as it stood when the credential was looked up.
        expires_at: when the key ends by itself.
        agent: the agent that a Session's key acts as; its grants count beside the principal's.
        sender: who sends what the agent did, when that is no key of the Session.
        workspace_active, principal_active: False answers 403 `auth.disabled_tenancy`.
    """

    kind: CallerKind
    workspace_id: str
    key_id: str | None
    principal_id: str | None
    named_principal_id: str | None
    principal_is_service: bool
    is_admin: bool
    authority_epoch: int
    expires_at: datetime | None = None
    agent: SessionAgent | None = None
    sender: "Caller | None" = None
    workspace_active: bool = True
    principal_active: bool = True

    is_authenticated = True
    """For DRF's IsAuthenticated."""

    @property
    def id(self) -> str:
        """The credential's own identifier: what receipts and audit rows are filed under.

        Empty for the platform, which has none.
        """
        return self.key_id or self.principal_id or ""

    @property
    def has_expired(self) -> bool:
        """Whether the key has ended by itself since it was looked up."""
        return self.expires_at is not None and self.expires_at <= now()

    def require_active(self) -> None:
        """Raise DisabledTenancy when the Workspace or the acting principal is disabled."""
        if not self.workspace_active:
            raise DisabledTenancy("This Workspace is disabled.")
        if not self.principal_active:
            raise DisabledTenancy("The principal behind this credential is disabled.")

    @property
    def acting_principal_id(self) -> str | None:
        """Whose grants count: named, else bound or signed in, else nobody's."""
        return self.named_principal_id or self.principal_id

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Whose grants count: what the caller holds is what each of them holds.

        A key without a principal uses its own. The agent of a Session and the principal that it
        acts for both need theirs (contract S2).
        """
        if self.agent:
            agent = Subject(SubjectKind.AGENT, self.agent.agent_id, self.agent.session_id)
            return (agent, self._subject)
        return (self._subject,)

    @property
    def _subject(self) -> Subject:
        if self.acting_principal_id:
            return Subject(SubjectKind.PRINCIPAL, self.acting_principal_id)
        if self.key_id:
            return Subject(SubjectKind.API_KEY, self.key_id)
        return Subject(SubjectKind.PRINCIPAL, NOBODY)


def bare_caller(workspace_id: str, key_id: str | None, principal_id: str | None) -> Caller:
    """A Caller of whom only the identity counts: for queries that are compiled ahead of anybody."""
    return Caller(
        kind="api_key" if key_id else "principal",
        workspace_id=workspace_id,
        key_id=key_id,
        principal_id=principal_id,
        named_principal_id=None,
        principal_is_service=False,
        is_admin=False,
        authority_epoch=0,
    )


def platform_caller(workspace: Workspace) -> Caller:
    """The Caller of a command on the server: it administers, and reads no content."""
    return Caller(
        kind="platform",
        workspace_id=workspace.id,
        key_id=None,
        principal_id=None,
        named_principal_id=None,
        principal_is_service=False,
        is_admin=True,
        authority_epoch=workspace.authority_epoch,
    )
