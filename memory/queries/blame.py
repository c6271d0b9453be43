"""Who wrote which line of a document, along its version's own line of parents (contract R3)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from typing import Final, Literal

from django.db.models import Q

from memory.actors import RecordedActor
from memory.diffs.blame import Blame, LineRange
from memory.models import DocumentVersion, VersionChange
from memory.queries.documents import DocumentAt, require_text
from memory.queries.versions import HistoryEntry, path_history
from memory.trees.diffs import by_path, classify
from memory.trees.editing import TreeEntry
from wire.ids import uuid_from_id
from wire.times import has_passed

MAX_CHANGES: Final = 1_000
"""Changes that a blame goes back over."""

MAX_RENAMES: Final = 100
"""Renames that it follows."""

MAX_BYTES: Final = 16 * 1024 * 1024
"""Bytes of text that it compares on its way."""

_FETCHED: Final = 50

UnknownReason = Literal["erased", "too_long"]


@dataclass(frozen=True, slots=True)
class LineOwner:
    """The version that wrote some lines or, where that is unknown, how far back it was looked.

    Attributes:
        path: where the document was in that version.
        unknown: None when the version wrote the lines. Otherwise it holds them, and who wrote
            them cannot be told: the text before it is `erased`, or the history is `too_long`.
        earlier_id: the version where a blame of what stood here before goes on, at the same path;
            None when nothing did, or its text is gone.
    """

    version_id: str
    path: str
    actor: RecordedActor
    created_at: datetime
    unknown: UnknownReason | None = None
    earlier_id: str | None = None


@dataclass(slots=True)
class DocumentBlame:
    """The blame of a document, with the texts it was made from for the publication recheck.

    Attributes:
        bodies: document versions (`mdoc_…`) whose texts were compared.
        expires_at: the earliest ceiling of those.
    """

    document: DocumentAt
    ranges: list[LineRange[LineOwner]]
    bodies: list[str]
    expires_at: datetime | None


def blame_document(document: DocumentAt) -> DocumentBlame:
    """Tell for each line of a document which version wrote it.

    Follows exact renames: a document that was deleted there and added here in one version with
    the same content. Goes back at most MAX_CHANGES changes, MAX_RENAMES renames and MAX_BYTES of
    text; lines that are older yet are said to be unknown.

    Raises:
        NotFound: the document's own text was erased.
    """
    return _Walk(document).blame()


@dataclass(frozen=True, slots=True)
class _Text:
    """An earlier text of the document; None when it was erased."""

    document_id: str
    size: int
    expires_at: datetime | None
    text: str | None


@dataclass(frozen=True, slots=True)
class _Write:
    """A change that left a text at a path, and the text before it, if there was one."""

    change: HistoryEntry
    path: str
    before: _Text | None
    unknown: UnknownReason | None = None

    def owner(self, unknown: UnknownReason | None = None) -> LineOwner:
        """The change as the owner of lines."""
        change, unknown = self.change, unknown or self.unknown
        return LineOwner(
            change.version_id,
            self.path,
            change.actor,
            change.created_at,
            unknown,
            self._earlier_id(unknown),
        )

    def _earlier_id(self, unknown: UnknownReason | None) -> str | None:
        if unknown == "too_long":
            return self.change.version_id
        return self.change.parent_id if self.before and self.before.text is not None else None


@dataclass(slots=True)
class _Walk:
    """The way back from a document, and what was read on it."""

    document: DocumentAt
    bodies: list[str] = field(default_factory=list)
    ceilings: list[datetime] = field(default_factory=list)
    compared: int = 0

    def blame(self) -> DocumentBlame:
        lines: Blame[LineOwner] = Blame(require_text(self.document))
        self._keep(self.document.document_id, self.document.expires_at)
        for count, write in enumerate(self._writes(), start=1):
            if lines.is_complete:
                break
            self._step(lines, write, is_last=count == MAX_CHANGES)
        return DocumentBlame(
            self.document, lines.ranges(), self.bodies, min(self.ceilings, default=None)
        )

    def _step(self, lines: Blame[LineOwner], write: _Write, *, is_last: bool) -> None:
        before = write.before
        if before is None:
            lines.give_rest(write.owner(write.unknown))
        elif before.text is None:
            lines.give_rest(write.owner("erased"))
        else:
            self._keep(before.document_id, before.expires_at)
            self.compared += before.size
            lines.step_back(before.text, write.owner())
            if is_last or self.compared > MAX_BYTES:
                lines.give_rest(write.owner("too_long"))

    def _keep(self, document_id: str, expires_at: datetime | None) -> None:
        self.bodies.append(document_id)
        if expires_at:
            self.ceilings.append(expires_at)

    def _writes(self) -> Iterator[_Write]:
        """The document's changes, newest first, from path to path until it was new."""
        path, at = self.document.path, None
        for _ in range(MAX_RENAMES + 1):
            for change, before in self._history(path, at):
                if change.change == "added":
                    break
                yield _Write(change, path, before)
            origin = _renamed_from(change, path)
            if origin is None:
                yield _Write(change, path, None)
                return
            path, at = origin, change.version_id
        yield _Write(change, path, None, "too_long")

    def _history(self, path: str, at: str | None) -> Iterator[tuple[HistoryEntry, _Text | None]]:
        """The changes of a path before a version, newest first, each with the text before it."""
        store_id, tip = self.document.store_id, self.document.version_id
        more = True
        while more:
            found = path_history(store_id, path, tip, before=at, limit=_FETCHED + 1)
            texts = _texts(change.document_id for change in found[1:])
            yield from zip_longest(found[:_FETCHED], texts)
            more = len(found) > _FETCHED
            at = found[_FETCHED - 1].version_id if more else None


def _texts(document_ids: Iterable[str | None]) -> list[_Text | None]:
    """The texts of some document versions, in their order; None where there was no document."""
    wanted = list(document_ids)
    rows = DocumentVersion.objects.filter(id__in=[one for one in wanted if one])
    columns = rows.values_list("id", "bytes", "expires_at", "body__text")
    found = {row[0]: _Text(*row[:3], None if has_passed(row[2]) else row[3]) for row in columns}
    return [found[one] if one else None for one in wanted]


def _renamed_from(change: HistoryEntry, path: str) -> str | None:
    """The path that a document had before its version added it here with the same content."""
    content = change.content_sha256
    moved = VersionChange.objects.filter(
        Q(before=None, after__content_sha256=content)
        | Q(after=None, before__content_sha256=content),
        version=change.version_id,
    ).select_related("before", "after")
    deleted, added = _entries(row.before for row in moved), _entries(row.after for row in moved)
    changes = classify(by_path(deleted), by_path(added))
    return next((each.old_path for each in changes if each.path == path), None)


def _entries(rows: Iterable[DocumentVersion | None]) -> list[TreeEntry]:
    return [
        TreeEntry(row.path, uuid_from_id(row.id), row.content_sha256, row.media_type, row.bytes)
        for row in rows
        if row is not None
    ]
