"""Items: the pieces of a store's graph, each spelled as exports have it (contract E2)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, cast
from uuid import UUID

from memory.actornaming import render_actor
from memory.exporting.shapes import (
    AvailableBody,
    ErasedBody,
    ExportedDocumentVersion,
    ExportedRef,
    ExportedRevision,
)
from memory.models import MemoryVersion, Ref
from memory.refnaming import render_ref_name
from memory.trees.hashing import spell_hash
from memory.versions.kinds import VersionKindName
from wire.canonicaljson import canonical_json
from wire.ids import id_from_uuid
from wire.times import render_time

_LIVE: Final = "memver_"
_EXPORTED: Final = "mrev_"


class ItemKind(StrEnum):
    """The kinds of items, in the order in which an export has them."""

    REVISION = "revision"
    PATH_FENCE = "path_fence"
    DOCUMENT_VERSION = "document_version"
    REVISION_ENTRY = "revision_entry"
    REF = "ref"


type Key = tuple[str | int | None, ...]
"""What the items of one kind are ordered by."""


@dataclass(frozen=True, slots=True)
class Place:
    """Behind which item an export goes on."""

    kind: ItemKind
    key: Key


@dataclass(frozen=True, slots=True)
class Item:
    """One item.

    Attributes:
        fields: what it says, as plain JSON values.
        document_id: the document version whose text it holds (`mdoc_…`); else None.
        expires_at: the ceiling of that text.
    """

    place: Place
    fields: Mapping[str, Any]
    document_id: str | None = None
    expires_at: datetime | None = None

    @property
    def kind(self) -> ItemKind:
        """What it is."""
        return self.place.kind

    def rendered(self) -> dict[str, Any]:
        """The item as an export page holds it."""
        return {"kind": self.kind.value, self.kind.value: self.fields}

    def size(self) -> int:
        """How many bytes it takes as canonical JSON: what `item_bytes` sums up."""
        return len(canonical_json(self.rendered()))


def revision_id(version_id: str) -> str:
    """Spell the identifier of a version as exports do."""
    return _EXPORTED + version_id.removeprefix(_LIVE)


def revision_item(version: MemoryVersion) -> Item:
    """A version as an item; parents come before children because they are less deep."""
    fields: ExportedRevision = {
        "id": revision_id(version.id),
        "store": version.store_id,
        "parent_revision": revision_id(version.parent_id) if version.parent_id else None,
        "kind": cast("VersionKindName", version.kind),
        "actor": render_actor(version),
        "document_count": version.document_count,
        "total_bytes": version.total_bytes,
        "tree_hash": spell_hash(version.tree_hash),
        "created_at": render_time(version.created_at),
    }
    return Item(Place(ItemKind.REVISION, (version.depth, version.id)), fields)


def fence_item(path: str) -> Item:
    """A fenced path as an item."""
    return Item(Place(ItemKind.PATH_FENCE, (path,)), {"path": path})


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document version as its row has it; without a body when that is gone or expired.

    `provenance` is JSON as PostgreSQL spells it.
    """

    id: UUID
    path: str
    content_sha256: bytes
    media_type: str
    size: int
    provenance_sha256: bytes | None
    expires_at: datetime | None
    text: str | None
    provenance: str | None


def document_item(stored: StoredDocument) -> Item:
    """A document version as an item. Of an erased one its provenance is gone, too."""
    document_id = id_from_uuid("document", stored.id)
    digest = stored.provenance_sha256
    fields: ExportedDocumentVersion = {
        "id": document_id,
        "document": {
            "path": stored.path,
            "content_sha256": spell_hash(stored.content_sha256),
            "media_type": stored.media_type,
            "bytes": stored.size,
            "provenance": json.loads(stored.provenance) if stored.provenance else None,
        },
        "provenance_sha256": spell_hash(digest) if digest else None,
        "body": _body(stored),
    }
    place = Place(ItemKind.DOCUMENT_VERSION, (document_id,))
    if stored.text is None:
        return Item(place, fields)
    return Item(place, fields, document_id, stored.expires_at)


def _body(stored: StoredDocument) -> AvailableBody | ErasedBody:
    if stored.text is None:
        return {"state": "erased"}
    return {
        "state": "available",
        "content": stored.text,
        "expires_at": render_time(stored.expires_at) if stored.expires_at else None,
    }


def entry_item(depth: int, version_id: str, path: str, document: UUID) -> Item:
    """What one version holds at one path, as an item."""
    fields = {
        "revision": revision_id(version_id),
        "path": path,
        "document_version": id_from_uuid("document", document),
    }
    return Item(Place(ItemKind.REVISION_ENTRY, (depth, version_id, path)), fields)


def ref_item(ref: Ref) -> Item:
    """A ref as an item."""
    fields = cast(
        "ExportedRef",
        {
            **render_ref_name(ref),
            "store": ref.store_id,
            "revision": revision_id(ref.version_id),
            "updated_at": render_time(ref.updated_at),
        },
    )
    return Item(Place(ItemKind.REF, (ref.kind, ref.owner_id)), fields)
