"""How long bodies live in the oracle: a Workspace's policy (contract X3), and what is gone (M7)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from tests.oracle.values import CONFLICT, DENIED, NOT_FOUND, Body, Caller, Document, Refused


@dataclass(frozen=True)
class Policy:
    """A Workspace's retention policy; None sets no time."""

    body_lifetime_days: int | None = None
    retire_superseded_after_days: int | None = None
    zero_data_retention: bool = False


class Workspace:
    """What all stores of a Workspace have in common.

    Attributes:
        now: the current time.
        version: of the policy.
    """

    def __init__(self, now: Callable[[], datetime], version: int) -> None:
        self.now = now
        self.policy = Policy()
        self.version = version

    def change_policy(self, caller: Caller, version: int, **changes: Any) -> Policy:
        """Change what is written from now on (X3, M9)."""
        if not caller.admin:
            raise Refused(DENIED, "not an admin")
        if version != self.version:
            raise Refused(CONFLICT, f"the policy's version is {self.version}")
        self.policy = replace(self.policy, **changes)
        self.version += 1
        return self.policy

    def require_durable_bodies(self) -> None:
        """Refuse what would keep a new body under zero data retention."""
        if self.policy.zero_data_retention:
            raise Refused(DENIED, "zero data retention")

    @property
    def ceiling(self) -> datetime | None:
        """When a body written now has to go."""
        days = self.policy.body_lifetime_days
        return None if days is None else self.now() + timedelta(days=days)


class Bodies:
    """Which texts of a store are gone, and why."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.erased: dict[Body, str] = {}

    def why_gone(self, path: str, document: Document | None) -> str | None:
        """Why a text is gone; None while it is there, or when there never was one."""
        if document is None:
            return None
        recorded = self.erased.get((path, document.introduced_by))
        return recorded or ("expired" if self._has_expired(document) else None)

    def _has_expired(self, document: Document) -> bool:
        ceiling = document.expires_at
        return ceiling is not None and ceiling <= self.workspace.now()

    def require(self, path: str, document: Document, refusal: str = NOT_FOUND) -> None:
        """Refuse to read, or to write again, a text that is gone."""
        if self.why_gone(path, document):
            raise Refused(refusal, f"{path}: erased")

    def erase(self, bodies: Collection[Body], reason: str) -> set[Body]:
        """Erase those texts that nobody erased yet, and tell which these are."""
        gone = set(bodies) - self.erased.keys()
        self.erased |= dict.fromkeys(gone, reason)
        return gone


def earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    """The earlier of two ceilings, each of which may be missing."""
    return min((moment for moment in (one, other) if moment is not None), default=None)
