"""What each error type means and what to do about it, for the reference page."""

from collections.abc import Mapping
from dataclasses import dataclass

from wire import errors


@dataclass(frozen=True, slots=True)
class Advice:
    """When an error is answered, what a caller does next, and whether retrying helps."""

    when: str
    next: str
    retry: str


GUIDE: Mapping[type[errors.ApiError], Advice] = {
    errors.Malformed: Advice(
        "A field or query parameter is missing, unknown or of a wrong type, an ID is not an ID,"
        " the body is not valid JSON or larger than 8 MiB, or the Checkfu-Version header is"
        " missing. A method that the route does not take answers 405 with this type.",
        "Correct the field that the message names.",
        "No",
    ),
    errors.RangeTooLarge: Advice(
        "What was asked for is larger than one answer of this route may be.",
        "Ask for less, or use the paged route.",
        "No",
    ),
    errors.InvalidKey: Advice(
        "The Authorization header is missing, or its key is unknown, expired or revoked.",
        "Send a live key as `Authorization: Bearer ck_…`. An admin makes keys in the Console.",
        "No",
    ),
    errors.DisabledTenancy: Advice(
        "The Workspace, or the principal behind the key, is disabled.",
        "Ask an admin of the Workspace.",
        "No",
    ),
    errors.AuthorizationUnavailable: Advice(
        "Whether you may do this could not be found out just now. Nothing was released and"
        " nothing was written.",
        "Send the same request again after Retry-After seconds.",
        "Yes",
    ),
    errors.PolicyDenied: Advice(
        "A grant is missing, or a policy of the Workspace forbids it. The message names the"
        " grant or the policy. Workspace admins read no content without a grant either.",
        "Ask for the grant that the message names.",
        "No",
    ),
    errors.ReadOnly: Advice(
        "The store is archived, or its canonical moves by approved Proposals only.",
        "Open a Proposal with the same operations, or restore the store from its archive.",
        "No",
    ),
    errors.NotFound: Advice(
        "There is no such thing, it was erased, it belongs to another Workspace, or you may not"
        " read its store. These look alike on purpose.",
        "Check the ID and the Workspace of your key.",
        "No",
    ),
    errors.Conflict: Advice(
        "A precondition missed: the document, the store's version or the ref is not at the hash,"
        " number or version that you named; or an Idempotency-Key came with another body.",
        "Read the current state, decide again, and send a new request.",
        "After reading again",
    ),
    errors.BackendUnavailable: Advice(
        "The database cannot be reached or is busy, or the operator has fenced what needs"
        " versions. No write was applied, except perhaps one whose answer was lost.",
        "Send the same request with the same Idempotency-Key after Retry-After seconds; a write"
        " that did happen is answered from its receipt.",
        "Yes",
    ),
    errors.HarnessIncompatible: Advice(
        "The execution environment cannot do what a mount asks for, for example enumerate its"
        " documents or write natively.",
        "Choose read-only access, or another environment.",
        "No",
    ),
    errors.BudgetExceeded: Advice(
        "Too many requests in a short time.",
        "Wait Retry-After seconds.",
        "Yes",
    ),
    errors.Internal: Advice(
        "Something failed on our side. The message holds an incident reference and nothing else.",
        "Tell your operator the reference. The same Idempotency-Key makes a retry safe.",
        "Once",
    ),
}
