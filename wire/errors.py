"""The error catalogue (contract §0): each failure is a type with a status and a sentence."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import ClassVar

NAMED_AT_MOST = 20
LONGEST_NAME = 1_100
"""Characters; a whole path, with what is said of it, still fits."""


class ApiError(Exception):
    """A failure that a client can read: `type` and `status` are fixed, the message helps.

    Actions and queries raise these; the API renders them as JSON, the Console as a page.
    """

    type: ClassVar[str]
    status: ClassVar[int]
    retry_after: int | None = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Malformed(ApiError):
    """The request is not of the documented form; the message names the field."""

    type, status = "validation.malformed", HTTPStatus.BAD_REQUEST


class MethodNotAllowed(Malformed):
    """The route exists and the method does not."""

    status = HTTPStatus.METHOD_NOT_ALLOWED

    def __init__(self, message: str, allowed: Iterable[str]) -> None:
        super().__init__(message)
        self.allowed = sorted(allowed)


class RangeTooLarge(ApiError):
    """What was asked for is larger than the route may answer."""

    type, status = "validation.range_too_large", HTTPStatus.UNPROCESSABLE_ENTITY


class InvalidKey(ApiError):
    """No, an unknown, an expired or a revoked credential."""

    type, status = "auth.invalid_key", HTTPStatus.UNAUTHORIZED


class DisabledTenancy(ApiError):
    """The Workspace or the principal behind the credential is disabled."""

    type, status = "auth.disabled_tenancy", HTTPStatus.FORBIDDEN


class AuthorizationUnavailable(ApiError):
    """The authority question could not be answered; the same request may be retried."""

    type, status = "auth.authorization_unavailable", HTTPStatus.SERVICE_UNAVAILABLE
    retry_after = 1


class PolicyDenied(ApiError):
    """A grant is missing, or a policy of the Workspace forbids it; the message says which."""

    type, status = "policy.denied", HTTPStatus.FORBIDDEN


class ReadOnly(ApiError):
    """The store takes no such write: it is archived, or canonical moves by Proposals only."""

    type, status = "memory.read_only", HTTPStatus.FORBIDDEN


class NotFound(ApiError):
    """Nothing here, or nothing that this caller may know of."""

    type, status = "memory.not_found", HTTPStatus.NOT_FOUND


class Conflict(ApiError):
    """A precondition missed: somebody was faster, or the state is not the one you named."""

    type, status = "memory.conflict", HTTPStatus.CONFLICT


class BackendUnavailable(ApiError):
    """The store cannot serve this now and applied no write."""

    type, status = "memory.backend_unavailable", HTTPStatus.SERVICE_UNAVAILABLE
    retry_after = 1


class Fenced(BackendUnavailable):
    """The operator has switched off what was asked for; nothing was looked at."""


class HarnessIncompatible(ApiError):
    """The execution environment cannot do what the mount asks for."""

    type, status = "runtime.harness_incompatible", HTTPStatus.UNPROCESSABLE_ENTITY


class BudgetExceeded(ApiError):
    """Too many requests; `retry_after` seconds tell when to come back."""

    type, status = "budget.exceeded", HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Internal(ApiError):
    """Our fault; the message holds an incident reference and nothing else."""

    type, status = "runtime.internal", HTTPStatus.INTERNAL_SERVER_ERROR


CATALOGUE: tuple[type[ApiError], ...] = (
    Malformed,
    RangeTooLarge,
    InvalidKey,
    DisabledTenancy,
    AuthorizationUnavailable,
    PolicyDenied,
    ReadOnly,
    NotFound,
    Conflict,
    BackendUnavailable,
    HarnessIncompatible,
    BudgetExceeded,
    Internal,
)


def shorten(text: str, most: int = LONGEST_NAME) -> str:
    """Make what a client sent fit for a message: not too long, and always encodable."""
    cut = text if len(text) <= most else f"{text[:most]}…"
    return cut.encode("utf-8", "backslashreplace").decode()


def name_some(items: Iterable[str]) -> str:
    """List at most 20 items for a message, then count the rest."""
    listed = list(items)
    more = len(listed) - NAMED_AT_MOST
    shown = ", ".join(shorten(item) for item in listed[:NAMED_AT_MOST])
    return f"{shown} and {more} more" if more > 0 else shown
