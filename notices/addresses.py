"""Where the Console has what letters link to: the room above registers it at start-up."""

from dataclasses import dataclass
from typing import Protocol

from django.conf import settings


class Paths(Protocol):
    """Paths of the Console's pages, each with its leading slash."""

    def proposal(self, proposal_id: str, comment_id: str | None) -> str:
        """A Proposal, or what was said about it."""

    def queue(self) -> str:
        """All that waits for the person."""

    def preferences(self) -> str:
        """How they want to be told."""

    def confirmation(self, token: str) -> str:
        """Where an address is confirmed."""

    def unsubscription(self, token: str) -> str:
        """Where a kind of e-mail is ended."""


@dataclass(slots=True)
class _Register:
    paths: Paths | None = None


_register = _Register()


def register(paths: Paths) -> None:
    """Say where pages are. Raises ValueError when somebody already did."""
    if _register.paths:
        raise ValueError("it is registered already where pages are")
    _register.paths = paths


def paths() -> Paths:
    """Where pages are."""
    assert _register.paths, "no room has registered its pages"
    return _register.paths


def address(path: str) -> str:
    """A page as a letter links to it."""
    console: str = settings.CONSOLE_URL
    return console.rstrip("/") + path
