"""Captures: a mounted store as a runner enumerated it, whole, at the end of a turn (S5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory.models import MemoryVersion
from memory.trees.editing import TreeEntry
from memory.trees.storage import load_tree
from memory.versions.sealing import Change, Draft, Put, draft
from wire.errors import Malformed, name_some


@dataclass(frozen=True, slots=True)
class CapturedDocument:
    """A document that was found: its text, or the hash of what the base has at its path.

    Attributes:
        found: a Put, or the digest of a text that is not sent again.
    """

    path: str
    found: Put | bytes


@dataclass(frozen=True, slots=True)
class Capture:
    """All documents of one store. What the base has and this has not was deleted.

    Attributes:
        base_version: what the turn wrote on; the working ref must still be there.
        reader: what enumerated the tree, by its own name.
    """

    store_id: str
    base_version: str
    reader: str
    documents: Sequence[CapturedDocument]


def draft_capture(base: MemoryVersion, capture: Capture) -> Draft:
    """Draft what a capture changes on its base.

    A runner knows no media types: a document keeps the one that it has, unless one is sent.

    Raises:
        Malformed: a document is named by a hash that is not the base's at this path.
        Conflict: a document would also be another's directory.
    """
    tree = load_tree(base.id)
    entries = {entry.path: entry for entry in tree.entries_from(ahead=len(tree.slots))}
    _require_known(entries, capture)
    return draft(base, _changes(entries, capture), tree)


def _require_known(entries: Mapping[str, TreeEntry], capture: Capture) -> None:
    """Refuse a hash that the base does not have at this very path."""
    unknown = [
        document.path
        for document in capture.documents
        if isinstance(document.found, bytes)
        and not _holds(entries.get(document.path), document.found)
    ]
    if unknown:
        raise Malformed(
            f"captures: {capture.base_version} does not hold the content that is named by its hash"
            f" at: {name_some(sorted(unknown))}. Send the text."
        )


def _changes(entries: Mapping[str, TreeEntry], capture: Capture) -> dict[str, Change]:
    """What differs from the base: texts that were written, and paths that are gone."""
    changes: dict[str, Change] = {}
    for document in capture.documents:
        if isinstance(document.found, Put):
            changes[document.path] = _kept_type(entries.get(document.path), document.found)
    found = {document.path for document in capture.documents}
    return changes | dict.fromkeys(entries.keys() - found)


def _kept_type(entry: TreeEntry | None, put: Put) -> Put:
    if entry is None or put.media_type:
        return put
    return replace(put, media_type=entry.media_type)


def _holds(entry: TreeEntry | None, digest: bytes) -> bool:
    return entry is not None and entry.content_sha256 == digest
