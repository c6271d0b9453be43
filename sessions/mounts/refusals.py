"""How a refused mount is told: the error of each refusal, and a sentence for each reason."""

from collections.abc import Callable, Mapping
from typing import Final

from sessions.mounts.resolver import MountFacts, Reason, Refusal, Resolution
from wire.errors import ApiError, Conflict, HarnessIncompatible, PolicyDenied, ReadOnly

REASONS: Final[Mapping[Reason, str]] = {
    Reason.STORE_GONE: "The store is not complete, or it is being deleted.",
    Reason.AGENT_WITHOUT_READ: "The agent holds no `read` on the store.",
    Reason.PRINCIPAL_WITHOUT_ACT_AS: "The principal holds no `act_as` on the agent.",
    Reason.PRINCIPAL_WITHOUT_READ: "The principal holds no `read` on the store.",
    Reason.AGENT_WITHOUT_WRITE: "The agent holds no `write` on the store.",
    Reason.PRINCIPAL_WITHOUT_WRITE: "The principal holds no `write` on the store.",
    Reason.SHARED_OWNER: "A store of many is changed by Proposals, never from within a Session.",
    Reason.SHARED_PLACE: "Others take part here, so a personal store is only read.",
}

_ERRORS: Final[Mapping[Refusal, Callable[[MountFacts], ApiError]]] = {
    Refusal.ARCHIVED: lambda facts: ReadOnly(
        f"{facts.store_id} is archived and can only be mounted read_only."
    ),
    Refusal.SELECTION_NOT_WRITABLE: lambda facts: HarnessIncompatible(
        f"{facts.store_id} is mounted read_write with a selection, which the environment cannot"
        " write on. Mount it read_only, or leave the selection out."
    ),
    Refusal.WORKING_REF_ELSEWHERE: lambda facts: Conflict(
        f"The Session's working ref in {facts.store_id} is at {facts.working_ref}, not at"
        f" {facts.selected}, which the mount selects."
    ),
    Refusal.REF_MISSING: lambda facts: Conflict(
        f"{facts.store_id} has no {facts.selection and facts.selection.ref} ref now."
    ),
    Refusal.VERSION_NOT_RETAINED: lambda facts: Conflict(
        f"{facts.selection} is not retained whole in {facts.store_id}; nothing else is mounted"
        " in its stead."
    ),
}


def refusal_of(resolution: Resolution) -> ApiError | None:
    """The error that a refused mount answers with; None when it is not refused."""
    if resolution.refusal is None:
        return None
    return _ERRORS[resolution.refusal](resolution.facts)


def denial_of(resolution: Resolution) -> PolicyDenied:
    """The error for using a mount without effective access, saying why there is none."""
    because = " ".join(REASONS[reason] for reason in resolution.reasons)
    return PolicyDenied(f"{resolution.facts.store_id} cannot be used. {because}")
