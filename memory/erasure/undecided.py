"""What a Session leaves undecided that a higher room knows of (contract S7).

The room of Proposals registers it at start-up; the erasure of a Session asks.
"""

from collections.abc import Collection, Mapping
from typing import Protocol


class Undecided(Protocol):
    """Knows what waits for somebody's decision."""

    def open_proposals(self, session_id: str) -> Mapping[str, str]:
        """The open Proposals whose author is the Session's agent: each with its store."""

    def proposed(self, version_ids: Collection[str]) -> Collection[str]:
        """Those of some versions that are the head of a Proposal, whatever was decided."""


_undecided: list[Undecided] = []


def register(undecided: Undecided) -> None:
    """Add one at start-up."""
    _undecided.append(undecided)


def open_proposals(session_id: str) -> Mapping[str, str]:
    """All open Proposals whose author is the Session's agent: each with its store."""
    return {
        proposal: store
        for one in _undecided
        for proposal, store in one.open_proposals(session_id).items()
    }


def is_proposed(version_ids: Collection[str]) -> bool:
    """Whether one of some versions was ever proposed."""
    return any(one.proposed(version_ids) for one in _undecided)
