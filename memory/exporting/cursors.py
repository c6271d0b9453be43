"""Where a paged export goes on: signed, so that it is only what this service gave (contract E2).

A cursor belongs to one store of one Workspace. It pins the manifest that every page repeats, so
that the generation it was counted at decides whether the rest still is of the same snapshot.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.core import signing

from memory.access import StoreAccess
from memory.exporting.items import ItemKind, Place
from memory.exporting.manifests import Counts, Manifest
from wire.errors import Conflict, Malformed
from wire.times import now

MAX_CURSOR_CHARACTERS: Final = 16_384
PREFIX: Final = "mx1_"

_SIGNER: Final = signing.Signer(salt="checkfu.memory.export.v1")
_FOREIGN: Final = "page: not a value that an export returned as next_page."
_WHOLE_STORE: Final = "container"


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far an export came.

    Attributes:
        page_ordinal: of the page that comes next.
        sent: how many items the pages before it held.
        behind: the last of them.
    """

    manifest: Manifest
    page_ordinal: int
    sent: int
    behind: Place

    def require_current(self, generation: int) -> None:
        """Raise Conflict when the rest would not be of the snapshot that the export began with."""
        if generation != self.manifest.generation:
            raise Conflict("page: the store has changed since this export began. Begin it anew.")
        if self.manifest.ends_at and self.manifest.ends_at <= now():
            raise Conflict("page: a text of this export has expired since. Begin it anew.")


def write_cursor(access: StoreAccess, cursor: Cursor) -> str:
    """Spell a cursor for the client to hand back."""
    manifest, behind = cursor.manifest, cursor.behind
    pinned = [
        access.caller.workspace_id,
        manifest.store_id,
        _WHOLE_STORE,
        manifest.generation,
        manifest.as_of.isoformat(),
        manifest.ends_at.isoformat() if manifest.ends_at else None,
        manifest.counts,
        cursor.page_ordinal,
        cursor.sent,
        behind.kind,
        behind.key,
    ]
    return PREFIX + _SIGNER.sign_object(pinned)


def read_cursor(access: StoreAccess, text: str) -> Cursor:
    """Read a cursor back. Raises Malformed when no export of this store gave it."""
    workspace_id, store_id, *pinned = _unsigned(text)
    if (workspace_id, store_id) != (access.caller.workspace_id, access.store_id):
        raise Malformed("page: continues the export of another store.")
    _, generation, as_of, ends_at, counts, page_ordinal, sent, kind, key = pinned
    manifest = Manifest(
        store_id,
        generation,
        datetime.fromisoformat(as_of),
        datetime.fromisoformat(ends_at) if ends_at else None,
        Counts(*counts),
    )
    return Cursor(manifest, page_ordinal, sent, Place(ItemKind(kind), tuple(key)))


def _unsigned(text: str) -> list[Any]:
    if not text.startswith(PREFIX):
        raise Malformed(_FOREIGN)
    try:
        pinned: list[Any] = _SIGNER.unsign_object(text.removeprefix(PREFIX))
    except signing.BadSignature as error:
        raise Malformed(_FOREIGN) from error
    return pinned
