"""Erasers: higher rooms that keep text about a store register how it goes (contract X1, X2, X4).

What is registered runs in the transaction of the erasure.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.models import ErasureReport, Sink
from tenancy.caller import Caller


@dataclass(frozen=True, slots=True)
class Redaction:
    """What a redaction takes away, for those who keep text beside the versions.

    Attributes:
        versions: those whose change against their parent touched one of the paths.
    """

    caller: Caller
    store_id: str
    paths: Sequence[str]
    versions: Sequence[str]


class Eraser(Protocol):
    """Erases what one room keeps about a store."""

    def hold(self, store_id: str, paths: Sequence[str]) -> None:
        """Lock what a redaction of these paths will end: before refs and the store's own row."""

    def redact(self, redaction: Redaction) -> None:
        """Erase all text about the paths, and end what can go on only with it."""

    def delete_rows(self, store_id: str, limit: int) -> int:
        """Delete at most about `limit` rows of a store that is being deleted; 0 = none is left."""

    def sinks_holding(self, report: ErasureReport) -> Collection[Sink]:
        """The sinks in which something is still found of what a report says was erased."""


_erasers: list[Eraser] = []


def register(eraser: Eraser) -> None:
    """Add an eraser at start-up."""
    _erasers.append(eraser)


def erasers() -> Sequence[Eraser]:
    """All of them; a room's rows may refer to those of rooms registered before it."""
    return tuple(reversed(_erasers))
