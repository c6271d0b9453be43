"""What a redaction would take, as the page shows it and as a sent form must have seen it."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson

from memory.access import StoreAccess
from memory.queries.redactions import RedactionPreview, preview_redaction
from proposals.queries.touching import open_touching, telling
from tenancy.models import Permission
from wire.errors import Conflict


@dataclass(frozen=True, slots=True)
class Preview:
    """What a redaction would take, of all rooms.

    Attributes:
        superseded: the open Proposals that end with it.
        words: how many Proposals, open or not, lose title, description and note.
    """

    memory: RedactionPreview
    superseded: Sequence[Any]
    words: int
    may_read: bool

    @property
    def kept(self) -> int:
        """Copies at other paths, beyond those that are named."""
        return self.memory.copy_count - len(self.memory.copies or ())

    @property
    def digest(self) -> str:
        """Names exactly this: a redaction that would take anything else has another."""
        memory = self.memory
        told = [
            [[p.path, p.is_in_canonical, p.versions, p.bodies, p.is_fenced] for p in memory.paths],
            [
                memory.version_count,
                memory.hash_count,
                memory.messages,
                memory.tags,
                memory.copy_count,
            ],
            memory.copies,
            [[ref.kind, ref.owner_id, ref.version_id] for ref in memory.refs],
            [proposal.id for proposal in self.superseded],
            self.words,
        ]
        return sha256(orjson.dumps(told)).hexdigest()


def preview(access: StoreAccess, paths: Sequence[str]) -> Preview:
    """Tell what a redaction of some paths would take, as the store is now."""
    store_id = access.store_id
    return Preview(
        memory=preview_redaction(access, paths),
        superseded=list(open_touching(store_id, paths).defer("document_versions")),
        words=telling(store_id, paths).filter(words_erased_at=None).count(),
        may_read=access.may(Permission.READ),
    )


def require_as_seen(access: StoreAccess, paths: Sequence[str], digest: str) -> None:
    """Refuse to erase anything but what somebody was shown. Raises Conflict."""
    if preview(access, paths).digest != digest:
        raise Conflict(
            "What would be erased changed since you looked. Nothing was erased;"
            " this is what it is now."
        )
