"""Where a search goes on: signed, so that it is only what this service gave (contract Q1).

A cursor belongs to one store, version, query and path prefix. It ends with the next erasure in
the store, and when the first of the documents that matched expires: what is gone then may have
stood on a page that was shown.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.core import signing

from wire.errors import Conflict, Malformed
from wire.times import now

MAX_CURSOR_CHARACTERS = 16_384

_SIGNER = signing.Signer(salt="checkfu.memory.search.v1")


class Rank(NamedTuple):
    """Where a document stands: the higher score first (in millionths), then by path bytes."""

    score: int
    path: str


@dataclass(frozen=True, slots=True)
class Question:
    """What a cursor belongs to."""

    store_id: str
    version_id: str
    query: str
    prefix: str | None

    @property
    def digest(self) -> str:
        """Names the question without telling it."""
        parts = (self.store_id, self.version_id, self.prefix or "", self.query)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a search goes on, and until when it may.

    Attributes:
        erasure_epoch: the store's, when the search began.
        ends_at: when the first of the documents that matched then expires.
    """

    behind: Rank
    erasure_epoch: int
    ends_at: datetime | None

    def require_current(self, erasure_epoch: int) -> None:
        """Raise Conflict when something that matched may have been erased since."""
        if erasure_epoch != self.erasure_epoch or (self.ends_at and self.ends_at <= now()):
            raise Conflict("cursor: texts were erased since this search began. Begin it anew.")


def write_cursor(question: Question, place: Place) -> str:
    """Spell a place for the client to hand back."""
    ends_at = place.ends_at.isoformat() if place.ends_at else None
    score, path = place.behind
    return _SIGNER.sign_object([question.digest, place.erasure_epoch, ends_at, score, path])


def read_cursor(question: Question, cursor: str) -> Place:
    """Read a place back. Raises Malformed when this question never gave it."""
    try:
        digest, erasure_epoch, ends_at, score, path = _SIGNER.unsign_object(cursor)
    except signing.BadSignature as error:
        raise Malformed("cursor: not a value that this search returned.") from error
    if digest != question.digest:
        raise Malformed("cursor: continues another search; keep version, query and prefix.")
    return Place(
        Rank(score, path),
        erasure_epoch,
        datetime.fromisoformat(ends_at) if ends_at else None,
    )
