"""What a mount comes to: effective access, the reason of each reduction, the version it reads.

One function decides. Admission, the start of a Run and the Console's preview all ask it, so they
cannot disagree (contract S1, S2, S3). It looks nothing up: facts go in, a resolution comes out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memory.models import SHARED_OWNERS, Lifecycle, OwnerKind
from sessions.models import Access
from sessions.mounts.selections import Selection
from tenancy.authority import holds
from tenancy.models import Permission


class Reason(StrEnum):
    """Why a mount comes to less than was asked for. The list is closed."""

    STORE_GONE = "store_gone"
    AGENT_WITHOUT_READ = "agent_without_read"
    PRINCIPAL_WITHOUT_ACT_AS = "principal_without_act_as"
    PRINCIPAL_WITHOUT_READ = "principal_without_read"
    AGENT_WITHOUT_WRITE = "agent_without_write"
    PRINCIPAL_WITHOUT_WRITE = "principal_without_write"
    SHARED_OWNER = "shared_owner"
    SHARED_PLACE = "shared_place"


NOTHING_LEFT: Final = (
    Reason.STORE_GONE,
    Reason.AGENT_WITHOUT_READ,
    Reason.PRINCIPAL_WITHOUT_ACT_AS,
    Reason.PRINCIPAL_WITHOUT_READ,
)
"""Any of these leaves `none`; the others leave `read_only` of `read_write`."""


MISSING_WRITE: Final = frozenset({Reason.AGENT_WITHOUT_WRITE, Reason.PRINCIPAL_WITHOUT_WRITE})
"""The reasons that a grant would mend, beside those that leave nothing."""


class Refusal(StrEnum):
    """Why a mount cannot be used as it was asked for, whatever the access. The list is closed."""

    ARCHIVED = "archived"
    SELECTION_NOT_WRITABLE = "selection_not_writable"
    WORKING_REF_ELSEWHERE = "working_ref_elsewhere"
    REF_MISSING = "ref_missing"
    VERSION_NOT_RETAINED = "version_not_retained"


REFUSED_AT_ADMISSION: Final = frozenset(
    {Refusal.ARCHIVED, Refusal.SELECTION_NOT_WRITABLE, Refusal.VERSION_NOT_RETAINED}
)
"""The others are of a moment: a Run's start judges them, admission does not (contract S3)."""


@dataclass(frozen=True, slots=True)
class MountFacts:
    """All that a resolution depends on.

    Attributes:
        requested: `read_only` or `read_write`.
        principal, agent: the permissions that the acting principal and the agent, with what its
            Session is granted, hold on the store.
        may_act: whether the principal holds `act_as` on the agent.
        in_shared_place: whether the Session takes place where others take part.
        has_native_writer: whether the environment can write on a selected base (contract S3).
        canonical: where canonical is; None in a store that is not complete yet.
        working_ref: where the Session's own ref in the store is; None without one.
        selected: what the selection resolves to: the exact version while it is retained, or
            where the ref is; None when there is no such thing.
    """

    store_id: str
    owner_kind: OwnerKind
    lifecycle: Lifecycle
    requested: Access
    principal: frozenset[str]
    agent: frozenset[str]
    may_act: bool
    in_shared_place: bool
    has_native_writer: bool
    canonical: str | None
    working_ref: str | None = None
    selection: Selection | None = None
    selected: str | None = None

    @property
    def is_for_writing(self) -> bool:
        """Whether write was asked for."""
        return self.requested == Access.READ_WRITE


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a mount comes to.

    Attributes:
        effective: what the Session may do with it.
        reasons: why that is less than was asked for, in the order of the list.
        version: what it reads now; None without access, or when a refusal leaves nothing to read.
        refusal: why it cannot be used as it was asked for.
    """

    facts: MountFacts
    effective: Access
    reasons: tuple[Reason, ...]
    version: str | None
    refusal: Refusal | None

    @property
    def makes_working_ref(self) -> bool:
        """Whether the working ref has to be made, at `version`, before the first write (S3)."""
        writable = self.effective == Access.READ_WRITE and self.refusal is None
        return writable and self.facts.working_ref is None


def resolve(facts: MountFacts) -> Resolution:
    """Decide what a mount comes to (contract S2, S3)."""
    reasons = tuple(reason for reason in Reason if _REDUCES[reason](facts))
    effective = _effective(facts.requested, reasons)
    if effective == Access.NONE:
        return Resolution(facts, effective, reasons, None, None)
    refusal = _refusal(facts, effective)
    version = None if refusal else _version(facts)
    return Resolution(facts, effective, reasons, version, refusal)


_REDUCES: Final[Mapping[Reason, Callable[[MountFacts], bool]]] = {
    Reason.STORE_GONE: lambda facts: facts.lifecycle not in {Lifecycle.ACTIVE, Lifecycle.ARCHIVED},
    Reason.AGENT_WITHOUT_READ: lambda facts: Permission.READ not in facts.agent,
    Reason.PRINCIPAL_WITHOUT_ACT_AS: lambda facts: not facts.may_act,
    Reason.PRINCIPAL_WITHOUT_READ: lambda facts: Permission.READ not in facts.principal,
    Reason.AGENT_WITHOUT_WRITE: lambda facts: (
        facts.is_for_writing and not holds(facts.agent, Permission.WRITE)
    ),
    Reason.PRINCIPAL_WITHOUT_WRITE: lambda facts: (
        facts.is_for_writing and not holds(facts.principal, Permission.WRITE)
    ),
    Reason.SHARED_OWNER: lambda facts: facts.is_for_writing and facts.owner_kind in SHARED_OWNERS,
    Reason.SHARED_PLACE: lambda facts: (
        facts.is_for_writing and facts.owner_kind == OwnerKind.PRINCIPAL and facts.in_shared_place
    ),
}
"""When each reason reduces a mount. Write is only missed where it was asked for."""


def _effective(requested: Access, reasons: tuple[Reason, ...]) -> Access:
    if any(reason in NOTHING_LEFT for reason in reasons):
        return Access.NONE
    return Access.READ_ONLY if reasons else requested


def _refusal(facts: MountFacts, effective: Access) -> Refusal | None:
    """What stands in the way of a mount that access alone would allow."""
    writing = effective == Access.READ_WRITE
    if facts.lifecycle == Lifecycle.ARCHIVED and facts.is_for_writing:
        return Refusal.ARCHIVED
    if facts.selection is None:
        return None
    if writing and not facts.has_native_writer:
        return Refusal.SELECTION_NOT_WRITABLE
    if facts.selected is None:
        exact = facts.selection.version_id is not None
        return Refusal.VERSION_NOT_RETAINED if exact else Refusal.REF_MISSING
    if writing and facts.working_ref not in {None, facts.selected}:
        return Refusal.WORKING_REF_ELSEWHERE
    return None


def _version(facts: MountFacts) -> str | None:
    """The version that a mount reads: the selected one, else the working ref's, else canonical's.

    A working ref that is to be made begins where the mount reads, so both kinds of access agree.
    """
    return facts.selected or facts.working_ref or facts.canonical
